public import SimKit

/// What is measured: one kind of exchange, the same on every link.
public enum FloorCell: String, Hashable, Sendable, CaseIterable {
    /// One complication update on a warm, idle link.
    case complication
    /// The same where losses come in bursts of up to three.
    case complicationBursts = "complication-bursts"
    /// The same while a bulk transfer has the line.
    case complicationWithBulk = "complication-bulk"
    /// One complication update as the first thing after a reconnection.
    case complicationEarly = "complication-early"
    /// 100 changed records on a warm link, until all are durable.
    case hundredWarm = "hundred-warm"
    /// The same, queued when the link comes up.
    case hundredCold = "hundred-cold"
    /// 2 MB in the bulk lane.
    case bulk

    /// What it is, in words.
    public var title: String {
        switch self {
        case .complication: "complication, link up"
        case .complicationBursts: "complication, bursts of 3"
        case .complicationWithBulk: "complication beside bulk"
        case .complicationEarly: "complication, reconnect"
        case .hundredWarm: "100 records, warm"
        case .hundredCold: "100 records, cold"
        case .bulk: "bulk, 2 MB"
        }
    }

    /// Bytes of the payload of ``bulk``.
    public static let bulkBytes = 2_000_000

    /// Whether the cell says anything of a link: a bulk transfer needs a rate to fill.
    public func runs(on profile: LinkProfile) -> Bool {
        switch self {
        case .bulk, .complicationWithBulk: profile.rateBitsPerSecond != nil
        default: true
        }
    }

    /// Trials that share one pair of peers.
    var trialsPerPair: Int {
        switch self {
        case .complication, .complicationBursts, .complicationEarly: 250
        case .hundredWarm, .hundredCold: 50
        case .complicationWithBulk: 50
        case .bulk: 1
        }
    }

    /// The most trials that are worth their time.
    public func trials(of wanted: Int) -> Int {
        self == .bulk ? min(wanted, max(2, wanted / 500)) : wanted
    }
}

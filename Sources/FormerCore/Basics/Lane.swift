/// The lanes of a pairing. Loss or bulk in one never holds back another.
public enum Lane: UInt8, Sendable, CaseIterable {
    /// Messages and replies for right now; not kept when the link goes.
    case interactive = 0
    /// What the watch face shows: durable, newest per key, within a daily budget.
    case complication = 1
    /// Durable records, every one delivered in order.
    case background = 2
    /// Durable state, of which only the newest value per key matters.
    case context = 3
    /// Large durable records, such as files, sent when nothing else waits.
    case bulk = 4

    /// How many lanes there are.
    public static let count = 5

    /// The axes on which lanes differ. A new mode is a new row, not a branch.
    public var traits: LaneTraits {
        switch self {
        case .interactive:
            LaneTraits(
                order: .ordered, isDurable: false, needsReachability: true, travelsEarly: false,
                isBudgeted: false, skipsEqual: false, offerWindow: 256, byteWindow: 1 << 20,
                recordByteLimit: 1 << 16)
        case .complication:
            LaneTraits(
                order: .newestPerKey, isDurable: true, needsReachability: false, travelsEarly: true,
                isBudgeted: true, skipsEqual: true, offerWindow: 256, byteWindow: 1 << 18,
                recordByteLimit: 1 << 12, setByteLimit: 1 << 18)
        case .background:
            LaneTraits(
                order: .ordered, isDurable: true, needsReachability: false, travelsEarly: true,
                isBudgeted: false, skipsEqual: false, offerWindow: 1024, byteWindow: 1 << 20,
                recordByteLimit: 1 << 16)
        case .context:
            LaneTraits(
                order: .newestPerKey, isDurable: true, needsReachability: false, travelsEarly: true,
                isBudgeted: false, skipsEqual: false, offerWindow: 1024, byteWindow: 1 << 20,
                recordByteLimit: 1 << 16, setByteLimit: 1 << 22)
        case .bulk:
            LaneTraits(
                order: .ordered, isDurable: true, needsReachability: false, travelsEarly: true,
                isBudgeted: false, skipsEqual: false, offerWindow: 16, byteWindow: 1 << 20,
                recordByteLimit: 1 << 22)
        }
    }

    /// What each key of a newest-per-key lane counts against the lane's `setByteLimit`, beside its
    /// value.
    public static let keyBytes = 512
}

extension Lane: CustomStringConvertible {
    /// The lane's name in logs, reports and the control protocol.
    public var description: String {
        switch self {
        case .interactive: "interactive"
        case .complication: "complication"
        case .background: "background"
        case .context: "context"
        case .bulk: "bulk"
        }
    }
}

/// One row of the table of lanes.
public struct LaneTraits: Hashable, Sendable {
    /// What the receiver owes the application.
    public enum Order: Sendable {
        /// Every record, in the order of their numbers.
        case ordered
        /// For each key the newest value; older ones may be skipped.
        case newestPerKey
    }

    /// Whether every record is delivered in order, or the newest per key.
    public var order: Order
    /// Whether records are written to the journal and survive the link and the process.
    public var isDurable: Bool
    /// Whether a record is refused while the counterpart cannot answer now.
    public var needsReachability: Bool
    /// Whether records may ride on the first flight of a reconnection.
    public var travelsEarly: Bool
    /// Whether each record spends one of a day's budgeted transfers.
    public var isBudgeted: Bool
    /// Whether a value equal to the one the application holds is not given to it again.
    public var skipsEqual: Bool
    /// Records the receiver is prepared to have outstanding; never above its reorder buffer.
    public var offerWindow: Int
    /// Payload bytes the receiver is prepared to have outstanding.
    public var byteWindow: Int
    /// The largest payload of one record, in bytes.
    public var recordByteLimit: Int
    /// Bytes the newest values of a newest-per-key lane may take, each key counted with
    /// ``Lane/keyBytes``; 0 in ordered lanes.
    public var setByteLimit = 0
}

/// An exchange measured in real time: of this package, or of plain TCP beside it.
package enum RealCell: String, Hashable, Sendable, CaseIterable {
    /// One complication update, link up and idle, until the watch shows it.
    case complication
    /// The same, queued when the link comes up.
    case complicationEarly = "complication-early"
    /// 100 records of 200 bytes, link up and idle, until both journals hold the last.
    case hundredWarm = "hundred-warm"
    /// The same, queued when the link comes up.
    case hundredCold = "hundred-cold"
    /// A complication as one JSON line over a TCP connection that is up and idle.
    case lineWarm = "tcp-line-warm"
    /// The same, the connection made for it.
    case lineCold = "tcp-line-cold"
    /// 100 records as JSON lines of 200 bytes over a TCP connection that is up and idle.
    case linesWarm = "tcp-hundred-warm"
    /// The same, the connection made for it.
    case linesCold = "tcp-hundred-cold"

    /// Its description.
    package var title: String {
        switch self {
        case .complication: BaselineCell.complication.title
        case .complicationEarly: BaselineCell.complicationEarly.title
        case .hundredWarm: BaselineCell.hundredWarm.title
        case .hundredCold: BaselineCell.hundredCold.title
        case .lineWarm: "TCP, complication, warm"
        case .lineCold: "TCP, complication, cold"
        case .linesWarm: "TCP, 100 lines, warm"
        case .linesCold: "TCP, 100 lines, cold"
        }
    }

    /// The same in virtual time; nil for what is no peer of ours.
    package var simulated: BaselineCell? {
        switch self {
        case .complication: .complication
        case .complicationEarly: .complicationEarly
        case .hundredWarm: .hundredWarm
        case .hundredCold: .hundredCold
        default: nil
        }
    }

    /// The exchanges of this package, in the order of the report.
    package static let own: [RealCell] = [
        .complication, .complicationEarly, .hundredWarm, .hundredCold,
    ]

    /// Whether it is an update of the face.
    package var isComplication: Bool { self == .complication || self == .complicationEarly }

    /// Whether the link comes up for it.
    package var isReconnection: Bool { self == .complicationEarly || self == .hundredCold }

    /// How often the line is crossed one after the other: hello, answer and first packets before
    /// all else where the link comes up.
    var crossings: Int { isReconnection ? 3 : 1 }
}

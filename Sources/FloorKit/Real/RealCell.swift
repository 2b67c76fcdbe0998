/// What is measured in real time: what this package does, and what one would otherwise write.
public enum RealCell: String, Hashable, Sendable, CaseIterable {
    /// One complication update, link up and idle, until the watch shows it.
    case complication
    /// 100 records of 200 bytes, link up and idle, until both journals hold the last.
    case hundredWarm = "hundred-warm"
    /// A complication as one JSON line over a TCP connection that is up and idle.
    case lineWarm = "tcp-line-warm"
    /// The same, the connection made for it.
    case lineCold = "tcp-line-cold"
    /// 100 records as JSON lines of 200 bytes over a TCP connection that is up and idle.
    case linesWarm = "tcp-hundred-warm"
    /// The same, the connection made for it.
    case linesCold = "tcp-hundred-cold"

    /// What it is, in words.
    public var title: String {
        switch self {
        case .complication: FloorCell.complication.title
        case .hundredWarm: FloorCell.hundredWarm.title
        case .lineWarm: "TCP, complication, warm"
        case .lineCold: "TCP, complication, cold"
        case .linesWarm: "TCP, 100 lines, warm"
        case .linesCold: "TCP, 100 lines, cold"
        }
    }

    /// The same in virtual time; nil for what is no peer of ours.
    public var simulated: FloorCell? {
        switch self {
        case .complication: .complication
        case .hundredWarm: .hundredWarm
        default: nil
        }
    }
}

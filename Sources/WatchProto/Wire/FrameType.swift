/// The first byte of every frame. Types from 0x40 up carry a length and are skipped by a peer that
/// does not know them; an unknown type below 0x40 is a violation.
public enum FrameType: UInt8, CaseIterable, Sendable {
    case padding = 0x00
    case ping = 0x01
    case pong = 0x02
    case close = 0x03
    case ack = 0x04
    case record = 0x10
    case part = 0x11
    case receipt = 0x12
    case floor = 0x13
    case credit = 0x14
    case tryLater = 0x15
    case needBase = 0x16
    case outcome = 0x17
    case withdraw = 0x18
    case heldQuery = 0x19
    case held = 0x1A

    /// The first type that a peer may skip without knowing it.
    public static let firstSkippable: UInt8 = 0x40

    /// Whether a packet holding the frame is to be acknowledged on a carrier that can lose.
    public var elicitsAck: Bool {
        switch self {
        case .padding, .ack, .close: false
        default: true
        }
    }
}

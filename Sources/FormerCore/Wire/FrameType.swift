/// The first byte of every frame. Types from 0x40 up carry a length and are skipped by a peer that
/// does not know them; an unknown type below 0x40 is a violation.
public enum FrameType: UInt8, CaseIterable, Sendable {
    /// Zero bytes that say nothing.
    case padding = 0x00
    /// ``PingFrame``, asking.
    case ping = 0x01
    /// ``PingFrame``, answering.
    case pong = 0x02
    /// ``CloseFrame``.
    case close = 0x03
    /// ``AckFrame``; only on carriers that can lose.
    case ack = 0x04
    /// ``EarlyFrame``.
    case early = 0x05
    /// The next packet of this direction has the next key; only sealed, at the end of a packet, and
    /// on carriers that cannot lose. On others the packet's number says so.
    case nextKey = 0x06
    /// ``RecordFrame``.
    case record = 0x10
    /// ``PartFrame``.
    case part = 0x11
    /// ``ReceiptFrame``.
    case receipt = 0x12
    /// ``FloorFrame``.
    case floor = 0x13
    /// ``CreditFrame``.
    case credit = 0x14
    /// ``TryLaterFrame``.
    case tryLater = 0x15
    /// ``NeedBaseFrame``.
    case needBase = 0x16
    /// ``OutcomeFrame``.
    case outcome = 0x17
    /// ``WithdrawFrame``.
    case withdraw = 0x18
    /// ``HeldQueryFrame``.
    case heldQuery = 0x19
    /// ``HeldFrame``.
    case held = 0x1A
    /// ``PartFrame`` without the record's length, to the end of its packet; from version 2 on. The
    /// low four bits are the lane, and 8 if an epoch index follows.
    case furtherPart = 0x20
    /// ``ArrivalFrame``; may be skipped; only on carriers that can lose.
    case arrival = 0x42
    /// ``ParityFrame``; may be skipped; only on carriers that can lose.
    case parity = 0x43
    /// ``ValueQueryFrame``; may be skipped.
    case valueQuery = 0x50
    /// ``ValueFrame``; may be skipped.
    case value = 0x51

    /// The first type that a peer may skip without knowing it.
    public static let firstSkippable: UInt8 = 0x40

    /// The type that a frame's first byte stands for; nil for one that is not known.
    init?(code: UInt8) {
        self.init(rawValue: code & 0xF0 == Self.furtherPart.rawValue ? code & 0xF0 : code)
    }

    /// Whether a packet holding the frame is to be acknowledged on a carrier that can lose.
    public var elicitsAck: Bool {
        switch self {
        case .padding, .ack, .arrival, .close: false
        default: true
        }
    }
}

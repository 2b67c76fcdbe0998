/// The first byte of every frame. Types from 0x40 up carry a length and are skipped by a peer that
/// does not know them; an unknown type below 0x40 is a violation.
///
/// Types from 0x30 to 0x3F are *statements* (Models/IDENTITY.md, section 1): the other side may
/// conclude something in its journal from them. A packet that holds one holds a ``position`` frame
/// before the first of them.
public enum FrameType: UInt8, CaseIterable, Sendable {
    /// Zero bytes that say nothing.
    case padding = 0x00
    /// Asks for a ``pong``.
    case ping = 0x01
    /// Answers a ``ping``.
    case pong = 0x02
    /// The sender ends the session.
    case close = 0x03
    /// Packets that arrived; only on carriers that can lose.
    case ack = 0x04
    /// The answer to the counterpart's early data, with the early packets that were taken.
    case earlyData = 0x05
    /// The next packet of this direction has the next key; only on carriers that cannot lose.
    case keyUpdate = 0x06
    /// The position of the sender in the session's ticket, for the statements that follow it.
    case position = 0x08
    /// Own epochs that found no room in the handshake message.
    case epochs = 0x09
    /// The initiator's answer to the responder's tickets, which only it can give
    /// (Models/IDENTITY.md, section 5).
    case ticketAnswer = 0x0A
    /// A record of an ordered channel.
    case record = 0x10
    /// A value of a latest-value channel, whole or as a delta.
    case value = 0x11
    /// A piece of a record or value that is too long for one packet, with the length of the whole.
    case fragment = 0x12
    /// The amount that the counterpart may offer in an ordered channel.
    case credit = 0x14
    /// A record turned away for want of room.
    case tryLater = 0x15
    /// A delta that cannot be applied: send the value whole.
    case needBase = 0x16
    /// A record its sender cancels, or whose time ran out.
    case cancel = 0x17
    /// Records that arrived, durable or not: a hint that saves sending them again.
    case received = 0x18
    /// Asks which versions the counterpart holds.
    case heldQuery = 0x19
    /// Asks for the value that the counterpart holds of a key.
    case valueQuery = 0x1A
    /// The sender of a latest-value channel has lost no reservation; a hint.
    case nothingLost = 0x1B
    /// A ``fragment`` without the length of the whole, to the end of its packet; the low three bits
    /// are the channel, and 8 says that an epoch index follows.
    case furtherFragment = 0x20
    /// Statement: records of an ordered channel that are committed or applied.
    case acknowledgement = 0x30
    /// Statement: how records of an ordered channel ended without being applied.
    case outcome = 0x31
    /// Statement: the number up to which the sender's records of an epoch are settled.
    case watermark = 0x32
    /// Statement of a sender: nothing more will be said of this epoch; close it.
    case epochOver = 0x33
    /// Statement of a receiver: this epoch is closed.
    case epochClosed = 0x34
    /// Statement of a receiver: these epochs are written down.
    case epochsKnown = 0x35
    /// Statement of a receiver: what it holds of an epoch that the sender has not listed.
    case epochHeld = 0x36
    /// Statement: versions of values that are committed or applied.
    case valueAcknowledgement = 0x38
    /// Statement: how a version ended without being applied.
    case valueOutcome = 0x39
    /// Statement of a sender that lost a reservation: it has mended its versions.
    case mended = 0x3A
    /// Statement: digest of the versions held.
    case heldDigest = 0x3B
    /// Statement: versions held, key by key.
    case held = 0x3C
    /// Statement: the value held of a key, or a piece of it.
    case heldValue = 0x3D
    /// Statement of a sender: what is absent was removed at or below this version.
    case removalFloor = 0x3E
    /// The arrival time of the largest acknowledged packet; only on carriers that can lose.
    case arrival = 0x42
    /// A forward-error-correction packet; only on carriers that can lose.
    case repair = 0x43

    /// The first type that a peer may skip without knowing it.
    public static let firstSkippable: UInt8 = 0x40

    /// The type that a frame's first byte stands for; nil for one that is not known.
    public init?(code: UInt8) {
        self.init(rawValue: code & 0xF0 == Self.furtherFragment.rawValue ? code & 0xF0 : code)
    }

    /// Whether the other side may conclude something in its journal from the frame.
    public var isStatement: Bool { rawValue & 0xF0 == 0x30 }

    /// Whether a packet that holds the frame is to be acknowledged on a carrier that can lose.
    public var elicitsAck: Bool {
        switch self {
        case .padding, .ack, .arrival, .close: false
        default: true
        }
    }
}

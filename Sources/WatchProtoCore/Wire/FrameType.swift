/// The first byte of every frame. Types from 0x30 to 0x3F are *statements* (Models/IDENTITY.md,
/// section 1).
package enum FrameType: UInt8, CaseIterable, Sendable {
    case padding = 0x00
    case ping = 0x01
    case pong = 0x02
    case close = 0x03
    case ack = 0x04
    case earlyData = 0x05
    /// F-7: the next packet of this direction has the next key.
    case keyUpdate = 0x06
    case position = 0x08
    case epochs = 0x09
    case ticketAnswer = 0x0A
    case record = 0x10
    case value = 0x11
    case fragment = 0x12
    case values = 0x13
    case credit = 0x14
    case tryLater = 0x15
    case needBase = 0x16
    case cancel = 0x17
    case received = 0x18
    case heldQuery = 0x19
    case valueQuery = 0x1A
    case nothingLost = 0x1B
    /// F-15: the low four bits of the byte are a channel and a flag.
    case furtherFragment = 0x20
    case acknowledgement = 0x30
    case outcome = 0x31
    case watermark = 0x32
    case epochOver = 0x33
    case epochClosed = 0x34
    case epochsKnown = 0x35
    case epochHeld = 0x36
    case valueAcknowledgement = 0x38
    case valueOutcome = 0x39
    case mended = 0x3A
    case heldDigest = 0x3B
    case held = 0x3C
    case heldValue = 0x3D
    case removalWatermark = 0x3E
    case heldRanges = 0x3F
    case arrival = 0x42
    case repair = 0x43

    /// F-1: the first type that carries a length, so that a peer may skip it.
    static let firstSkippable: UInt8 = 0x40

    /// The type that a frame's first byte stands for; nil for one that is not known.
    init?(code: UInt8) {
        self.init(rawValue: code & 0xF0 == Self.furtherFragment.rawValue ? code & 0xF0 : code)
    }

    /// Whether the other side may conclude something in its journal from the frame.
    var isStatement: Bool { rawValue & 0xF0 == 0x30 }

    /// Whether a packet that holds the frame is to be acknowledged on a carrier that can lose.
    var elicitsAck: Bool {
        switch self {
        case .padding, .ack, .arrival, .close: false
        default: true
        }
    }
}

/// A frame behind its type.
protocol FramePayload: WireCoded, Hashable, Sendable {
    var type: FrameType { get }
    /// The byte in front of the frame.
    var typeByte: UInt8 { get }
}

extension FramePayload {
    var typeByte: UInt8 { type.rawValue }

    /// Appends the frame with its type byte, and with its length where it may be skipped.
    func write(to writer: inout WireWriter) {
        writer.byte(typeByte)
        let start = writer.count
        var payload = self
        payload.code(&writer)
        guard typeByte >= FrameType.firstSkippable else { return }
        var length = WireWriter()
        length.varint(UInt64(writer.count - start))
        writer.bytes.insert(contentsOf: length.bytes, at: start)
    }
}

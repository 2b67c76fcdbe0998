/// Request of a sender: end a record that may have arrived, in its turn. Only the receiver's answer
/// settles the record.
///
/// ```text
/// 0x17 · channel | 8 if expired | 16 if a predecessor follows · epoch index · number
/// · [predecessor]
/// ```
/// The request takes the place of the record, so it names the live predecessor as the record does.
public struct CancelFrame: Hashable, Sendable {
    /// The ordered channel.
    public var channel: Channel
    /// The record, one of the frame's sender.
    public var address: RecordAddress
    /// The live predecessor; nil where there is none.
    public var predecessor: RecordAddress?
    /// Whether its time ran out; otherwise the application cancelled it.
    public var isExpired: Bool

    private static let expiredBit: UInt8 = 8
    private static let predecessorBit: UInt8 = 16

    /// Makes the frame.
    public init(
        channel: Channel, address: RecordAddress, predecessor: RecordAddress?, isExpired: Bool
    ) {
        self.channel = channel
        self.address = address
        self.predecessor = predecessor
        self.isExpired = isExpired
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> CancelFrame {
        let start = reader.offset
        let code = try reader.byte("cancelled channel and flags")
        guard let channel = Channel(rawValue: code & 0x07), channel.traits.order == .ordered,
            code & ~0x1F == 0
        else {
            throw WireError(
                .unknownCode, at: start, expected: "cancelled channel and flags",
                found: UInt64(code))
        }
        let address = try RecordAddress.read(&reader)
        var predecessor: RecordAddress?
        if code & predecessorBit != 0 {
            predecessor = try RecordAddress.readPredecessor(of: address, &reader)
        }
        return CancelFrame(
            channel: channel, address: address, predecessor: predecessor,
            isExpired: code & expiredBit != 0)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.cancel.rawValue)
        writer.byte(
            channel.rawValue | (isExpired ? Self.expiredBit : 0)
                | (predecessor == nil ? 0 : Self.predecessorBit))
        address.write(to: &writer)
        predecessor?.write(asPredecessorOf: address, to: &writer)
    }
}

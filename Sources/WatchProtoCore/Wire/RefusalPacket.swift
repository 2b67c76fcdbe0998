/// The answer to a message 1 whose counter is stale. It opens and ends nothing.
///
/// ```text
/// receiver's connection ID: 4 bytes · highest counter: 8 bytes · MAC: 16 bytes
/// ```
/// The MAC covers the message 1 that is refused, so that nobody without the pairing's key can
/// refuse anything, and a refusal of another message 1 is none.
package struct RefusalPacket: Hashable, Sendable {
    /// The connection ID of the message 1 that is refused.
    package var connectionID: ConnectionID
    /// The highest counter that the refuser holds: the next message 1 goes on above it.
    package var highest: UInt64
    /// The security's MAC over the message 1 and the counter.
    package var mac: UInt128

    /// Bytes of the packet, without what the carrier needs in front of it.
    package static let byteCount = ConnectionID.byteCount + 8 + 16

    /// Makes the refusal of a message 1.
    package init(connectionID: ConnectionID, highest: UInt64, mac: UInt128) {
        self.connectionID = connectionID
        self.highest = highest
        self.mac = mac
    }

    /// Reads a refusal to its end. The packet's author is at fault for every error.
    package static func read(_ reader: inout WireReader) throws(WireError) -> RefusalPacket {
        let packet = RefusalPacket(
            connectionID: try .read(&reader), highest: try reader.uint64("highest counter"),
            mac: try reader.uint128("MAC of a refusal"))
        try reader.finish("end of the refusal")
        return packet
    }

    /// Appends the packet, without what the carrier needs in front of it.
    package func write(to writer: inout WireWriter) {
        connectionID.write(to: &writer)
        writer.uint64(highest)
        writer.uint128(mac)
    }
}

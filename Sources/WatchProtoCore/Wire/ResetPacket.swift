/// The answer to a packet of an unknown connection ID; only on carriers that can lose (the idea of
/// RFC 9000, section 10.3).
///
/// ```text
/// unknown connection ID: 4 bytes · token: 16 bytes
/// ```
package struct ResetPacket: Hashable, Sendable {
    /// The connection ID that the sender of the reset does not know.
    package var connectionID: ConnectionID
    /// A MAC over the connection ID and the tail of the packet that is answered, made by the
    /// security. Only the side that this ID names can make it.
    package var token: UInt128

    /// Bytes of the packet, without what the carrier needs in front of it.
    package static let byteCount = ConnectionID.byteCount + 16
    /// Bytes of the whole datagram. Only a longer one is answered by it.
    package static let datagramBytes = 1 + byteCount

    package init(connectionID: ConnectionID, token: UInt128) {
        self.connectionID = connectionID
        self.token = token
    }

    /// Reads a reset to its end. The packet's author is at fault for every error.
    package static func read(_ reader: inout WireReader) throws(WireError) -> ResetPacket {
        let packet = ResetPacket(
            connectionID: try .read(&reader), token: try reader.uint128("reset token"))
        try reader.finish("end of the reset")
        return packet
    }

    /// Appends the packet, without what the carrier needs in front of it.
    package func write(to writer: inout WireWriter) {
        connectionID.write(to: &writer)
        writer.uint128(token)
    }
}

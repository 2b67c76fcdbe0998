/// The name by which packets find a session at its receiver: four random bytes that the receiver
/// drew for this session (RFC 9000, section 5.1).
package struct ConnectionID: Hashable, Sendable {
    /// Bytes of an identifier on the wire.
    package static let byteCount = 4

    /// The 32 bits of the name.
    package var rawValue: UInt32
    /// Names a session by its 32 bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reads an identifier; throws `truncated` where fewer bytes are left.
    static func read(_ reader: inout WireReader) throws(WireError) -> ConnectionID {
        let value = try reader.fixed(byteCount, "connection ID")
        return ConnectionID(rawValue: UInt32(truncatingIfNeeded: value))
    }

    /// Appends the identifier, lowest byte first.
    func write(to writer: inout WireWriter) {
        writer.fixed(UInt64(rawValue), count: Self.byteCount)
    }
}

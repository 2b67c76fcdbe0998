/// Advice in clear: why its sender will not open a session. It is not authenticated and changes no
/// state.
///
/// ```text
/// version: 1 byte · code: 1 byte
/// ```
package struct AdvisoryPacket: Hashable, Sendable {
    /// The sender's wire version.
    package var version: UInt8
    /// Why the sender will not open a session.
    package var code: CloseCode

    /// Makes the advice of a side that speaks wire version `version`.
    package init(version: UInt8, code: CloseCode) {
        self.version = version
        self.code = code
    }

    /// Reads an advisory to its end. The packet's author is at fault for every error.
    package static func read(_ reader: inout WireReader) throws(WireError) -> AdvisoryPacket {
        let version = try reader.byte("version")
        let at = reader.offset
        let code = CloseCode(rawValue: try reader.byte("advisory code"))
        guard code.rawValue <= CloseCode.largest.rawValue else {
            throw WireError(
                .unknownCode, at: at, expected: "advisory code", found: UInt64(code.rawValue))
        }
        try reader.finish("end of the advisory")
        return AdvisoryPacket(version: version, code: code)
    }

    /// Appends the packet, without what the carrier needs in front of it.
    package func write(to writer: inout WireWriter) {
        writer.byte(version)
        writer.byte(code.rawValue)
    }
}

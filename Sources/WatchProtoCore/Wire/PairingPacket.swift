/// One packet of a pairing, before there are keys.
///
/// ```text
/// version: 1 byte · form: 1 byte · [cookie: 16 bytes] · [message]
/// ```
/// | Form | | Cookie | Message |
/// | --- | --- | --- | --- |
/// | 0 | a message that needs no cookie: on streams, and of the displaying side | – | yes |
/// | 1 | a message with a cookie, zeros before one is known: on datagrams | yes | yes |
/// | 2 | a cookie, the answer to form 1 with another one | yes | – |
package enum PairingPacket: Hashable, Sendable {
    /// A message that needs no cookie.
    case message([UInt8])
    /// A message with the cookie of its sender's address; zero before it is known.
    case messageWithCookie(UInt128, [UInt8])
    /// The cookie of the address to which the packet is sent.
    case cookie(UInt128)

    /// The longest message, in bytes.
    package static let largestMessageBytes = 127
    /// Bytes of a packet with a cookie and no message.
    package static let cookiePacketBytes = 2 + 16

    /// Reads a packet to its end, and gives it with its version. The packet's author is at fault
    /// for every error.
    package static func read(
        _ reader: inout WireReader
    ) throws(WireError) -> (version: UInt8, packet: PairingPacket) {
        let version = try reader.byte("version")
        let at = reader.offset
        let form = try reader.byte("form of a pairing packet")
        switch form {
        case 0: return (version, .message(try message(&reader)))
        case 1:
            let cookie = try reader.uint128("cookie")
            return (version, .messageWithCookie(cookie, try message(&reader)))
        case 2:
            let cookie = try reader.uint128("cookie")
            try reader.finish("end of the cookie packet")
            return (version, .cookie(cookie))
        default:
            throw WireError(
                .unknownCode, at: at, expected: "form of a pairing packet", found: UInt64(form))
        }
    }

    private static func message(_ reader: inout WireReader) throws(WireError) -> [UInt8] {
        let count = reader.remaining
        guard count > 0, count <= largestMessageBytes else {
            throw WireError(
                .outOfRange, at: reader.offset, expected: "message of a pairing",
                found: UInt64(count))
        }
        return [UInt8](copying: try reader.bytes(count, "message of a pairing"))
    }

    /// Appends the packet, without what the carrier needs in front of it.
    package func write(version: UInt8, to writer: inout WireWriter) {
        writer.byte(version)
        switch self {
        case .message(let bytes):
            writer.byte(0)
            writer.append(bytes)
        case .messageWithCookie(let cookie, let bytes):
            writer.byte(1)
            writer.uint128(cookie)
            writer.append(bytes)
        case .cookie(let cookie):
            writer.byte(2)
            writer.uint128(cookie)
        }
    }
}

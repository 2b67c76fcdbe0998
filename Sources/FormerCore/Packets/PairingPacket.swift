/// One message of a pairing as it travels, before there are keys: a handshake packet whose first
/// byte, where others have a wire version, is ``mark``.
///
/// ```text
/// 0x80 · message
/// ```
/// A peer has no use for it: pairing runs on a link of its own, while no session is wanted there.
public enum PairingPacket {
    /// The first byte. Wire versions are below it.
    public static let mark: UInt8 = 0x80

    /// The longest message, in bytes: what is longer is none.
    public static let largestMessageBytes = 127

    /// The whole packet as it goes onto a carrier.
    public static func packet(_ message: [UInt8], on framing: CarrierTraits.Framing) -> [UInt8] {
        let body = [mark] + message
        switch framing {
        case .stream: return StreamFraming.prefix(of: .handshake, length: body.count) + body
        case .datagram:
            var writer = WireWriter()
            DatagramHeader(unnumbered: .handshake).write(to: &writer)
            writer.append(body)
            return writer.bytes
        }
    }

    /// The message in the body of a handshake packet; nil for a flight, and for what is too long.
    public static func message(in body: Span<UInt8>) -> [UInt8]? {
        guard isOne(body), body.count <= 1 + largestMessageBytes else { return nil }
        return [UInt8](copying: body.extracting(1..<body.count))
    }

    /// Whether the body of a handshake packet is of a pairing.
    static func isOne(_ body: Span<UInt8>) -> Bool { body.count > 0 && body[0] == mark }
}

/// One flight of a handshake as it travels: the version and two session ids in clear, then the
/// flight itself, whose payload carries the greeting.
///
/// ```text
/// version · sender's session id: 4 bytes · receiver's session id: 4 bytes, 0 if unknown · flight
/// ```
public struct HandshakePacket: Hashable, Sendable {
    /// The wire version the sender speaks on this link.
    public var version: UInt8
    /// The sender's random id of the session; its low half, the hint of packets, is never 0.
    public var senderSession: UInt32
    /// The receiver's session as its sender knows it: proof that it heard an earlier flight.
    public var receiverSession: UInt32
    /// The flight's bytes, which only the handshake understands.
    public var flight: [UInt8]

    /// Reads the rest of `reader` as one flight. The packet's author, or whatever damaged it, is at
    /// fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> HandshakePacket {
        let version = try reader.byte("version")
        let at = reader.offset
        let sender = UInt32(try reader.fixed(4, "sender's session"))
        guard sender & 0xFFFF != 0 else {
            throw WireError(
                .outOfRange, at: at, expected: "sender's session, its low half not zero",
                found: UInt64(sender))
        }
        let receiverAt = reader.offset
        let receiver = UInt32(try reader.fixed(4, "receiver's session"))
        guard receiver == 0 || receiver & 0xFFFF != 0 else {
            throw WireError(
                .outOfRange, at: receiverAt,
                expected: "receiver's session, 0 or its low half not zero", found: UInt64(receiver))
        }
        let count = reader.remaining
        guard count <= limits.handshakeBytes else {
            throw WireError(
                .outOfRange, at: reader.offset, expected: "handshake flight", found: UInt64(count))
        }
        return HandshakePacket(
            version: version, senderSession: sender, receiverSession: receiver,
            flight: [UInt8](copying: try reader.bytes(count, "flight")))
    }

    /// Appends the packet, without what the carrier needs in front of it.
    public func write(to writer: inout WireWriter) {
        writer.byte(version)
        writer.fixed(UInt64(senderSession), count: 4)
        writer.fixed(UInt64(receiverSession), count: 4)
        writer.append(flight)
    }
}

/// Advice in clear: why its sender will not speak with us. Nobody vouches for it.
public struct NoticePacket: Hashable, Sendable {
    /// The sender's wire version.
    public var version: UInt8
    /// Why the sender will not speak with us.
    public var code: CloseCode

    /// Makes the advice of a side that speaks wire version `version`.
    public init(version: UInt8, code: CloseCode) {
        self.version = version
        self.code = code
    }

    /// Reads a notice to its end. The packet's author, or whatever damaged it, is at fault for
    /// every error.
    public static func read(_ reader: inout WireReader) throws(WireError) -> NoticePacket {
        let version = try reader.byte("version")
        let at = reader.offset
        let code = CloseCode(rawValue: try reader.byte("notice code"))
        guard code.rawValue <= CloseCode.busy.rawValue else {
            throw WireError(
                .unknownCode, at: at, expected: "notice code 0 to 6", found: UInt64(code.rawValue))
        }
        try reader.finish("end of the notice")
        return NoticePacket(version: version, code: code)
    }

    func write(to writer: inout WireWriter) {
        writer.byte(version)
        writer.byte(code.rawValue)
    }

    /// The whole packet as it goes onto a carrier; what a listener sends to a peer it turns away.
    public func packet(on framing: CarrierTraits.Framing) -> [UInt8] {
        var body = WireWriter()
        write(to: &body)
        switch framing {
        case .stream:
            return StreamFraming.prefix(of: .notice, length: body.count) + body.bytes
        case .datagram:
            var writer = WireWriter()
            DatagramHeader(unnumbered: .notice).write(to: &writer)
            writer.append(body.bytes)
            return writer.bytes
        }
    }
}

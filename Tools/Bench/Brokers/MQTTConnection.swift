/// The part of MQTT 3.1.1 (OASIS standard, 2014) that two programs need to bounce messages.
final class MQTTConnection: Sendable {
    /// How often a message may come: at most once, at least once, exactly once.
    enum Quality: UInt8, Sendable { case atMostOnce, atLeastOnce, exactlyOnce }

    /// One packet: the first byte of its fixed header and what follows the length.
    struct Packet: Hashable, Sendable {
        var head: UInt8
        var body: [UInt8]
        /// The type: 2 CONNACK, 3 PUBLISH, 4 PUBACK, 5 PUBREC, 6 PUBREL, 7 PUBCOMP, 9 SUBACK.
        var type: UInt8 { head >> 4 }
    }

    private let stream: PeerStream

    /// Opens a session; a `lasting` one survives its connection.
    init(_ stream: PeerStream, client: String, lasting: Bool = false) throws(PeerFailure) {
        self.stream = stream
        let flags: UInt8 = lasting ? 0 : 2
        try send(0x10, Self.text("MQTT") + [4, flags, 0, 0] + Self.text(client))
        let answer = try receive()
        guard answer.type == 2, answer.body.last == 0 else {
            throw PeerFailure("mosquitto refused the connection: \(answer)")
        }
    }

    func subscribe(_ topic: String, _ quality: Quality) throws(PeerFailure) {
        try send(0x82, [0, 1] + Self.text(topic) + [quality.rawValue])
        guard try receive().type == 9 else { throw PeerFailure("mosquitto sent no SUBACK") }
    }

    /// - Parameter number: of the message, above 0; of no matter at most once.
    func publish(
        _ topic: String, _ payload: [UInt8], _ quality: Quality, number: UInt16
    ) throws(PeerFailure) {
        var body = Self.text(topic)
        if quality != .atMostOnce { body += Self.bytes(number) }
        try send(0x30 | quality.rawValue << 1, body + payload)
    }

    /// The next message that was published for this side; acknowledgements are given and taken
    /// on the way.
    func nextMessage() throws(PeerFailure) -> [UInt8] {
        while true {
            if let payload = try take(try receive()) { return payload }
        }
    }

    /// Waits until the broker may pass on the last message: for exactly one delivery this side
    /// tells it so (PUBREL), once it has said that it holds the message (PUBREC).
    func release() throws(PeerFailure) {
        while true {
            let packet = try receive()
            _ = try take(packet)
            if packet.type == 5 { return }
            guard packet.type != 3 else {
                throw PeerFailure("mosquitto brought a message before it was asked for")
            }
        }
    }

    /// Waits until `count` messages of this side were acknowledged for good.
    func awaitAcknowledgements(_ count: Int) throws(PeerFailure) {
        var left = count
        while left > 0 {
            let packet = try receive()
            if packet.type == 4 || packet.type == 7 { left -= 1 }
            _ = try take(packet)
        }
    }

    /// How many messages come until none has come for a while.
    func countMessages() throws(PeerFailure) -> Int {
        stream.setPatience(milliseconds: 2000)
        var count = 0
        while let packet = try? receive() {
            if try take(packet) != nil { count += 1 }
        }
        return count
    }

    /// Leaves in order, so that a lasting session waits for its client.
    func leave() throws(PeerFailure) { try send(0xE0, []) }

    private func take(_ packet: Packet) throws(PeerFailure) -> [UInt8]? {
        switch packet.type {
        case 3: return try takeMessage(packet)
        case 5: try send(0x62, Array(packet.body.prefix(2)))
        case 6: try send(0x70, Array(packet.body.prefix(2)))
        default: break
        }
        return nil
    }

    private func takeMessage(_ packet: Packet) throws(PeerFailure) -> [UInt8] {
        let body = packet.body
        guard body.count >= 2 else { throw PeerFailure("mosquitto sent half a message") }
        var start = 2 + Int(body[0]) << 8 + Int(body[1])
        if let quality = Quality(rawValue: packet.head >> 1 & 3), quality != .atMostOnce {
            guard body.count >= start + 2 else {
                throw PeerFailure("mosquitto sent half a message")
            }
            let number = Array(body[start..<start + 2])
            start += 2
            try send(quality == .atLeastOnce ? 0x40 : 0x50, number)
        }
        return Array(body[min(start, body.count)...])
    }

    // MARK: Packets

    private func send(_ head: UInt8, _ body: [UInt8]) throws(PeerFailure) {
        try stream.write([head] + Self.length(body.count) + body)
    }

    private func receive() throws(PeerFailure) -> Packet {
        let head = try stream.read(1)[0]
        var length = 0
        for shift in [0, 7, 14, 21] {
            let byte = try stream.read(1)[0]
            length |= Int(byte & 0x7F) << shift
            if byte < 0x80 { break }
        }
        return Packet(head: head, body: try stream.read(length))
    }

    /// The remaining length: seven bits a byte, lowest first (section 2.2.3).
    static func length(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = count
        repeat {
            let low = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest > 0 ? low | 0x80 : low)
        } while rest > 0
        return bytes
    }

    private static func text(_ string: String) -> [UInt8] {
        let utf8 = Array(string.utf8)
        return bytes(UInt16(utf8.count)) + utf8
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

import Articles
import ControlKit

@testable import FormerCore

/// Bytes that must be refused where a packet begins, each with the rule it breaks and where.
struct RejectedPacket {
    var kind: String
    var name: String
    var bytes: [UInt8]
    var rule: WireError.Rule
    var offset: Int

    var json: JSONValue {
        [
            "kind": .string(kind), "name": .string(name), "hex": .string(Hex.string(bytes)),
            "rule": .string("\(rule)"), "offset": .whole(offset),
        ]
    }

    /// What reading says.
    func refusal() -> WireError? {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            switch kind {
            case "greeting": _ = try Greeting.decode(bytes.span, limits: Limits())
            case "handshake": _ = try HandshakePacket.read(&reader, limits: Limits())
            case "notice": _ = try NoticePacket.read(&reader)
            case "datagramHeader": _ = try DatagramHeader.read(&reader)
            default:
                let framing = StreamFraming(limitBytes: Limits().streamPacketBytes)
                _ = try framing.find(in: bytes.span, from: 0)
            }
            return nil
        } catch {
            return error
        }
    }

    static var all: [RejectedPacket] { greetings + handshakes + others }

    /// On the example: role at 0, pairing 1, version 17, epochs 18; the first epoch's id at 19, its
    /// parent code 27, its numbers 28.
    private static var greetings: [RejectedPacket] {
        let good = GreetingTests.example()
        let bytes = good.encoded()
        var list: [RejectedPacket] = []
        func add(
            _ name: String, _ rule: WireError.Rule, _ offset: Int, _ change: (inout [UInt8]) -> Void
        ) {
            var changed = bytes
            change(&changed)
            list.append(
                RejectedPacket(
                    kind: "greeting", name: name, bytes: changed, rule: rule, offset: offset))
        }
        add("nothing", .truncated, 0) { $0 = [] }
        add("role 2", .unknownCode, 0) { $0[0] = 2 }
        add("half a pairing", .truncated, 1) { $0 = [UInt8]($0[..<9]) }
        add("no epoch of its own", .outOfRange, 18) { $0[18] = 0 }
        add("thirty-three epochs", .outOfRange, 18) { $0[18] = 33 }
        add("epoch 0", .outOfRange, 19) {
            $0.replaceSubrange(19..<27, with: [UInt8](repeating: 0, count: 8))
        }
        add("a first epoch after the one before it", .unknownCode, 27) { $0[27] = 1 }
        add("parent code 3", .unknownCode, 27) { $0[27] = 3 }
        add("next number 0", .outOfRange, 28) { $0[28] = 0 }
        add("more unsettled than there are", .outOfRange, 28) { $0[29] = 1 }
        add("a number in two bytes for one", .overlong, 28) {
            $0.replaceSubrange(28..<29, with: [0x81, 0])
        }
        add("a largest datagram of 127 bytes", .outOfRange, bytes.count - 3) {
            $0.replaceSubrange((bytes.count - 3)..., with: [0x7F])
        }
        add("cut before its end", .truncated, bytes.count - 3) { $0.removeLast(3) }
        list += twice(good)
        list += tooHigh(good)
        return list
    }

    /// Numbers that no record can have.
    private static func tooHigh(_ good: Greeting) -> [RejectedPacket] {
        let bytes = good.encoded()
        var parent = WireWriter()
        parent.uint64(good.ownEpochs[2].parent?.rawValue ?? 0)
        let parentHighest = bytes.firstRange(of: parent.bytes)?.upperBound ?? 0
        // Behind the last known number stand 9 bytes of offers, 5 of bytes, 16 of digests, and 3.
        let received = bytes.count - 34
        return [
            ("a next number of 2^62 + 1", 28, RecordNumber.largest + 2),
            ("a parent's highest number of 2^62", parentHighest, RecordNumber.largest + 1),
            ("received through 2^62 + 1", received, RecordNumber.largest + 2),
        ].map { name, offset, number in
            var writer = WireWriter()
            writer.varint(number)
            return RejectedPacket(
                kind: "greeting", name: name,
                bytes: bytes[..<offset] + writer.bytes + bytes[(offset + 1)...], rule: .outOfRange,
                offset: offset)
        }
    }

    /// One epoch listed twice: of the sender, or of the receiver.
    private static func twice(_ good: Greeting) -> [RejectedPacket] {
        var own = good
        own.ownEpochs[2].id = own.ownEpochs[0].id
        var known = good
        known.knownEpochs.append(known.knownEpochs[0])
        return [("an epoch of its own twice", own), ("a known epoch twice", known)].map {
            name, greeting in
            let bytes = greeting.encoded()
            let id = name.hasPrefix("an") ? greeting.ownEpochs[0].id : greeting.knownEpochs[0].id
            var writer = WireWriter()
            writer.uint64(id.rawValue)
            return RejectedPacket(
                kind: "greeting", name: name, bytes: bytes, rule: .outOfRange,
                offset: bytes.ranges(of: writer.bytes).last?.lowerBound ?? -1)
        }
    }

    private static var handshakes: [RejectedPacket] {
        func packet(
            _ name: String, _ rule: WireError.Rule, _ offset: Int, _ hex: String
        ) -> RejectedPacket {
            RejectedPacket(
                kind: "handshake", name: name, bytes: Hex.bytes(hex) ?? [], rule: rule,
                offset: offset)
        }
        return [
            packet("no version", .truncated, 0, ""),
            packet("half a session id", .truncated, 1, "007856"),
            packet("sender's session 0", .outOfRange, 1, "000000000000000000ff"),
            packet("sender's session with low half 0", .outOfRange, 1, "000000341200000000ff"),
            packet("receiver's session with low half 0", .outOfRange, 5, "00785634120000ff00ff"),
            packet("no receiver's session", .truncated, 5, "00785634120000"),
            RejectedPacket(
                kind: "handshake", name: "a flight of 16,385 bytes",
                bytes: [0, 1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 16_385),
                rule: .outOfRange, offset: 9),
        ]
    }

    private static var others: [RejectedPacket] {
        func packet(
            _ kind: String, _ name: String, _ rule: WireError.Rule, _ offset: Int, _ bytes: [UInt8]
        ) -> RejectedPacket {
            RejectedPacket(kind: kind, name: name, bytes: bytes, rule: rule, offset: offset)
        }
        return [
            packet("notice", "no code", .truncated, 1, [0]),
            packet("notice", "code 7", .unknownCode, 1, [0, 7]),
            packet("notice", "bytes behind it", .trailingBytes, 2, [0, 3, 0]),
            packet("streamPrefix", "65,537 bytes", .outOfRange, 0, [0x84, 0x80, 0x10]),
            packet("streamPrefix", "a length in two bytes for one", .overlong, 0, [0x84, 0]),
            packet(
                "streamPrefix", "a length of five bytes and more", .truncated, 0,
                [0x80, 0x80, 0x80, 0x80, 0x80]),
            packet("datagramHeader", "no byte at all", .truncated, 0, []),
            packet("datagramHeader", "bit 5", .unknownCode, 0, [0x28, 1, 0, 0, 0]),
            packet("datagramHeader", "bit 7", .unknownCode, 0, [0x88, 1, 0, 0, 0]),
            packet(
                "datagramHeader", "a handshake with a number", .notCanonical, 0, [0x09, 1, 0, 0, 0]),
            packet(
                "datagramHeader", "a notice with a number", .notCanonical, 0, [0x0B, 1, 0, 0, 0]),
            packet("datagramHeader", "half a hint", .truncated, 1, [0x08, 1]),
            packet("datagramHeader", "half a number", .truncated, 3, [0x0C, 1, 0, 5, 0, 0]),
        ]
    }
}

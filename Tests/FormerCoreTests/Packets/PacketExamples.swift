import Articles
import ControlKit

@testable import FormerCore

/// What stands around frames: greetings, flights, notices, prefixes and headers. Their bytes are
/// fixtures, as are the fields as ``PacketJSON`` names them.
struct PacketVector {
    var kind: String
    var name: String
    var value: JSONValue
    var bytes: [UInt8]

    var json: JSONValue {
        [
            "kind": .string(kind), "name": .string(name), "value": value,
            "hex": .string(Hex.string(bytes)),
        ]
    }

    static var golden: [PacketVector] {
        greetings + handshakes + notices + prefixes + headers + numbers
    }

    private static var greetings: [PacketVector] {
        PacketExamples.greetings.map { name, greeting in
            PacketVector(
                kind: "greeting", name: name, value: PacketJSON.value(greeting),
                bytes: greeting.encoded())
        }
    }

    private static var handshakes: [PacketVector] {
        PacketExamples.handshakes.map { name, packet in
            var writer = WireWriter()
            packet.write(to: &writer)
            return PacketVector(
                kind: "handshake", name: name, value: PacketJSON.value(packet), bytes: writer.bytes)
        }
    }

    private static var notices: [PacketVector] {
        (CloseCode.normal.rawValue...CloseCode.busy.rawValue).map { code in
            let notice = NoticePacket(version: 0, code: CloseCode(rawValue: code))
            var writer = WireWriter()
            notice.write(to: &writer)
            return PacketVector(
                kind: "notice", name: "code \(code)", value: PacketJSON.value(notice),
                bytes: writer.bytes)
        }
    }

    private static var prefixes: [PacketVector] {
        var list: [PacketVector] = []
        for (kind, length) in PacketExamples.prefixes {
            list.append(
                PacketVector(
                    kind: "streamPrefix", name: "\(kind) of \(length) bytes",
                    value: ["kind": .whole(kind.rawValue), "length": .whole(length)],
                    bytes: StreamFraming.prefix(of: kind, length: length)))
        }
        return list
    }

    private static var headers: [PacketVector] {
        PacketExamples.headers.map { name, header in
            var writer = WireWriter()
            header.write(to: &writer)
            return PacketVector(
                kind: "datagramHeader", name: name, value: PacketJSON.value(header),
                bytes: writer.bytes)
        }
    }

    /// What a receiver takes the low bytes of a number for.
    private static var numbers: [PacketVector] {
        PacketExamples.numbers.map { largest, number, count in
            var writer = WireWriter()
            writer.fixed(number, count: count)
            return PacketVector(
                kind: "packetNumber",
                name: "\(number) in \(count) bytes, largest \(largest.map { "\($0)" } ?? "none")",
                value: [
                    "largestReceived": largest.map { .whole($0) } ?? nil, "number": .whole(number),
                ],
                bytes: writer.bytes)
        }
    }
}

enum PacketExamples {
    static var greetings: [(String, Greeting)] {
        [("first meeting", firstMeeting), ("three epochs", GreetingTests.example())]
    }

    /// What a phone says that has met nobody: one epoch, nothing in it, the windows of version 0.
    private static var firstMeeting: Greeting {
        let ones = [UInt64](repeating: 1, count: Lane.count)
        return Greeting(
            role: .phone, pairing: PairingID(rawValue: 0x5349_4D55_4C41_544F_5250_4149_5249_4E47),
            highestVersion: 0,
            ownEpochs: [
                Greeting.OwnEpoch(
                    id: EpochID(rawValue: 0x0123_4567_89AB_CDEF), parent: nil,
                    parentHighest: [UInt64](repeating: 0, count: Lane.count), next: ones,
                    floors: ones)
            ], knownEpochs: [],
            offers: Lane.allCases.map { UInt64($0.traits.offerWindow) },
            bytes: Lane.allCases.map { UInt64($0.traits.byteWindow) },
            heldDigests: [UInt64](repeating: 0, count: Lane.count), largestDatagramBytes: 65_536)
    }

    static let handshakes: [(String, HandshakePacket)] = [
        (
            "first flight",
            HandshakePacket(
                version: 0, senderSession: 0x1234_5678, receiverSession: 0,
                flight: firstMeeting.encoded())
        ),
        (
            "answer",
            HandshakePacket(
                version: 0, senderSession: 0x0000_0001, receiverSession: 0x1234_5678,
                flight: GreetingTests.example().encoded())
        ),
        (
            "flight of another version",
            HandshakePacket(
                version: 9, senderSession: 0xFFFF_FFFF, receiverSession: 0x8000_8000,
                flight: [1, 2, 3])
        ),
    ]

    static let prefixes: [(PacketKind, Int)] = [
        (.transport, 0), (.transport, 31), (.transport, 32), (.handshake, 120), (.notice, 2),
        (.transport, 4_095), (.transport, 4_096), (.transport, 65_536),
    ]

    static let headers: [(String, DatagramHeader)] = [
        ("handshake", DatagramHeader(unnumbered: .handshake)),
        ("notice", DatagramHeader(unnumbered: .notice)),
        ("transport where nothing is lost", DatagramHeader(unnumbered: .transport)),
        ("first packet", header(0, acknowledged: nil)),
        ("packet 300", header(300, acknowledged: 298)),
        ("packet 70,000", header(70_000, acknowledged: 69_990)),
        ("packet far above what is acknowledged", header(16_384, acknowledged: 0)),
        (
            "second key phase",
            DatagramHeader(
                kind: .transport, hint: 0xBEEF, number: 7, largestAcknowledged: 5, keyPhase: true)
        ),
    ]

    private static func header(_ number: UInt64, acknowledged: UInt64?) -> DatagramHeader {
        var header = DatagramHeader(
            kind: .transport, hint: 0x5678, number: number, largestAcknowledged: acknowledged)
        // As it travels: the low bytes.
        header.number &= (1 << UInt64(8 * header.numberBytes)) - 1
        return header
    }

    /// Largest number received, number, bytes it travels in.
    static let numbers: [(UInt64?, UInt64, Int)] = [
        (nil, 0, 2), (nil, 3, 2), (0, 1, 2), (65_534, 65_536, 2), (65_537, 65_535, 2),
        (70_000, 69_000, 2), (98_303, 131_072, 2), (98_302, 65_536, 2),
        (4_294_967_295, 4_294_967_296, 4), (100, 1 << 20, 4),
    ]
}

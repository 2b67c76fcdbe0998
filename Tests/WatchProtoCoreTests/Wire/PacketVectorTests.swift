import Articles
import Testing

@testable import WatchProtoCore

/// The packets, hellos and unsealed handshakes of `Fixtures/wire` are what the code writes and
/// reads.
@Suite("Vectors of packets")
struct PacketVectorTests {
    private static let id = ConnectionID(rawValue: 0x0403_0201)
    private static let mac: UInt128 = 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF
    private static let datagram = CarrierTraits(
        framing: .datagram(largestBytes: 1200), isLossy: true)
    private static let seqpacket = CarrierTraits(framing: .datagram(largestBytes: 1200))
    private static let carriers = [
        ("stream", CarrierTraits.stream), ("seqpacket", seqpacket), ("datagram", datagram),
    ]

    @Test("Packets without keys: refusal, reset, advisory, pairing, on each carrier")
    func plain() throws {
        let mac = Hex.string(bytes { $0.uint128(Self.mac) })
        let packets: [(PacketKind, [UInt8], String, String)] = [
            (
                .refusal,
                bytes {
                    RefusalPacket(connectionID: Self.id, highest: 300, mac: Self.mac)
                        .write(to: &$0)
                }, "refusal id=01020304 highest=300 mac=\(mac)", "C-14"
            ),
            (
                .advisory, bytes { AdvisoryPacket(version: 1, code: .pairing).write(to: &$0) },
                "advisory version=1 code=8", "C-36"
            ),
            (
                .pairing, bytes { PairingPacket.message([1, 2]).write(version: 1, to: &$0) },
                "pairing version=1 form=0 message=0102", "W-11"
            ),
            (
                .pairing,
                bytes { PairingPacket.messageWithCookie(Self.mac, [1]).write(version: 1, to: &$0) },
                "pairing version=1 form=1 cookie=\(mac) message=01", "C-43"
            ),
            (
                .pairing, bytes { PairingPacket.cookie(Self.mac).write(version: 1, to: &$0) },
                "pairing version=1 form=2 cookie=\(mac)", "C-43"
            ),
        ]
        var lines: [[String]] = []
        for (kind, body, fields, rules) in packets {
            for (name, carrier) in Self.carriers {
                let packet = PacketFraming.plain(kind, body, carrier: carrier)
                lines.append([name, fields, Hex.string(packet), rules])
            }
        }
        let reset = bytes { ResetPacket(connectionID: Self.id, token: Self.mac).write(to: &$0) }
        lines.append([
            "datagram", "reset id=01020304 token=\(mac)",
            Hex.string(PacketFraming.plain(.reset, reset, carrier: Self.datagram)), "C-33",
        ])
        let head = "# Packets without keys: carrier, fields, bytes (hexadecimal), rules shown."
        #expect(try WireFixture.rows("packets.tsv", head, lines) == lines)
    }

    @Test("W-7, W-8, W-9: headers, prefixes and numbers that are cut")
    func headers() throws {
        var lines: [[String]] = []
        for kind in PacketKind.allCases {
            for length in [0, 15, 16, 65_536] {
                let prefix = Hex.string(StreamFraming.prefix(of: kind, length: length))
                lines.append(["prefix kind=\(kind.rawValue) length=\(length)", prefix, "W-7"])
            }
        }
        for (number, acknowledged, phase) in [
            (5, nil, false), (0x1_2345, 0x1_2340, true), (0x9_8765, 2, true),
        ] as [(UInt64, UInt64?, Bool)] {
            let header = DatagramHeader(
                kind: .transport, connectionID: Self.id, number: number,
                largestAcknowledged: acknowledged, keyPhase: phase)
            let fields = "header id=01020304 number=\(number) bytes=\(header.numberBytes) "
            lines.append([
                fields + "phase=\(phase ? 1 : 0)", Hex.string(bytes { header.write(to: &$0) }),
                "W-8 C-5",
            ])
        }
        for (low, count, largest) in [
            (0x2345, 2, nil), (0x2345, 2, 0x1_2300), (0x0001, 2, 0xFFFF), (0xFFFE, 2, 0x1_0003),
            (0x8000, 2, 0x7FFF), (0x0000_0001, 4, 0xFFFF_FFFF),
        ] as [(UInt64, Int, UInt64?)] {
            var header = DatagramHeader(unnumbered: .transport)
            header.number = low
            header.numberBytes = count
            let after = largest.map { "\($0)" } ?? "none"
            lines.append([
                "number low=\(low) bytes=\(count) largest=\(after)",
                "\(header.number(near: largest))", "W-9",
            ])
        }
        let head = "# Prefixes and headers: fields, bytes; cut numbers: fields, whole number."
        #expect(try WireFixture.rows("headers.tsv", head, lines) == lines)
    }

    @Test("Hellos: bytes, and what is read from them")
    func hellos() throws {
        let epoch = EpochID(rawValue: 0x99)
        let lines = HelloExample.all.map { example in
            [example.fields, Hex.string(bytes { example.hello.write(to: &$0) }), example.rules]
        }
        let head = "# Hellos: fields, bytes, rules shown. The epoch beside them is 99."
        let rows = try WireFixture.rows("hellos.tsv", head, lines)
        #expect(rows == lines)
        for (row, example) in zip(rows, HelloExample.all) {
            let bytes = try #require(Hex.bytes(row[1]))
            var reader = WireReader(bytes.span)
            let isAnswer = example.hello.answer != nil
            let hello = try Hello.read(&reader, epoch: epoch, isAnswer: isAnswer)
            let isWhole = reader.isAtEnd
            #expect(isWhole)
            #expect(hello == example.hello, "\(row[0])")
        }
    }

    @Test("W-14, W-15: an unsealed handshake, byte by byte")
    func unsealed() throws {
        let pairing = PairingID(rawValue: Self.mac)
        let phone = PeerLabel(role: .phone, pairing: pairing)
        var initiator = NullSecurity(phone, seed: 1)
        var responder = NullSecurity(phone.counterpart, seed: 2)
        let hello = bytes { Hello(tickets: TicketPresentation()).write(to: &$0) }
        let first = InitiationPayload(epoch: EpochID(rawValue: 0x99), hello: hello).encoded
        let initiation = try initiator.initiate(Self.id, counter: 300, payload: first)
        var opened = try responder.open(initiation.message)
        let second = ResponsePayload(
            connectionID: ConnectionID(rawValue: 0x0807_0605), epoch: EpochID(rawValue: 0x77),
            keepsTicket: false, counter: 5,
            hello: bytes {
                Hello(tickets: TicketPresentation(), answer: .emptyHistory).write(to: &$0)
            }
        ).encoded
        let (body, keys) = try opened.respond(second)
        let refusal = responder.refusalMAC(of: initiation.message, naming: 700)
        let lines = [
            ["message 1", Hex.string(bytes { initiation.message.write(to: &$0) }), "W-14 S-19"],
            ["payload of message 1", Hex.string(first), "W-12"],
            [
                "message 2",
                Hex.string(
                    bytes { ResponsePacket(connectionID: Self.id, body: body).write(to: &$0) }),
                "W-16",
            ],
            ["payload of message 2", Hex.string(second), "W-13"],
            ["ticket", "\(keys.ticket.rawValue)", "W-15"],
            [
                "refusal, counter 700",
                Hex.string(
                    bytes {
                        RefusalPacket(connectionID: Self.id, highest: 700, mac: refusal)
                            .write(to: &$0)
                    }), "W-15",
            ],
        ]
        let head = "# An unsealed handshake: the phone initiates; version and ID stand in front."
        #expect(try WireFixture.rows("unsealed.tsv", head, lines) == lines)
    }

    private func bytes(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }
}

/// One hello of the fixture, and its fields in words.
private struct HelloExample {
    let hello: Hello
    let fields: String
    let rules: String

    private static func example(
        _ fields: String, _ rules: String, answer: TicketAnswer? = nil,
        _ change: (inout Hello) -> Void
    ) -> HelloExample {
        var hello = Hello(tickets: TicketPresentation(), answer: answer)
        change(&hello)
        return HelloExample(hello: hello, fields: fields, rules: rules)
    }

    private static let other = EpochID(rawValue: 0x0102_0304_0506_0708)

    static let all = [
        example("T=0 n=0 m=0", "W-18") { _ in },
        example("T=7 n=300 m=2 answer=1", "I-64 I-70", answer: .held) { hello in
            hello.tickets.common = Ticket(rawValue: 7)
            hello.tickets.position = 300
            hello.tickets.counterpartPosition = 2
        },
        example("T=0 n=0 m=0 N=8 n'=1", "M-1") { hello in
            hello.tickets.pending = Ticket(rawValue: 8)
            hello.tickets.pendingPosition = 1
        },
        example("T=0 n=0 m=0 present=2:0-1 count=0", "M-2") { hello in
            hello.present = ListedEpoch(
                id: EpochID(rawValue: 0x99), announcedEnd: nil,
                numbers: [.init(channel: .background, last: 1, watermark: 0)])
        },
        example(
            "T=0 n=0 m=0 present=/200 newest=0102030405060708/9 count=2 "
                + "earlier=0102030405060708/4:3-5", "I-71"
        ) { hello in
            hello.present = ListedEpoch(
                id: EpochID(rawValue: 0x99), announcedEnd: 200, numbers: [])
            hello.newestConfirmed = Hello.Reserved(id: other, end: 9)
            hello.earlier = [
                ListedEpoch(
                    id: other, announcedEnd: nil,
                    numbers: [.init(channel: .bulk, last: 5, watermark: 3)])
            ]
            hello.earlierCount = 2
        },
        example(
            "T=0 n=0 m=0 taken=0102030405060708/2:9 complete=0 top=0102030405060708/12 "
                + "digest=0000000000000055 answer=3", "I-70",
            answer: .emptyHistory
        ) { hello in
            hello.taken = [Hello.Taken(epoch: other, channel: .background, through: 9)]
            hello.takenIsComplete = false
            hello.held = HeldPresentation(
                top: VersionMark(epoch: other, version: 12), digest: 0x55)
        },
        example(
            "T=0 n=0 m=0 present=/2048 newest=0102030405060708/1024 count=1 "
                + "earlier=0102030405060708", "W-17"
        ) { hello in
            hello.present = ListedEpoch(
                id: EpochID(rawValue: 0x99), announcedEnd: 2048, numbers: [])
            hello.newestConfirmed = Hello.Reserved(id: other, end: 1024)
            hello.earlier = [ListedEpoch(id: other, announcedEnd: nil, numbers: [])]
            hello.earlierCount = 1
        },
        example(
            "T=0 n=0 m=0 top=0 digest=0000000000000009 answer=0", "W-20", answer: .notHeld
        ) { hello in hello.held = HeldPresentation(top: nil, digest: 9) },
    ]
}

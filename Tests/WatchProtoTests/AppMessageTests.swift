import Testing
import WatchProtoCore

@testable import WatchProto

/// The bytes of the messages between two libraries.
@Suite struct AppMessageTests {
    @Test("A status of an application has the bytes that the article says, and is read back")
    func bytes() throws {
        let place = ComplicationID(rawValue: 0x0102_0304)
        let messages: [(AppStatus, [UInt8])] = [
            (AppStatus(isForeground: false), [0]),
            (AppStatus(), [1]),
            (AppStatus(isForeground: false, activePlaces: []), [2]),
            (AppStatus(activePlaces: [place, .main]), [3, 0, 0, 0, 0, 4, 3, 2, 1]),
            (AppStatus(capabilities: ["b", "ä", "ab"]), [5, 3, 2, 97, 98, 1, 98, 2, 195, 164]),
            (
                AppStatus(isForeground: false, capabilities: ["a"], activePlaces: [.main]),
                [6, 1, 1, 97, 0, 0, 0, 0]
            ),
        ]
        for (status, bytes) in messages {
            #expect(try AppMessage.status(status).encoded() == bytes)
            #expect(try AppMessage(bytes) == .status(status))
        }
        #expect(try AppMessage.asksWhetherAnythingWaits.encoded() == [8])
        #expect(try AppMessage([8]) == .asksWhetherAnythingWaits)
    }

    @Test("Messages are asked about, and answered for, by their identities")
    func identities() throws {
        let parts: [(UInt64, UInt64)] = [(0x0102, 300), (7, 1)]
        let ids = parts.map { epoch, number in
            RecordID(
                epoch: EpochID(rawValue: epoch), channel: .interactive,
                number: RecordNumber(number))
        }
        let bytes: [UInt8] = [2, 1, 0, 0, 0, 0, 0, 0, 0xAC, 2, 7, 0, 0, 0, 0, 0, 0, 0, 1]
        for (about, mark) in [(AppMessage.About.asked, 16), (.given, 32), (.missing, 64)] {
            let message = AppMessage.messages(about, ids)
            #expect(try message.encoded() == [UInt8(mark)] + bytes)
            #expect(try AppMessage([UInt8(mark)] + bytes) == message)
        }
        let many = (1...401 as ClosedRange<UInt64>).map { number in
            RecordID(
                epoch: EpochID(rawValue: .max), channel: .interactive,
                number: RecordNumber(RecordNumber.largest - number))
        }
        let drafts = AppMessage.drafts(.asked, many)
        #expect(drafts.map(\.payload).allSatisfy { $0.count <= AppMessage.byteLimit })
        #expect(
            try drafts.map { try AppMessage($0.payload) } == [
                .messages(.asked, Array(many[..<200])), .messages(.asked, Array(many[200..<400])),
                .messages(.asked, [many[400]]),
            ])
        #expect(AppMessage.drafts(.asked, []).isEmpty)
    }

    @Test("More than 64 places are all places")
    func manyPlaces() throws {
        let most = Set((0..<64 as Range<UInt32>).map { ComplicationID(rawValue: $0) })
        let bytes = try AppMessage.status(AppStatus(activePlaces: most)).encoded()
        #expect(try AppMessage(bytes) == .status(AppStatus(activePlaces: most)))
        let more = most.union([ComplicationID(rawValue: 64)])
        #expect(try AppMessage.status(AppStatus(activePlaces: more)).encoded() == [1])
    }

    private static let tooMany: [UInt8] =
        [16] + Array(repeatElement([1, 0, 0, 0, 0, 0, 0, 0, 1] as [UInt8], count: 201).joined())

    @Test(
        "Other bytes are refused",
        arguments: [
            [], [9], [16], [8, 0], [0, 0], [1, 0, 0, 0, 0], [2, 0, 0, 0],
            [2, 1, 0, 0, 0, 1, 0, 0, 0], [2, 1, 0, 0, 0, 0, 0, 0, 0],
            [2] + [UInt8](repeating: 0, count: 260),
            // No name, an empty one, a repeated one, two that fall, one that is cut, no UTF-8.
            [4, 0], [4, 1, 0], [4, 2, 1, 97, 1, 97], [4, 2, 1, 98, 1, 97], [4, 1, 2, 97],
            [4, 1, 1, 255], [4, 1, 1, 97, 0], [4, 255, 255, 3],
            // No message, one that is cut, one without a number, too many.
            [32], [64, 0, 0, 0, 0, 0, 0, 0, 0], [16, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            AppMessageTests.tooMany,
        ] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        #expect(throws: WireError.self) { try AppMessage(bytes) }
    }

    @Test("Names that do not fit a message are refused, and nothing of them is kept")
    func longNames() throws {
        let exchange = AppExchange()
        try exchange.report(AppStatus(capabilities: [String(repeating: "a", count: 255)]))
        for names in [
            [""], [String(repeating: "a", count: 256)],
            (100..<400).map { String(repeating: "a", count: 20) + "\($0)" },
        ] {
            #expect(throws: EncodingRefusal.self) {
                try exchange.report(AppStatus(capabilities: Set(names)))
            }
        }
        #expect(exchange.own?.capabilities.count == 1)
    }

    @Test("A message to a capability is read back; one without a name is refused")
    func request() throws {
        let request = AppRequest(to: "refill", [1, 2])
        #expect(request.bytes == [6] + Array("refill".utf8) + [1, 2])
        #expect(try AppRequest(request.bytes) == request)
        for bytes in [[], [0], [2, 97], [1, 255]] as [[UInt8]] {
            #expect(throws: WireError.self) { try AppRequest(bytes) }
        }
    }

    @Test("An identity is written and read, for an outcome after a restart")
    func identity() {
        let id = RecordID(
            epoch: EpochID(rawValue: 0xA1), channel: .context, number: RecordNumber(7))
        #expect(String(describing: id) == "7 context 00000000000000a1")
        #expect(RecordID(String(describing: id)) == id)
        for text in ["", "7 context", "7 context a1", "7 context 00000000000000A1", "x y z"] {
            #expect(RecordID(text) == nil, "\(text)")
        }
    }
}

import Testing
import WatchProtoCore

@testable import WatchProto

/// The bytes of offers and of messages about blocks, by the article on files.
@Suite struct FileMessageTests {
    private let offer = FileOffer(
        size: 300, hash: (0..<32).map { UInt8($0) }, name: "a.jpg", metadata: [9])

    @Test func an_offer_is_as_the_article_says() throws {
        let bytes = offer.bytes
        #expect(Array(bytes.suffix(7)) == [5] + Array("a.jpg".utf8) + [9])
        #expect(bytes.count == 2 + 32 + 7)
        #expect(try FileOffer(bytes) == offer)
    }

    @Test(arguments: [
        "", ".", "..", ".hidden", "a/b", "a/\u{301}b", "\u{600}/", "a\\b", "a\u{0}", "a\n",
        String(repeating: "a", count: 256),
    ])
    func a_name_that_is_a_path_or_hidden_is_refused(_ name: String) {
        #expect(!FileOffer.isName(name))
        guard name.utf8.count < 256 else { return }
        var bad = offer
        bad.name = name
        #expect(throws: WireError.self) { try FileOffer(bad.bytes) }
    }

    @Test func names_of_all_scripts_are_taken() throws {
        for name in ["Röntgen.pdf", "薬.jpg", "a b (1).txt", "e\u{301}.txt"] {
            var good = offer
            good.name = name
            #expect(try FileOffer(good.bytes).name.utf8.elementsEqual(name.utf8))
        }
    }

    @Test func messages_are_as_the_article_says() throws {
        let messages: [(FileMessage, [UInt8])] = [
            (
                .wanted(offset: 5, count: 9_000, blockBytes: 8_192, durable: 4),
                [1, 5, 0xA8, 0x46, 0x80, 0x40, 4]
            ),
            (.block(offset: 7, [1, 2]), [2, 7, 1, 2]), (.stopped(.paused), [3, 1]),
            (.stopped(.cancelled), [3, 2]), (.stopped(.changed), [3, 3]),
            (.stopped(.unreadable), [3, 4]), (.resumed, [4]),
        ]
        for (message, start) in messages {
            let bytes = message.bytes(of: 3)
            #expect(Array(bytes.prefix(16)) == [UInt8](repeating: 0, count: 15) + [3])
            #expect(bytes.dropFirst(16).starts(with: start))
            let read = try FileMessage.read(bytes)
            #expect(read.file == 3 && read.message == message)
        }
    }

    @Test func hostile_bytes_are_refused_or_read_and_nothing_else() {
        var random = SeededGenerator(seed: 26)
        for _ in 0..<20_000 {
            let count = Int(random.next() % 80)
            var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if count > 16 { bytes[16] = UInt8(random.next() % 6) }
            if let (file, message) = try? FileMessage.read(bytes) {
                if case .wanted(_, let count, let size, _) = message {
                    #expect(count <= FileMessage.largestCount)
                    #expect(FileMessage.blockSizes.contains(size))
                }
                _ = message.bytes(of: file)
            }
            if let offer = try? FileOffer(bytes) { #expect(FileOffer.isName(offer.name)) }
        }
    }
}

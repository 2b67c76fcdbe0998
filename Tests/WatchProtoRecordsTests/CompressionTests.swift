import Testing
import WatchProtoCore
import WatchProtoRecords

/// Compressed contexts (rules F-28, F-29 and F-32): what is coded comes back, and hostile bytes
/// cost nothing.
@Suite struct CompressionTests {
    private static let limit = Channel.context.traits.recordByteLimit

    private func text(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let words = ["take", "one", "tablet", "with", "water", "daily", "\n", "5 mg"]
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += Array(words[Int(random.next() % 8)].utf8) + [32] }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: [1_025, 2_000, 60_000, 262_144])
    func a_context_comes_back_as_it_was(_ count: Int) throws {
        for content in [[UInt8](repeating: 0, count: count), text(count)] {
            let frame = try #require(Zstandard.compress(content))
            #expect(frame.count < count * 7 / 8 + 1)
            #expect(Zstandard.decompress(frame, atMost: Self.limit) == content)
            #expect(Zstandard.decompress(frame, atMost: count - 1) == nil)
        }
    }

    @Test func sixty_thousand_zeros_are_a_few_bytes() throws {
        let frame = try #require(Zstandard.compress([UInt8](repeating: 0, count: 60_000)))
        #expect(frame.count < 40)
    }

    @Test("F-32: a context has the same frame, whatever was compressed before it")
    func each_context_is_compressed_alone() throws {
        let content = text(20_000)
        let first = try #require(Zstandard.compress(content))
        _ = Zstandard.compress(content + text(5_000, 7))
        #expect(Zstandard.compress(content) == first)
        #expect(Zstandard.decompress(first, atMost: Self.limit) == content)
    }

    @Test func content_that_does_not_shrink_is_not_compressed() {
        var random = SeededGenerator(seed: 2)
        let content = (0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        #expect(Zstandard.compress(content) == nil)
        #expect(Zstandard.compress([]) == nil && Zstandard.compress([1]) == nil)
    }

    @Test func small_contexts_and_deltas_have_no_coding() throws {
        let coding = try #require(RecordKinds.product[.applicationContext]?.coding)
        let (key, reference) = (RecordKey(rawValue: 0), CodingReference())
        let small = [UInt8](repeating: 0, count: 1_024)
        #expect(coding.encode(small, key, nil, reference) == nil)
        #expect(coding.encode(text(5_000), key, small, reference) == nil)
        let frame = try #require(coding.encode(text(5_000), key, nil, reference))
        #expect(coding.decode(frame, key, nil, reference) == text(5_000))
        #expect(coding.decode(frame, key, small, reference) == nil)
        // A frame of a content that is not compressed is refused, so each context has one form.
        let other = try #require(Zstandard.compress(small))
        #expect(coding.decode(other, key, nil, reference) == nil)
    }

    @Test func a_bomb_more_frames_or_less_are_refused() throws {
        let frame = try #require(Zstandard.compress(text(5_000)))
        #expect(Zstandard.decompress(frame + [0], atMost: Self.limit) == nil)
        #expect(Zstandard.decompress(frame + frame, atMost: Self.limit) == nil)
        for count in 0..<frame.count {
            #expect(Zstandard.decompress(Array(frame.prefix(count)), atMost: Self.limit) == nil)
        }
        // RFC 8878: magic number, a descriptor, and a size of 2⁴⁰ - 1 or none at all.
        let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        let end: [UInt8] = [1, 0, 0]
        let huge = magic + [0xE0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0] + end
        #expect(Zstandard.decompress(huge, atMost: Self.limit) == nil)
        #expect(Zstandard.decompress(magic + [0x00, 0x58] + end, atMost: Self.limit) == nil)
        // A skippable frame has no content.
        let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
        #expect(Zstandard.decompress(skippable, atMost: Self.limit) == nil)
        // A frame of the format before RFC 8878, which the library reads as well.
        let legacy: [UInt8] = [0x27, 0xB5, 0x2F, 0xFD, 0x20, 4, 0x40, 0, 4, 1, 2, 3, 4, 0xC0, 0, 0]
        #expect(Zstandard.decompress(legacy, atMost: Self.limit) == nil)
        // It says that it has 100 bytes, and has 4,000 zeros in a block of one repeated byte.
        let rle: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 100, 0x03, 0x7D, 0x00, 0]
        #expect(Zstandard.decompress(rle, atMost: Self.limit) == nil)
    }

    @Test func changed_bytes_give_nothing_or_another_content_within_the_limit() throws {
        let content = text(20_000)
        let frame = try #require(Zstandard.compress(content))
        var random = SeededGenerator(seed: 3)
        var refused = 0
        for _ in 0..<3_000 {
            var bytes = frame
            for _ in 0..<(1 + random.next() % 3) {
                bytes[Int(random.next() % UInt64(bytes.count))] ^=
                    UInt8(truncatingIfNeeded: 1 + random.next() % 255)
            }
            guard let other = Zstandard.decompress(bytes, atMost: Self.limit) else {
                refused += 1
                continue
            }
            #expect(other.count <= Self.limit)
        }
        #expect(refused > 300)
    }
}

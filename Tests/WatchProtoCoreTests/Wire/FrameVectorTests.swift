import Articles
import Testing

@testable import WatchProtoCore

/// The frames of `Fixtures/wire` are what the code writes and reads.
@Suite("Vectors of frames")
struct FrameVectorTests {
    @Test("Every example has its bytes in the fixture, and is read from them")
    func golden() throws {
        let lines = FrameExample.all.map { example in
            [example.fields, Hex.string(bytes(example.frame)), example.rules]
        }
        let head =
            "# Frames: fields, bytes (hexadecimal), rules shown. Written by FrameVectorTests."
        let rows = try WireFixture.rows("frames.tsv", head, lines)
        #expect(rows == lines)
        for (row, example) in zip(rows, FrameExample.all) {
            let bytes = try #require(Hex.bytes(row[1]))
            #expect(read(bytes) == example.frame, "\(row[0])")
        }
    }

    @Test("Every type of frame has an example")
    func everyType() {
        let types = FrameExample.all.map { FrameType(code: bytes($0.frame)[0]) }
        for type in FrameType.allCases { #expect(types.contains(type), "\(type)") }
    }

    @Test("A frame is refused at the offset and for the reason that the fixture gives")
    func rejected() throws {
        let lines = RejectedFrame.all.map { rejected -> [String] in
            let error = self.error(rejected.bytes)
            return [
                rejected.why, Hex.string(rejected.bytes), error.map { "\($0.rule)" } ?? "read",
                "\(error?.offset ?? -1)", rejected.rules,
            ]
        }
        #expect(lines.filter { $0[2] == "read" } == [])
        let head = "# Refused: why, bytes, broken rule of reading, its offset, rules shown."
        #expect(try WireFixture.rows("frames-rejected.tsv", head, lines) == lines)
    }

    @Test("F-1: an unknown type from 0x40 on is skipped with its length")
    func skipped() {
        #expect(read([0x7F, 2, 1, 1]) == .skipped)
        #expect(error([0x7F, 3, 1, 1])?.rule == .truncated)
        #expect(error([0x07, 0])?.rule == .unknownCode)
    }

    private func read(_ bytes: [UInt8]) -> Frame? {
        var reader = WireReader(bytes.span)
        guard let frame = try? Frame.read(&reader).frame, reader.isAtEnd else {
            return nil
        }
        return frame
    }

    private func error(_ bytes: [UInt8]) -> WireError? {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            _ = try Frame.read(&reader)
            try reader.finish("end of the packet")
            return nil
        } catch {
            return error
        }
    }

    private func bytes(_ frame: Frame) -> [UInt8] { WireFixture.bytes(frame) }
}

/// Files of `Fixtures/wire`.
enum WireFixture {
    /// The rows of a fixture, written anew first where `WATCHPROTO_WRITE_FIXTURES` is set.
    static func rows(_ name: String, _ head: String, _ lines: [[String]]) throws -> [[String]] {
        try FixtureFiles.rows("wire/" + name, head, lines)
    }

    /// The bytes of a frame, its type included.
    static func bytes(_ frame: Frame) -> [UInt8] {
        var writer = WireWriter()
        frame.write(to: &writer)
        return writer.bytes
    }
}

import Articles
import Foundation
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

    @Test("What must be refused is refused, where the fixture says and for its reason")
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
        guard let frame = try? Frame.read(&reader, limits: Limits()).frame, reader.isAtEnd else {
            return nil
        }
        return frame
    }

    private func error(_ bytes: [UInt8]) -> WireError? {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            _ = try Frame.read(&reader, limits: Limits())
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
        let path = "wire/" + name
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil {
            let text = ([head] + lines.map { $0.joined(separator: "\t") }).joined(separator: "\n")
            try (text + "\n").write(
                to: FixtureFiles.root.appendingPathComponent("Fixtures/" + path), atomically: true,
                encoding: .utf8)
        }
        return try FixtureFiles.rows(path)
    }

    /// The bytes of a frame, its type included.
    static func bytes(_ frame: Frame) -> [UInt8] {
        var writer = WireWriter()
        switch frame {
        case .padding: writer.byte(FrameType.padding.rawValue)
        case .keyUpdate: writer.byte(FrameType.keyUpdate.rawValue)
        case .skipped: break
        case .ping(let frame): frame.write(to: &writer)
        case .close(let frame): frame.write(to: &writer)
        case .ack(let frame): frame.write(to: &writer)
        case .earlyData(let frame): frame.write(to: &writer)
        case .position(let frame): frame.write(to: &writer)
        case .epochs(let frame): frame.write(to: &writer)
        case .ticketAnswer(let frame): frame.write(to: &writer)
        case .record(let frame): frame.write(to: &writer)
        case .value(let frame): frame.write(to: &writer)
        case .fragment(let frame): frame.write(to: &writer)
        case .credit(let frame): frame.write(to: &writer)
        case .tryLater(let frame): frame.write(to: &writer)
        case .needBase(let frame): frame.write(to: &writer)
        case .cancel(let frame): frame.write(to: &writer)
        case .received(let frame): frame.write(to: &writer)
        case .heldQuery(let frame): frame.write(to: &writer)
        case .valueQuery(let frame): frame.write(to: &writer)
        case .nothingLost(let frame): frame.write(to: &writer)
        case .acknowledgement(let frame): frame.write(to: &writer)
        case .outcome(let frame): frame.write(to: &writer)
        case .watermark(let frame): frame.write(to: &writer)
        case .epochOver(let frame): frame.write(to: &writer)
        case .epochClosed(let frame): frame.write(to: &writer)
        case .epochsKnown(let frame): frame.write(to: &writer)
        case .epochHeld(let frame): frame.write(to: &writer)
        case .valueAcknowledgement(let frame): frame.write(to: &writer)
        case .valueOutcome(let frame): frame.write(to: &writer)
        case .mended(let frame): frame.write(to: &writer)
        case .heldDigest(let frame): frame.write(to: &writer)
        case .held(let frame): frame.write(to: &writer)
        case .heldValue(let frame): frame.write(to: &writer)
        case .removalFloor(let frame): frame.write(to: &writer)
        case .arrival(let frame): frame.write(to: &writer)
        case .repair(let frame): frame.write(to: &writer)
        }
        return writer.bytes
    }
}

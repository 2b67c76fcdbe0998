import Articles
import Foundation
import Testing

@testable import FormerCore

/// Every frame example three ways: whole, cut at every byte, with bytes behind it.
@Suite struct FrameTests {
    static let limits = Limits()

    static func bytes(of frame: Frame) -> [UInt8] {
        var writer = WireWriter()
        frame.write(to: &writer, limits: limits)
        return writer.bytes
    }

    static func read(_ bytes: [UInt8]) throws(WireError) -> (Frame, rest: Int) {
        var reader = WireReader(bytes.span)
        let frame = try Frame.read(&reader, limits: limits)
        return (frame, reader.remaining)
    }

    @Test func examples_come_back_whole() throws {
        for (name, frame) in FrameExamples.all {
            let (read, rest) = try Self.read(Self.bytes(of: frame))
            #expect(read == frame, "\(name)")
            #expect(rest == 0, "\(name)")
        }
    }

    @Test func examples_cut_short_are_refused() {
        for (name, frame) in FrameExamples.all {
            let bytes = Self.bytes(of: frame)
            if case .padding = frame { continue }
            if Self.isToItsEnd(frame) { continue }
            for count in 0..<bytes.count {
                #expect(throws: WireError.self, "\(name) cut at \(count)") {
                    try Self.read(Array(bytes[..<count]))
                }
            }
        }
    }

    /// One that ends with its packet is a shorter piece where that was cut, and a longer one where
    /// more stands behind it.
    private static func isToItsEnd(_ frame: Frame) -> Bool {
        if case .part(let part) = frame { part.totalBytes == nil } else { false }
    }

    @Test func a_further_part_ends_with_its_packet() throws {
        var seen = 0
        for (name, frame) in FrameExamples.all {
            guard case .part(var part) = frame, part.totalBytes == nil else { continue }
            seen += 1
            let bytes = Self.bytes(of: frame)
            for count in 0..<(bytes.count - 2) {
                #expect(throws: WireError.self, "\(name) cut at \(count)") {
                    try Self.read(Array(bytes[..<count]))
                }
            }
            let piece = part.bytes
            part.bytes = Array(piece[..<1])
            #expect(try Self.read(bytes.dropLast(2)).0 == .part(part))
            part.bytes = piece + [1, 5]
            let (read, rest) = try Self.read(bytes + [1, 5])
            #expect(read == .part(part) && rest == 0)
        }
        #expect(seen == 2)
    }

    @Test func bytes_behind_a_frame_are_left_alone() throws {
        for (name, frame) in FrameExamples.all where !Self.isToItsEnd(frame) {
            let (read, rest) = try Self.read(Self.bytes(of: frame) + [0x01, 0x05])
            #expect(read == frame, "\(name)")
            #expect(rest == 2, "\(name)")
        }
    }

    @Test func golden_bytes_do_not_change() throws {
        let written = FrameExamples.all.map { [$0.name, Hex.string(Self.bytes(of: $0.frame))] }
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil {
            let lines = written.map { $0.joined(separator: "\t") }
            let head =
                "# One of every frame: name, bytes. Written by FrameTests from FrameExamples."
            try ([head] + lines).joined(separator: "\n").appending("\n").write(
                to: FixtureFiles.root.appendingPathComponent("Fixtures/wire/frames/golden.tsv"),
                atomically: true, encoding: .utf8)
        }
        let rows = try FixtureFiles.rows("wire/frames/golden.tsv")
        #expect(rows == written, "the wire has changed: that needs a new version")
    }

    @Test func what_must_be_rejected_is() throws {
        let rows = try FixtureFiles.rows("wire/frames/rejected.tsv")
        #expect(rows.count >= 20)
        for row in rows {
            let bytes = try #require(Hex.bytes(row[1]), "\(row[0])")
            do throws(WireError) {
                let (frame, rest) = try Self.read(bytes)
                Issue.record("\(row[0]): read as \(frame), \(rest) bytes left")
            } catch {
                #expect("\(error.rule)" == row[2], "\(row[0]): \(error)")
                #expect(String(error.offset) == row[3], "\(row[0]): \(error)")
            }
        }
    }

    /// One value, one byte string: whatever is read writes back to the same bytes.
    @Test func random_damage_is_refused_or_means_itself() throws {
        var generator = SeededGenerator(seed: 11)
        for (name, frame) in FrameExamples.all {
            let original = Self.bytes(of: frame)
            for _ in 0..<400 {
                var bytes = original
                let place = Int(generator.uniform(in: 0...UInt64(bytes.count - 1)))
                bytes[place] ^= UInt8(1 << generator.uniform(in: 0...7))
                guard let (read, rest) = try? Self.read(bytes) else { continue }
                if case .skipped = read { continue }
                #expect(
                    Self.bytes(of: read) == Array(bytes[..<(bytes.count - rest)]),
                    "\(name): \(Hex.string(bytes))")
            }
        }
    }
}

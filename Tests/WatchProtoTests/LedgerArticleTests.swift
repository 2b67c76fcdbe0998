import Foundation
import Testing

@testable import WatchProto

/// The worked example of the article *The dose ledger*.
@Suite struct LedgerArticleTests {
    @Test("The example's questions and answer have the article's bytes (D-8, D-9, D-10, D-11)")
    func example() throws {
        let payload = try vector("taken")
        let event = try DoseEvent(decoding: payload)
        var digest = LedgerDigest()
        digest.insert(payload)
        #expect(
            try bytes("| phone | compare: 1")
                == LedgerRequest.compare(digest, at: event.time.wall).bytes)
        let identity = event.id.rawValue
        let bucket = LedgerDigest.range(of: LedgerDigest.bucket(of: identity))
        let range = LedgerRequest.range(
            first: bucket.lowerBound, last: bucket.upperBound, [identity])
        #expect(try bytes("| phone | range") == range.bytes)
        #expect(try bytes("| watch | lacks") == LedgerReply.lacks([identity]).bytes)
        #expect(try bytes("| watch | call") == LedgerRequest.call.bytes)
        #expect(try bytes("| watch | equal") == LedgerReply.equal.bytes)
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func lines(_ path: String) throws -> [Substring] {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
            .split(separator: "\n")
    }

    /// The bytes in the last cell of the row that begins with `start`.
    private func bytes(_ start: String) throws -> [UInt8] {
        let lines = try lines("Sources/WatchProto/WatchProto.docc/dose-ledger.md")
        let cell = try #require(lines.first { $0.hasPrefix(start) }?.split(separator: "|").last)
        return hex(cell.filter { $0.isHexDigit })
    }

    /// The bytes of a dose event among the vectors.
    private func vector(_ name: String) throws -> [UInt8] {
        let start = #"{"kind":"doseEvent","name":"\#(name)","#
        let line = try #require(
            try lines("Fixtures/wire/records/golden.json").first { $0.hasPrefix(start) })
        return hex(try #require(line.firstMatch(of: /"hex":"([0-9a-f]+)"/)).output.1)
    }

    private func hex(_ digits: some StringProtocol) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
    }
}

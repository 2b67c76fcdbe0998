import Foundation
import Testing

@testable import WatchProto

/// The worked example of the article *The dose ledger*.
@Suite struct LedgerArticleTests {
    @Test("The example's messages have the article's bytes (D-8, D-9, D-10, D-11, D-27)")
    func example() throws {
        let payload = try vector("taken")
        let event = try DoseEvent(decoding: payload)
        let phone = try MemoryLedger(of: [event])
        let salt = LedgerSalt(byte: 7)
        var comparison = LedgerComparison(begunAt: event.time.wall, salt: salt)
        let compare = try comparison.begin(phone)
        #expect(try bytes("| phone | compare: 1") == compare.bytes)
        // The watch's event is made up by its fingerprint.
        var other = LedgerDigest()
        other.insert(0xF000_0000_0000_0001)
        var digests = [UInt32](repeating: 0, count: 16)
        digests[15] = salt.short(other)
        #expect(try bytes("| watch | digests") == LedgerReply.digests(digests).bytes)
        var missing: [UInt128] = []
        let step = try comparison.receive(.digests(digests), to: compare, phone, missing: &missing)
        guard case .ask(let nodes) = step else {
            Issue.record("no question about nodes")
            return
        }
        #expect(try bytes("| phone | nodes") == nodes.bytes)
        let found = LedgerReply.Findings(hasMore: true, lacks: [true])
        #expect(try bytes("| watch | found") == LedgerReply.found(found).bytes)
        let end = try comparison.receive(.found(found), to: nodes, phone, missing: &missing)
        #expect(end == .finished(.nothing) && missing == [event.id.rawValue])
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

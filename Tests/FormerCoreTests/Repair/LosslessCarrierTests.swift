import Articles
import Foundation
import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

/// On streams, pipes and reliable datagrams there is nothing to repair: not a byte more crosses,
/// and nothing leaves later.
@Suite struct LosslessCarrierTests {
    private static let path = "wire/carriers/lossless.tsv"

    private static let carriers: [(name: String, traits: CarrierTraits, chunk: Int)] = [
        ("stream", .stream, .max),
        // A pipe takes what it has room for.
        ("pipe", .stream, 700),
        ("seqpacket", .seqpacket, .max),
    ]

    /// When each packet or chunk left, and what it was: its bytes by their FNV-1a fingerprint.
    private static func transcript(
        _ name: String, _ carrier: CarrierTraits, chunk: Int
    ) throws -> [[String]] {
        var rows: [[String]] = []
        let box = PairInABox(carrier) { $0.frameVersion = 0 }
        box.phone.host.transmitLimit = chunk
        box.watch.host.transmitLimit = chunk
        box.arrivals = { role, bytes in
            var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3 }
            rows.append([
                name, "\(box.now.nanoseconds)", "\(role)", "\(bytes.count)",
                String(fingerprint, radix: 16),
            ])
            return [bytes]
        }
        defer { box.arrivals = { [$1] } }
        box.connect()
        box.advance(by: .seconds(1))
        for number in 0..<20 {
            _ = try box.phone.send(context(UInt128(number % 7), "value \(number)"), at: box.now)
            _ = try box.watch.send(userInfo("dose \(number)"), at: box.now)
        }
        try exchange(box, for: .seconds(1))
        for number in UInt8(0)..<8 {
            try box.phone.peer.updateComplication(
                RecordKey(rawValue: 1), [number], at: box.now)
            try exchange(box, for: .milliseconds(90))
        }
        let question = RecordDraft(
            lane: .interactive, kind: .message, payload: [1, 2, 3], expectsReply: true)
        _ = try box.phone.send(question, at: box.now)
        let large = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        _ = try box.watch.send(
            RecordDraft(lane: .bulk, kind: .file, payload: large), at: box.now)
        try exchange(box, for: .seconds(20))
        box.cut()
        _ = try box.phone.send(userInfo("while there was no link"), at: box.now)
        box.connect()
        try exchange(box, for: .seconds(5))
        #expect(box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
        return rows
    }

    private static func exchange(_ box: PairInABox, for wait: Duration) throws {
        box.phone.drain(at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        box.advance(by: wait)
    }

    /// The fixture was written by the code as it was before parity and pacing (commit 0b7c206),
    /// with no change but today's window of the bulk lane and exact room for parts.
    @Test func golden_bytes_and_times_do_not_change() throws {
        let written = try Self.carriers.flatMap {
            try Self.transcript($0.name, $0.traits, chunk: $0.chunk)
        }
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_LOSSLESS"] != nil {
            let head =
                "# What crosses carriers that cannot lose: carrier, ns, sender, bytes, FNV-1a."
            let lines = written.map { $0.joined(separator: "\t") }
            try ([head] + lines).joined(separator: "\n").appending("\n").write(
                to: FixtureFiles.root.appendingPathComponent("Fixtures/" + Self.path),
                atomically: true, encoding: .utf8)
        }
        let rows = try FixtureFiles.rows(Self.path)
        #expect(rows.count > 100)
        #expect(rows == written, "carriers that cannot lose pay for those that can")
    }
}

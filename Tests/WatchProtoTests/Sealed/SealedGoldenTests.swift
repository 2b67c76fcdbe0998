import Foundation
import Testing
import WatchSecurity

@testable import WatchProto

/// Wire version 1 byte by byte: a pairing, and what crosses two links after it. Later versions are
/// held to read what this one wrote.
@Suite struct SealedGoldenTests {
    private static let path = "wire/sealed/golden.tsv"

    /// What each side sends, in order; keys and ids follow from seeds.
    private static func transcript() throws -> [[String]] {
        var rows: [[String]] = []
        _ = try SimulatedPair(seed: 7) { rows.append(["pairing", "\($0)", Hex.string($1)]) }

        let box = try SealedPair(sealed: .lossyDatagram, seed: 7)
        var link = "first link"
        box.arrivals = { role, bytes in
            rows.append([link, "\(role)", Hex.string(bytes)])
            return [bytes]
        }
        box.connect()
        _ = try box.phone.peer.send(context(1, "a value"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(1))
        box.cut()
        link = "second link"
        _ = try box.phone.peer.send(context(1, "a newer value"), at: box.now)
        box.phone.drain(at: box.now)
        _ = try box.watch.peer.send(userInfo("a dose"), at: box.now)
        box.watch.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(1))
        #expect(box.isActive && box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
        #expect(box.watch.counters.earlyRecordsReceived == 1)
        #expect(box.phone.counters.earlyRecordsReceived == 1)
        return rows
    }

    @Test func golden_bytes_do_not_change() throws {
        let written = try Self.transcript()
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil {
            let head = "# What crosses the wire, in order: link, sender, bytes. From fixed seeds."
            let lines = written.map { $0.joined(separator: "\t") }
            try ([head] + lines).joined(separator: "\n").appending("\n").write(
                to: FixtureFiles.root.appendingPathComponent("Fixtures/" + Self.path),
                atomically: true, encoding: .utf8)
        }
        let rows = try FixtureFiles.rows(Self.path)
        #expect(rows == written, "the wire has changed: that needs a new version")
    }
}

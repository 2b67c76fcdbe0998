import Articles
import Foundation
import Testing
import WatchSecurity

@testable import FormerCore

/// The wire byte by byte: a pairing, and what crosses two links after it, by sides that read frames
/// of versions 1 to 3. Later versions are held to read what these wrote.
@Suite struct SealedGoldenTests {
    private static func path(_ version: UInt8) -> String {
        version == 1 ? "wire/sealed/golden.tsv" : "wire/sealed/golden-\(version).tsv"
    }

    /// Two sides that read frames of `version`.
    private static func box(_ version: UInt8) throws -> SealedPair {
        try SealedPair(sealed: .lossyDatagram, seed: 7) { $0.frameVersion = version }
    }

    /// What each side sends, in order; keys and ids follow from seeds.
    private static func transcript(_ version: UInt8) throws -> [[String]] {
        var rows: [[String]] = []
        _ = try SimulatedPair(seed: 7) { rows.append(["pairing", "\($0)", Hex.string($1)]) }

        let box = try box(version)
        try play(box) { link, role, bytes in
            rows.append([link, "\(role)", Hex.string(bytes)])
            return [bytes]
        }
        return rows
    }

    /// Two links of a pair, with early data both ways on the second.
    ///
    /// - Parameter arrivals: what arrives of a packet, by the link and its sender.
    private static func play(
        _ box: SealedPair, _ arrivals: @escaping (String, DeviceRole, [UInt8]) -> [[UInt8]]
    ) throws {
        box.arrivals = { arrivals("first link", $0, $1) }
        box.connect()
        _ = try box.phone.peer.send(context(1, "a value"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(1))
        box.cut()
        box.arrivals = { arrivals("second link", $0, $1) }
        _ = try box.phone.peer.send(context(1, "a newer value"), at: box.now)
        box.phone.drain(at: box.now)
        _ = try box.watch.peer.send(userInfo("a dose"), at: box.now)
        box.watch.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(1))
        #expect(box.isActive && box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
        #expect(box.watch.counters.earlyRecordsReceived == 1)
        #expect(box.phone.counters.earlyRecordsReceived == 1)
        #expect(box.watch.texts == ["a value", "a newer value"])
        #expect(box.phone.texts == ["a dose"])
    }

    /// Each side hears the fixture in place of the other: what this version wrote is read by
    /// whatever the package is by now, under the ephemeral keys of then.
    @Test(arguments: [[DeviceRole.phone], [.watch], [.phone, .watch]], [UInt8(1), 2, 3])
    func what_the_fixture_says_is_read(by readers: [DeviceRole], of version: UInt8) throws {
        var left = try FixtureFiles.rows(Self.path(version)).filter { $0[0] != "pairing" }
        #expect(left.count > 10)
        let box = try Self.box(version)
        try Self.play(box) { link, sender, bytes in
            let place = left.firstIndex { $0[0] == link && $0[1] == "\(sender)" }
            let written = place.flatMap { Hex.bytes(left.remove(at: $0)[2]) }
            return readers.contains(sender.counterpart) ? written.map { [$0] } ?? [] : [bytes]
        }
        #expect(left.isEmpty, "\(left.count) packets were never read")
    }

    /// The same of a pairing: each side takes the messages of the fixture for the other's.
    @Test func the_pairing_of_the_fixture_is_read() throws {
        let messages = try FixtureFiles.rows(Self.path(1)).filter { $0[0] == "pairing" }
        let random = RandomSource(seed: 7)
        let code = try #require(PairingCode("000000"))
        var asker = Pairing(
            entering: code, as: PairingIdentity(role: .phone, device: DeviceID(rawValue: 1)),
            random: random)
        var shower = Pairing(
            showing: code, as: PairingIdentity(role: .watch, device: DeviceID(rawValue: 2)),
            random: random)
        var paired: [PairedDevice] = []
        for message in messages {
            let bytes = try #require(Hex.bytes(message[2]))
            let step =
                message[1] == "phone" ? try shower.receive(bytes) : try asker.receive(bytes)
            if case .paired(let device, _) = step { paired.append(device) }
        }
        #expect(messages.count == 6 && paired.count == 2)
        #expect(Set(paired.map(\.pairing)) == [try SimulatedPair(seed: 7).phone.pairing])
    }

    @Test(arguments: [UInt8(1), 2, 3]) func golden_bytes_do_not_change(_ version: UInt8) throws {
        let written = try Self.transcript(version)
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil {
            let head = "# What crosses the wire, in order: link, sender, bytes. From fixed seeds."
            let lines = written.map { $0.joined(separator: "\t") }
            try ([head] + lines).joined(separator: "\n").appending("\n").write(
                to: FixtureFiles.root.appendingPathComponent("Fixtures/" + Self.path(version)),
                atomically: true, encoding: .utf8)
        }
        let rows = try FixtureFiles.rows(Self.path(version))
        #expect(rows == written, "the wire has changed: that needs a new version")
    }
}

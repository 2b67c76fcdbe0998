import Articles
import Foundation
import Testing
import WatchSecurity

@testable import FormerCore

/// The first bytes of the version before and of the one after, and what this one makes of them.
@Suite struct VersionSkewTests {
    private static let path = "wire/versions/flights.tsv"

    private struct Case {
        var name: String
        var carrier: String
        var bytes: [UInt8]

        var traits: CarrierTraits { carrier == "stream" ? .stream : .lossyDatagram }
    }

    private static func packet(
        _ kind: PacketKind, _ body: [UInt8], on carrier: CarrierTraits
    ) -> [UInt8] {
        if carrier.framing == .stream {
            return StreamFraming.prefix(of: kind, length: body.count) + body
        }
        var writer = WireWriter()
        DatagramHeader(unnumbered: kind).write(to: &writer)
        writer.append(body)
        return writer.bytes
    }

    /// What a side of another version may begin with: laid out as here, and in no way that is.
    private static var cases: [Case] {
        let bodies: [(String, PacketKind, [UInt8])] = [
            ("flight of version 0", .handshake, [0, 0x11, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]),
            ("flight of version 2", .handshake, [2, 0x11, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]),
            ("flight of version 2 laid out otherwise", .handshake, [2, 0, 0, 0]),
            ("flight of version 127, its version alone", .handshake, [127]),
            ("notice of version 0", .notice, [0, 3]),
            ("notice of version 2", .notice, [2, 3]),
        ]
        return bodies.flatMap { name, kind, body in
            [("stream", CarrierTraits.stream), ("datagram", .lossyDatagram)].map {
                Case(name: name, carrier: $0, bytes: packet(kind, body, on: $1))
            }
        }
    }

    /// Writes a fixture anew where that was asked for.
    private static func write(_ rows: [[String]], to path: String) throws {
        let environment = ProcessInfo.processInfo.environment
        guard environment["WATCHPROTO_WRITE_FIXTURES"] != nil else { return }
        let head = "# What comes, on which carrier, its bytes, what answers them, what is told."
        let lines = rows.map { $0.joined(separator: "\t") }
        try ([head] + lines).joined(separator: "\n").appending("\n").write(
            to: FixtureFiles.root.appendingPathComponent("Fixtures/" + path), atomically: true,
            encoding: .utf8)
    }

    /// Gives the bytes to a watch in the middle of its handshake.
    private static func meet(_ bytes: [UInt8], on carrier: CarrierTraits) throws -> (
        sent: [UInt8], told: String
    ) {
        let box = try SealedPair(sealed: carrier)
        let watch = box.watch
        watch.peer.activate(at: box.now)
        watch.drain(at: box.now)
        watch.peer.linkUp(carrier, at: box.now)
        watch.drain(at: box.now)
        let before = (events: watch.host.events.count, sent: watch.host.wire.count)
        watch.peer.receive(bytes.span, at: box.now)
        watch.drain(at: box.now)
        let sent = watch.host.wire.dropFirst(before.sent).flatMap(\.self)
        let told = watch.host.events.dropFirst(before.events).compactMap(Self.text)
        return (sent, told.joined(separator: " "))
    }

    // MARK: Pairing

    /// The first message of a pairing of other versions, for the side that shows a code, and the
    /// words of such a side, for the one that was given it.
    private static var pairingCases: [Case] {
        let hello: [UInt8] = [0] + (0..<32).map { UInt8($0) }
        let bodies: [(String, PacketKind, [UInt8])] = [
            ("message 1 of pairing version 0", .handshake, [0x80, 1, 0] + hello),
            ("message 1 of pairing version 2", .handshake, [0x80, 1, 2] + hello),
            ("message 1 of pairing version 2, shorter", .handshake, [0x80, 1, 2]),
            (
                "message 1 of pairing version 2, longer", .handshake,
                [0x80, 1, 2] + [UInt8](repeating: 7, count: 125)
            ),
            ("notice of pairing version 0", .notice, [0, 3]),
            ("notice of pairing version 2", .notice, [2, 3]),
        ]
        return bodies.flatMap { name, kind, body in
            [("stream", CarrierTraits.stream), ("datagram", .lossyDatagram)].map {
                Case(name: name, carrier: $0, bytes: packet(kind, body, on: $1))
            }
        }
    }

    private static func meetPairing(_ item: Case) throws -> (sent: [UInt8], told: String) {
        let now = Instant(nanoseconds: 1_000_000_000)
        let isNotice = item.name.hasPrefix("notice")
        var link = PairingLink(
            PairingIdentity(
                role: isNotice ? .phone : .watch, device: DeviceID(rawValue: isNotice ? 2 : 1)))
        let code = try #require(PairingCode("123456"))
        if isNotice {
            try link.enterCode(code, at: now)
        } else {
            _ = try link.showCode(at: now)
        }
        link.linkUp(item.traits, at: now)
        _ = link.takeOutgoing()
        // Again and again says nothing new; the answer to each is the same.
        var answers: [[UInt8]] = []
        for _ in 0..<3 {
            link.receive(item.bytes.span, at: now)
            answers.append(link.takeOutgoing().flatMap(\.self))
            guard link.mustClose else { continue }
            link.linkDown(at: now)
            link.linkUp(item.traits, at: now)
            _ = link.takeOutgoing()
        }
        #expect(answers.allSatisfy { $0 == answers[0] } && !link.isOver)
        let told = link.takeEvents().map { event in
            if case .advice(.refused(let failure)) = event { "\(failure)" } else { "\(event)" }
        }
        // The code is as good as it was.
        #expect(link.nextDeadline != nil)
        return (answers[0], told.joined(separator: " "))
    }

    @Test func pairing_tells_both_which_is_too_old() throws {
        let written = try Self.pairingCases.map { item in
            let (sent, told) = try Self.meetPairing(item)
            return [item.name, item.carrier, Hex.string(item.bytes), Hex.string(sent), told]
        }
        let path = "wire/versions/pairing.tsv"
        try Self.write(written, to: path)
        #expect(try FixtureFiles.rows(path) == written)
        for row in written {
            let isNotice = row[0].hasPrefix("notice")
            #expect(row[3] == (isNotice ? "" : row[1] == "stream" ? "0b0103" : "030103"))
            let isOld = row[0].contains("version 0")
            #expect(
                row[4]
                    == "pairing: seen that the other side speaks pairing version \(isOld ? 0 : 2), "
                    + "this one 1; try: update \(isOld ? "the other" : "this") device")
        }
    }

    private static func text(_ event: PeerEvent) -> String? {
        switch event {
        case .linkClosed(.peerTooOld(let version)): "too old: \(version)"
        case .linkClosed(.peerTooNew(let version)): "too new: \(version)"
        case .linkClosed(let other): "\(other)"
        case .notice(let version, let code): "advice \(code.rawValue) of version \(version)"
        default: nil
        }
    }

    @Test func both_are_told_which_is_too_old() throws {
        let written = try Self.cases.map { item in
            let (sent, told) = try Self.meet(item.bytes, on: item.traits)
            return [item.name, item.carrier, Hex.string(item.bytes), Hex.string(sent), told]
        }
        try Self.write(written, to: Self.path)
        #expect(try FixtureFiles.rows(Self.path) == written)
        for row in written {
            // The answer is a notice of this version, and a notice is answered by nothing.
            let isNotice = row[0].hasPrefix("notice")
            #expect(row[3] == (isNotice ? "" : row[1] == "stream" ? "0b0103" : "030103"))
            let version = row[0].contains("version 0") ? "0" : row[0].contains("127") ? "127" : "2"
            let isClosed = row[1] == "stream" && !isNotice
            #expect(
                row[4]
                    == (isClosed
                        ? "too \(version == "0" ? "old" : "new"): \(version)"
                        : "advice 3 of version \(version)"))
        }
    }

    /// In a session, on either carrier, notices change nothing; where anybody may have sent them,
    /// neither do flights of other versions.
    @Test(arguments: [CarrierTraits.stream, .lossyDatagram])
    func advice_ends_no_session(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        let epochs = (box.watch.peer.currentEpoch, box.phone.peer.currentEpoch)
        for item in Self.cases where item.traits == carrier {
            guard carrier.isLossy || item.name.hasPrefix("notice") else { continue }
            for _ in 0..<3 {
                box.watch.peer.receive(item.bytes.span, at: box.now)
                box.watch.drain(at: box.now)
                box.settle()
            }
        }
        #expect(box.isActive)
        #expect(epochs == (box.watch.peer.currentEpoch, box.phone.peer.currentEpoch))
        try box.exchange()
    }

    @Test func repeated_notices_are_told_once_a_minute_and_few_in_all() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        func told() -> Int {
            box.watch.host.events.count { if case .notice = $0 { true } else { false } }
        }
        func give(_ version: UInt8, _ code: UInt8) {
            let notice = NoticePacket(version: version, code: CloseCode(rawValue: code))
            box.watch.peer.receive(
                notice.packet(on: CarrierTraits.lossyDatagram.framing).span, at: box.now)
            box.watch.drain(at: box.now)
        }
        for _ in 0..<1000 { give(9, 3) }
        #expect(told() == 1)
        for version in 0..<UInt8(250) { give(version, 6) }
        #expect(told() == NoticeGate.limit)
        #expect(box.watch.counters.noticesReceived == 1250)
        box.advance(by: .seconds(59))
        give(9, 3)
        #expect(told() == NoticeGate.limit)
        box.advance(by: .seconds(1))
        give(9, 3)
        #expect(told() == NoticeGate.limit + 1)
        #expect(box.isActive)
    }
}

import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// Whatever arrives, the worst it does is to end this link: the queue stays, and a good counterpart
/// connects afterwards.
@Suite struct HostileBytesTests {
    /// A phone with one record queued, connected by a stream to nobody but us.
    static func lonelyPhone(_ carrier: CarrierTraits = .stream) throws -> (BoxSide, RecordID) {
        let side = BoxSide(
            PeerConfiguration(role: .phone, pairing: PairInABox.pairing, kinds: .product),
            epoch: 0x77)
        side.peer.activate(at: .zero)
        side.drain(at: .zero)
        let id = try side.peer.send(userInfo("keep me"), at: .zero)
        side.peer.linkUp(carrier, at: .zero)
        side.drain(at: .zero)
        return (side, id)
    }

    static func closeReason(_ side: BoxSide) -> LinkCloseReason? {
        for event in side.host.events.reversed() {
            if case .linkClosed(let reason) = event { return reason }
        }
        return nil
    }

    /// The record is still there, and a good watch gets it.
    static func expectUnharmed(_ side: BoxSide, _ id: RecordID) {
        #expect(side.outstanding == [id])
        // Where the link lives on (half a packet is no offence), its host ends it.
        side.peer.linkDown(CarrierFailure(call: "end of stream", errorNumber: 0), at: .zero)
        side.drain(at: .zero)
        let box = PairInABox()
        box.phone = side
        box.now = Instant(nanoseconds: 60_000_000_000)
        box.phone.host.wire = []
        box.connect()
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("keep me".utf8)])
    }

    static func give(_ side: BoxSide, _ bytes: [UInt8]) {
        side.peer.receive(bytes.span, at: .zero)
        side.drain(at: .zero)
    }

    @Test func garbage_ends_the_link_and_nothing_else() throws {
        for seed in UInt64(1)...300 {
            var generator = SeededGenerator(seed: seed)
            let (side, id) = try Self.lonelyPhone()
            for _ in 0..<20 {
                let count = Int(generator.uniform(in: 1...400))
                var bytes: [UInt8] = []
                for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
                Self.give(side, bytes)
            }
            Self.expectUnharmed(side, id)
        }
    }

    @Test func garbage_datagrams_are_dropped_and_counted() throws {
        for seed in UInt64(1)...100 {
            var generator = SeededGenerator(seed: seed)
            let box = PairInABox(.lossyDatagram)
            box.connect()
            for _ in 0..<50 {
                var bytes: [UInt8] = []
                for _ in 0..<Int(generator.uniform(in: 1...60)) {
                    bytes.append(UInt8(truncatingIfNeeded: generator.next()))
                }
                // A hint that matches is one in 65,536; keep those out, as a seal would.
                bytes[0] = bytes[0] & 0x1F
                if bytes.count > 3 {
                    bytes[1] = 0
                    bytes[2] = 0
                }
                box.watch.peer.receive(bytes.span, at: box.now)
                box.watch.drain(at: box.now)
            }
            #expect(box.watch.activationState == .activated, "seed \(seed)")
            #expect(box.watch.counters.packetsDropped > 0)
            _ = try box.phone.peer.send(userInfo("after"), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
            box.advance(by: .seconds(5))
            #expect(box.watch.host.delivered.map { $0.payload } == [Array("after".utf8)])
        }
    }

    /// On a carrier that can lose anybody may have sent it: nobody can say who did.
    @Test(arguments: [
        [0x07, 0x67, 0x61, 0x72],
        GreetingTests.of(.phone, epoch: 5, pairing: PairingID(rawValue: 1)),
        GreetingTests.of(.watch, epoch: 5),
    ]) func a_strange_flight_on_a_lossy_carrier_is_dropped_and_counted(_ flight: [UInt8]) throws {
        for isActive in [true, false] {
            let box = PairInABox(.lossyDatagram)
            if isActive {
                box.connect()
            } else {
                box.watch.peer.activate(at: .zero)
                box.watch.peer.linkUp(.lossyDatagram, at: .zero)
            }
            let state = box.watch.activationState
            let dropped = box.watch.counters.packetsDropped
            var packet = WireWriter()
            DatagramHeader(unnumbered: .handshake).write(to: &packet)
            HandshakePacket(version: 0, senderSession: 99, receiverSession: 0, flight: flight)
                .write(to: &packet)
            Self.give(box.watch, packet.bytes)
            #expect(Self.closeReason(box.watch) == nil)
            #expect(box.watch.activationState == state)
            #expect(box.watch.counters.packetsDropped == dropped + 1)
        }
    }

    @Test func frames_that_cannot_be_read_on_a_lossy_carrier_are_dropped_and_counted() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        // Its frames are made unreadable on the way.
        _ = try box.phone.peer.send(userInfo("one"), at: box.now)
        box.phone.drain(at: box.now)
        var packet = box.phone.host.wire.removeLast()
        packet.append(0x20)
        Self.give(box.watch, packet)
        #expect(Self.closeReason(box.watch) == nil)
        #expect(box.watch.counters.packetsDropped == 1)
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("one".utf8)])
    }

    @Test func a_packet_length_over_the_limit_is_a_violation() throws {
        let (side, id) = try Self.lonelyPhone()
        Self.give(side, [0xFF, 0xFF, 0xFF, 0x7F])
        guard case .violation(let error) = Self.closeReason(side) else {
            Issue.record("no violation: \(side.host.events)")
            return
        }
        #expect(error.expected.description == "packet length")
        Self.expectUnharmed(side, id)
    }

    @Test func a_newer_version_is_told_so() throws {
        let (side, id) = try Self.lonelyPhone()
        // length 9, handshake; version 3; two session ids
        Self.give(side, [9 << 2 | 1, 3, 1, 0, 0, 0, 0, 0, 0, 0])
        #expect(Self.closeReason(side) == .peerTooNew(version: 3))
        let sent = side.host.wire.last ?? []
        #expect(sent == NoticePacket(version: 0, code: .incompatible).packet(on: .stream))
        Self.expectUnharmed(side, id)
    }

    @Test func a_stream_that_ends_inside_a_packet_says_so() throws {
        let (side, id) = try Self.lonelyPhone()
        Self.give(side, [40 << 2 & 0xFF | 1, 0x01, 0, 1, 2, 3])
        let ended = CarrierFailure(call: "end of stream", errorNumber: 0)
        side.peer.linkDown(ended, at: .zero)
        side.drain(at: .zero)
        #expect(Self.closeReason(side) == .cutShort(heldBytes: 6, ended))
        Self.expectUnharmed(side, id)
    }

    @Test(arguments: [[0, 84], [0, 1, 0]] as [[UInt8]])
    func what_is_no_notice_is_a_violation(_ body: [UInt8]) throws {
        let (side, id) = try Self.lonelyPhone()
        Self.give(side, [UInt8(body.count) << 2 | 3] + body)
        guard case .violation = Self.closeReason(side) else {
            Issue.record("taken as a notice: \(side.host.events)")
            return
        }
        Self.expectUnharmed(side, id)
    }

    @Test func a_notice_changes_no_state() throws {
        let (side, id) = try Self.lonelyPhone()
        Self.give(side, NoticePacket(version: 9, code: .incompatible).packet(on: .stream))
        #expect(side.host.events.contains(.notice(version: 9, .incompatible)))
        #expect(Self.closeReason(side) == nil)
        Self.expectUnharmed(side, id)
    }

    @Test func another_pairing_is_refused() throws {
        let (side, id) = try Self.lonelyPhone()
        let stranger = BoxSide(
            PeerConfiguration(role: .watch, pairing: PairingID(rawValue: 1), kinds: .product),
            epoch: 5)
        stranger.peer.activate(at: .zero)
        stranger.peer.linkUp(.stream, at: .zero)
        stranger.drain(at: .zero)
        Self.give(side, stranger.host.wire.joined().map { $0 })
        #expect(
            Self.closeReason(side)
                == .wrongPeer(
                    expected: PeerLabel(role: .watch, pairing: PairInABox.pairing),
                    found: PeerLabel(role: .watch, pairing: PairingID(rawValue: 1))))
        Self.expectUnharmed(side, id)
    }

    @Test func the_same_role_is_refused() throws {
        let (side, id) = try Self.lonelyPhone()
        let twin = BoxSide(
            PeerConfiguration(role: .phone, pairing: PairInABox.pairing, kinds: .product), epoch: 5)
        twin.peer.activate(at: .zero)
        twin.peer.linkUp(.stream, at: .zero)
        twin.drain(at: .zero)
        Self.give(side, twin.host.wire.joined().map { $0 })
        #expect(
            Self.closeReason(side)
                == .wrongPeer(
                    expected: PeerLabel(role: .watch, pairing: PairInABox.pairing),
                    found: PeerLabel(role: .phone, pairing: PairInABox.pairing)))
        Self.expectUnharmed(side, id)
    }

    /// Enough to tell two pairings apart, by either half, and not the pairing itself.
    @Test func a_label_tells_pairings_apart_without_naming_them() {
        let halves: [UInt128] = [0xABCD, 0xABCE, 0xABCD << 64, 0xABCD << 64 | 0xABCD]
        let labels = halves.map {
            "\(PeerLabel(role: .watch, pairing: PairingID(rawValue: $0)))"
        }
        #expect(Set(labels).count == labels.count)
        for label in labels {
            #expect(label.hasPrefix("watch of pairing ") && label.count == 25, "\(label)")
            #expect(!label.contains("abc"), "\(label)")
        }
    }

    /// What the article says of version 0: the lie outlasts the session, not the sender's opening.
    @Test func a_forged_number_closes_sessions_until_the_sender_opens_anew() throws {
        let box = PairInABox()
        box.connect()
        Self.give(box.watch, [8 << 2, 0x10, 2, 0, 0, 1, 7, 1, 0x78])
        #expect(box.watch.host.delivered.map { $0.payload } == [[0x78]], "it is believed")
        for _ in 0..<2 {
            box.settle()
            guard case .violation = Self.closeReason(box.phone) else {
                Issue.record("a receipt for what was never sent: \(box.phone.host.events)")
                return
            }
            box.phone.host.events = []
            box.cut()
            box.connect()
        }
        box.restart(.phone, epoch: 0x5555)
        box.connect()
        let id = try box.phone.peer.send(userInfo("true"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: id) == .settled(.applied))
        #expect(Self.closeReason(box.phone) == nil)
    }

    @Test func frames_before_the_handshake_are_refused() throws {
        let (side, id) = try Self.lonelyPhone()
        Self.give(side, [2 << 2, 0x01, 0x07])
        #expect(Self.closeReason(side) == .unexpected(frame: 0))
        Self.expectUnharmed(side, id)
    }

    /// The varint of 2^64 - 1.
    static let allOnes: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x01]

    /// In a session: bytes of one bad packet, framed as a transport packet of a stream.
    @Test(
        arguments: [
            ("unknown frame", [0x20]), ("truncated frame", [0x10, 0x02]),
            ("ack on a stream", [0x04, 0x00, 0x00, 0x01, 0x00]),
            ("receipt for what was never sent", [0x12, 0x42, 0x00, 0x63, 0x00]),
            ("withdrawal of number 2^64 - 1", [0x18, 0x02, 0x00] + allOnes + [0x00]),
            ("floor of 2^64 - 1", [0x13, 0x02, 0x00] + allOnes),
            ("record of number 2^64 - 1", [0x10, 0x02, 0x00, 0x00] + allOnes + [0x07, 0x00]),
            ("receipt floor of 2^64 - 1", [0x12, 0x42, 0x00] + allOnes + [0x00]),
            ("epoch that was never greeted", [0x10, 0x02, 0x00, 0x09, 0x01, 0x07, 0x00]),
            (
                "handle beyond every limit",
                [0x10, 0x03, 0x04, 0x00, 0x01, 0x02, 0x80, 0x80, 0x04, 0x00]
            ),
            (
                "part of another length",
                [0x11, 0x04, 0x00, 0x01, 0x05, 0x00, 0x06, 1, 2, 3, 4, 5, 6]
            ),
        ] as [(String, [UInt8])])
    func a_bad_packet_in_a_session_closes_it(_ name: String, _ frames: [UInt8]) throws {
        let box = PairInABox()
        box.connect()
        let id = try box.phone.peer.send(userInfo("keep me"), at: box.now)
        Self.give(box.phone, [UInt8(frames.count) << 2] + frames)
        guard let reason = Self.closeReason(box.phone) else {
            Issue.record("\(name): the link lives")
            return
        }
        switch reason {
        case .violation, .unexpected: break
        default: Issue.record("\(name): \(reason)")
        }
        Self.expectUnharmed(box.phone, id)
    }

    @Test func a_bad_packet_takes_no_effect_at_all() throws {
        let box = PairInABox()
        box.connect()
        // A whole record, then a frame that does not exist.
        let frames: [UInt8] = [0x10, 0x02, 0x00, 0x00, 0x01, 0x07, 0x01, 0xAA, 0x20]
        Self.give(box.phone, [UInt8(frames.count) << 2] + frames)
        #expect(box.phone.host.delivered.isEmpty)
    }

    @Test func byte_at_a_time_is_the_same_as_whole() throws {
        let box = PairInABox()
        box.connect()
        for number in 0..<30 {
            _ = try box.phone.peer.send(userInfo("\(number)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        let bytes = box.phone.host.wire.joined().map { $0 }
        box.phone.host.wire = []
        for byte in bytes {
            box.watch.peer.receive([byte].span, at: box.now)
            box.watch.drain(at: box.now)
        }
        #expect(box.watch.host.delivered.count == 30)
    }

    @Test func a_carrier_that_takes_little_gets_everything() throws {
        let box = PairInABox()
        box.phone.host.transmitLimit = 3
        box.watch.host.transmitLimit = 5
        box.connect()
        for number in 0..<20 {
            _ = try box.phone.peer.send(userInfo("\(number)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.count == 20)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func a_flood_of_parts_costs_bounded_memory() throws {
        let box = PairInABox()
        box.connect()
        // Parts of many records that never end: at most `assemblies` are kept, the rest turned
        // away.
        for number in UInt8(1)...40 {
            let frames: [UInt8] = [0x11, 0x04, 0x00, number, 0x80, 0x80, 0x40, 0x00, 0x01, 0xAA]
            Self.give(box.phone, [UInt8(frames.count) << 2] + frames)
        }
        #expect(Self.closeReason(box.phone) == nil)
        let answers = box.phone.host.wire.joined().filter { $0 == 0x15 }
        #expect(answers.count >= 30, "most are answered with try later")
    }
}

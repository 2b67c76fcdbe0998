import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// How much may travel early, and what may not.
@Suite struct EarlyLimitTests {
    /// A record that fits a packet, but not with the room of its parity, kept itself and all behind
    /// it waiting for the session.
    @Test func what_fits_a_packet_leaves_early_with_or_without_room_for_its_parity() throws {
        var unprotected = 0
        for bytes in 190...210 {
            let box = try SealedPair.apart(.bleDatagram)
            for _ in 0..<3 {
                _ = try box.send(
                    RecordDraft(
                        lane: .background, kind: .opaque,
                        payload: [UInt8](repeating: 7, count: bytes)), from: .phone)
            }
            box.open()
            box.advance(by: .milliseconds(1))
            let packets = box.phone.earlySending?.packets ?? []
            #expect(packets.count { !$0.isEmpty } == 3, "\(bytes) bytes")
            if packets.count == 3 { unprotected += 1 }
            box.goOn(for: .seconds(1))
        }
        #expect(unprotected == 12)
    }

    private func give(_ packet: [UInt8], _ box: SealedPair) {
        box.watch.peer.receive(packet.span, at: box.now)
        box.watch.drain(at: box.now)
    }

    /// The watch has read the phone's flight; nothing else of the phone is on its way.
    private func met(
        _ carrier: CarrierTraits, configure: (inout PeerConfiguration) -> Void = { _ in }
    ) throws -> SealedPair {
        let box = try SealedPair.apart(carrier, configure: configure)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.activationState == .inactive)
        return box
    }

    // MARK: The sender

    @Test func packets_are_counted() throws {
        let box = try SealedPair.apart(.bleDatagram) { $0.limits.earlyPackets = 4 }
        for index in 0..<20 {
            _ = try box.send(
                userInfo("\(index)" + String(repeating: "x", count: 150)), from: .phone)
        }
        box.open()
        #expect(box.earlyOnTheWire == 4)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts.count == 20 && box.phone.outstanding.isEmpty)
    }

    @Test func bytes_of_frames_are_counted() throws {
        let box = try SealedPair.apart(.seqpacket)
        for _ in 0..<5 {
            _ = try box.send(
                RecordDraft(
                    lane: .background, kind: .userInfo,
                    payload: [UInt8](repeating: 1, count: 20_000)), from: .phone)
        }
        box.open()
        #expect(box.phone.earlySending?.bytes ?? 0 > 60_000)
        #expect(box.phone.earlySending?.bytes ?? 0 <= 65_536)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts.count == 5 && box.phone.outstanding.isEmpty)
    }

    /// Of the path nothing is known yet: ten datagrams, or 14,720 bytes (RFC 9002, 7.2).
    @Test(arguments: [(244, 2_440), (1_200, 12_000), (1_472, 14_720), (4_096, 14_720)])
    func a_burst_is_no_longer_than_an_initial_window(_ datagram: Int, _ window: Int) throws {
        let carrier = CarrierTraits(framing: .datagram(largestBytes: datagram), isLossy: true)
        let box = try SealedPair.apart(carrier)
        for _ in 0..<200 {
            _ = try box.send(userInfo(String(repeating: "x", count: 100)), from: .phone)
        }
        box.open()
        let bytes = box.phone.host.wire.filter { isEarly($0) }.reduce(0) { $0 + $1.count }
        #expect(bytes <= window && bytes > window - 2 * datagram, "\(bytes)")
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts.count == 200 && box.phone.outstanding.isEmpty)
    }

    @Test func two_datagrams_leave_whatever_their_length() {
        #expect(Limits().earlyWindow(datagramBytes: 10_000) == 20_000)
    }

    // MARK: The receiver

    @Test func the_last_number_is_taken_and_the_next_is_not() throws {
        let box = try met(.lossyDatagram)
        let last = UInt64(Limits().earlyPackets - 1)
        give(try box.earlyPacket(last, [box.earlyRecord(1)]), box)
        #expect(box.watch.counters.earlyRecordsReceived == 1)
        let dropped = box.watch.counters.packetsDropped
        give(try box.earlyPacket(last + 1, [box.earlyRecord(2)]), box)
        #expect(box.watch.counters.earlyRecordsReceived == 1)
        #expect(box.watch.counters.packetsDropped == dropped + 1)
        #expect(box.watch.earlyArrival?.taken.last == last)
    }

    /// All bytes of frames, and one more.
    @Test func the_last_byte_is_taken_and_the_next_is_not() throws {
        for excess in 0...1 {
            let box = try met(.lossyDatagram) { side in
                if side.role == .watch { side.limits.earlyBytes = 1000 }
            }
            let first = box.earlyRecord(1, bytes: 400)
            var writer = WireWriter()
            first.write(to: &writer, limits: Limits())
            let head = writer.count - 400
            give(try box.earlyPacket(0, [first]), box)
            let rest = 1000 - writer.count - head + excess
            give(try box.earlyPacket(1, [box.earlyRecord(2, bytes: rest)]), box)
            #expect(box.watch.counters.earlyRecordsReceived == (excess == 0 ? 2 : 1))
            #expect(box.watch.earlyArrival?.taken.last == (excess == 0 ? 1 : 0))
        }
    }

    /// Those in front of their flight: so many are kept, and of more the newest.
    @Test(arguments: [0, 1]) func so_many_wait_for_their_flight(_ excess: Int) throws {
        let box = try SealedPair.apart(.lossyDatagram)
        box.open()
        let flight = box.phone.host.wire
        let kept = Limits().earlyPacketsKept
        for number in 0..<UInt64(kept + excess) {
            give(try box.earlyPacket(number, [box.earlyRecord(number + 1)]), box)
        }
        #expect(box.watch.counters.earlyRecordsReceived == 0)
        for bytes in flight { give(bytes, box) }
        #expect(box.watch.counters.earlyRecordsReceived == UInt64(kept))
        #expect(box.watch.earlyArrival?.taken.contains(0) == (excess == 0))
    }

    /// Frames that a session has to settle first, or that only a session has.
    @Test(arguments: [CarrierTraits(framing: .stream), .lossyDatagram])
    func what_may_not_travel_early_ends_the_link(_ carrier: CarrierTraits) throws {
        let address = RecordAddress(epochIndex: 0, number: 1)
        let refused: [(String, (SealedPair) -> Frame)] = [
            ("interactive", { $0.earlyRecord(1, lane: .interactive) }),
            (
                "part",
                { _ in
                    .part(
                        PartFrame(
                            lane: .bulk, address: address, totalBytes: 100, offset: 0,
                            bytes: [1, 2, 3]))
                }
            ),
            (
                "delta",
                {
                    $0.earlyRecord(1, lane: .context) {
                        $0.form = .delta(baseNumberLow: 1, baseFingerprintLow: 1)
                    }
                }
            ),
            ("handle", { $0.earlyRecord(1, lane: .context) { $0.handle = 0 } }),
            ("mark", { $0.earlyRecord(1, lane: .context) { $0.marksBase = true } }),
            ("ping", { _ in .ping(PingFrame(token: 1, isPong: false)) }),
            ("floor", { _ in .heldQuery(HeldQueryFrame(lane: .context)) }),
        ]
        for (name, frame) in refused {
            let box = try met(carrier)
            // A record in front of it is not taken either.
            give(try box.earlyPacket(0, [box.earlyRecord(1), frame(box)]), box)
            #expect(box.watch.host.delivered.isEmpty, "\(name)")
            let isViolation = box.watch.host.events.contains { event in
                if case .linkClosed(.violation) = event { true } else { false }
            }
            #expect(isViolation, "\(name)")
        }
    }

    /// A context record without its key and without a handle stands for nothing.
    @Test func a_value_without_a_key_is_not_taken() throws {
        let box = try met(.lossyDatagram)
        give(
            try box.earlyPacket(0, [box.earlyRecord(1, lane: .context) { $0.key = nil }]), box)
        #expect(box.watch.host.delivered.isEmpty)
    }

    /// What is altered on its way opens nothing, and its records come with the session.
    @Test(arguments: [0, 1, 2, 3]) func an_altered_header_opens_nothing(_ place: Int) throws {
        let box = try SealedPair.apart(.lossyDatagram)
        _ = try box.send(userInfo("once"), from: .phone)
        box.open()
        let altered = box.phone.host.wire.indices.filter { isEarly(box.phone.host.wire[$0]) }
        #expect(altered.count == 2, "the packet, and its parity")
        // The key phase, the hint, the number.
        for index in altered { box.phone.host.wire[index][place] ^= place == 0 ? 0x10 : 0x01 }
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts.isEmpty)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive)
        #expect(box.watch.texts == ["once"] && box.phone.outstanding.isEmpty)
    }
}

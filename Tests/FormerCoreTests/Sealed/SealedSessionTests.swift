import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// Sessions that are sealed, on every kind of carrier.
@Suite struct SealedSessionTests {
    static let carriers: [CarrierTraits] = [
        .stream, .seqpacket, .lossyDatagram, .bleDatagram,
    ]

    @Test(arguments: carriers) func a_sealed_pair_connects_and_delivers(
        _ carrier: CarrierTraits
    ) throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let box = try SealedPair(sealed: carrier, seed: seed)
            box.connect()
            #expect(box.isActive)
            try box.exchange()
            box.cut()
            box.reconnect()
            try box.exchange()
        }
    }

    @Test(arguments: carriers) func what_is_larger_than_a_packet_goes_in_parts(
        _ carrier: CarrierTraits
    ) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        let file = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        _ = try box.phone.send(
            RecordDraft(lane: .bulk, kind: .file, payload: file), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(60))
        #expect(box.watch.host.delivered.map(\.payload) == [file])
    }

    @Test(arguments: carriers) func no_packet_exceeds_the_carrier(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        var longest = 0
        box.arrivals = { _, bytes in
            longest = max(longest, bytes.count)
            return [bytes]
        }
        box.connect()
        for number in 0..<200 {
            _ = try box.phone.send(userInfo("record \(number)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(30))
        #expect(box.watch.host.delivered.count == 200)
        guard case .datagram(let largest) = carrier.framing, carrier.isLossy else { return }
        #expect(longest <= largest && longest > largest / 2)
    }

    /// Journals of many records and openings: a flight fits the smallest datagram all the same.
    @Test(arguments: [1, 3, 40] as [UInt64]) func a_flight_fits_the_smallest_datagram(
        openings: UInt64
    ) throws {
        let smallest = PairedSecurity.smallestDatagramBytes
        let carrier = CarrierTraits(framing: .datagram(largestBytes: smallest), isLossy: true)
        let box = try SealedPair(sealed: carrier)
        let number = RecordNumber(1 << 27)
        for side in [box.phone, box.watch] {
            var image = JournalImage()
            var before: EpochID?
            for opening in 0..<openings {
                let epoch = EpochID(rawValue: 1 + opening).stamped(100 + opening)
                image.apply(
                    .epochOpened(
                        epoch, parent: before, parentHighest: Lane.allCases.map { _ in number }))
                before = epoch
                for lane in Lane.allCases where lane.traits.isDurable {
                    let id = RecordID(epoch: epoch, lane: lane, number: number)
                    let key = lane.traits.order == .newestPerKey ? RecordKey(rawValue: 1) : nil
                    let draft = RecordDraft(lane: lane, kind: .opaque, key: key, payload: [7])
                    image.apply(.queued(OutboundRecord(id: id, draft: draft)))
                }
            }
            box.restart(side.configuration.role, epoch: 0x7001, on: image)
        }
        var longest = 0
        box.arrivals = { _, bytes in
            longest = max(longest, bytes.count)
            return [bytes]
        }
        box.connect()
        for _ in 0..<60 where !(box.phone.outstanding + box.watch.outstanding).isEmpty {
            box.advance(by: .seconds(2))
            if !box.isActive { box.connect() }
        }
        #expect(longest <= smallest)
        #expect((box.phone.outstanding + box.watch.outstanding).isEmpty)
    }

    @Test func a_carrier_whose_datagrams_are_too_small_is_given_up_plainly() throws {
        let carrier = CarrierTraits(framing: .datagram(largestBytes: 243), isLossy: true)
        let box = try SealedPair(sealed: carrier)
        box.connect()
        #expect(!box.isActive && box.carried == 0)
        #expect(
            box.phone.host.events.contains(
                .linkClosed(.datagramTooSmall(bytes: 243, needed: 244))))
        let wanted = box.phone.host.events.count { $0 == .linkWanted }
        box.advance(by: .seconds(60))
        #expect(box.phone.host.events.count { $0 == .linkWanted } > wanted, "it may get larger")
    }

    @Test(arguments: carriers) func nothing_that_is_said_can_be_read(
        _ carrier: CarrierTraits
    ) throws {
        let box = try SealedPair(sealed: carrier)
        var wire: [UInt8] = []
        box.arrivals = { _, bytes in
            wire += bytes
            return [bytes]
        }
        box.connect()
        try box.exchange("Methotrexate 2.5 mg")
        #expect(!wire.contains(sequence: Array("Methotrexate".utf8)))
        #expect(!wire.contains(sequence: Array("2.5 mg".utf8)))
        // The search finds what is there.
        let open = PairInABox(carrier)
        var clear: [UInt8] = []
        open.arrivals = { _, bytes in
            clear += bytes
            return [bytes]
        }
        open.connect()
        _ = try open.phone.send(userInfo("Methotrexate 2.5 mg"), at: open.now)
        open.phone.drain(at: open.now)
        open.settle()
        #expect(clear.contains(sequence: Array("Methotrexate".utf8)))
    }

    @Test func lengths_do_not_tell_the_medicine() throws {
        var lengths: [Set<Int>] = []
        for name in ["Zinc", "Hydrochlorothiazide and lisinopril, film-coated"] {
            let box = try SealedPair(sealed: .lossyDatagram)
            box.connect()
            var seen: Set<Int> = []
            box.arrivals = { _, bytes in
                seen.insert(bytes.count)
                return [bytes]
            }
            // Longer than what goes along with it, shorter than the class.
            _ = try box.phone.send(
                userInfo(name + String(repeating: ".", count: 80)), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
            lengths.append(seen)
        }
        #expect(lengths[0] == lengths[1])
    }

    /// Names of every length that medicines have, each in a session of its own.
    @Test func names_of_all_lengths_fall_in_few_classes() throws {
        func lengths(_ padding: PaddingClasses) throws -> [Int: Int] {
            var histogram: [Int: Int] = [:]
            for count in 1...81 {
                let box = try SealedPair(sealed: .lossyDatagram, padding: padding)
                box.connect()
                var longest = 0
                box.arrivals = { role, bytes in
                    if role == .phone { longest = max(longest, bytes.count) }
                    return [bytes]
                }
                let name = String(repeating: "Amoxicillin ", count: 7).prefix(count)
                _ = try box.phone.send(userInfo(String(name)), at: box.now)
                box.phone.drain(at: box.now)
                box.settle()
                #expect(box.watch.host.delivered.count == 1)
                histogram[longest, default: 0] += 1
            }
            return histogram
        }
        let padded = try lengths(.standard)
        // 64 bytes and 256, with the header and the tag in front and behind.
        #expect(padded.count == 2, "\(padded)")
        #expect((padded.keys.max() ?? 0) - (padded.keys.min() ?? 0) == 256 - 64)
        #expect(padded.values.allSatisfy { $0 > 20 }, "\(padded)")
        // Without classes each length is another.
        let plain = try lengths(.off)
        #expect(plain.count >= 80, "\(plain)")
    }

    @Test func a_session_ends_after_a_day_and_another_follows() throws {
        let box = try SealedPair(sealed: .stream)
        box.connect()
        box.advance(by: .seconds(24 * 3600 - 1))
        #expect(box.isActive)
        box.advance(by: .seconds(1))
        #expect(!box.isActive)
        #expect(box.phone.host.events.contains(.linkClosed(.localRequest)))
        box.cut()
        box.reconnect()
        try box.exchange()
    }

    @Test func an_altered_packet_is_dropped_where_packets_get_lost() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        var altered = 0
        box.arrivals = { _, bytes in
            guard altered < 3, !isFlight(bytes) else { return [bytes] }
            altered += 1
            var bad = bytes
            bad[bad.count - 1 - altered] ^= 1
            return [bad]
        }
        func dropped() -> UInt64 {
            box.phone.counters.packetsDropped + box.watch.counters.packetsDropped
        }
        let before = dropped()
        try box.exchange()
        #expect(altered == 3 && box.isActive)
        #expect(dropped() == before + 3)
    }

    @Test func an_altered_packet_closes_a_stream() throws {
        let box = try SealedPair(sealed: .stream)
        box.connect()
        box.arrivals = { _, bytes in
            var bad = bytes
            bad[bad.count - 1] ^= 1
            return [bad]
        }
        _ = try box.phone.send(userInfo("a"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.events.contains(.linkClosed(.notAuthentic)))
        #expect(box.watch.host.delivered.isEmpty)
        box.arrivals = { [$1] }
        box.cut()
        box.reconnect()
        box.settle()
        #expect(box.watch.host.delivered.count == 1)
    }

    @Test func notices_and_other_versions_change_nothing() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        let notice = NoticePacket(version: 9, code: .incompatible)
            .packet(on: CarrierTraits.lossyDatagram.framing)
        var flight = WireWriter()
        DatagramHeader(unnumbered: .handshake).write(to: &flight)
        HandshakePacket(
            version: 0, senderSession: 5, receiverSession: 0,
            flight: [1, 2, 3]
        ).write(to: &flight)
        for bytes in [notice, flight.bytes] {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        #expect(box.isActive)
        #expect(box.watch.host.events.contains(.notice(version: 9, .incompatible)))
        box.settle()
        try box.exchange()
    }
}

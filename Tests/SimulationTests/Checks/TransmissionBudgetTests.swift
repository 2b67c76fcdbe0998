import Simulation
import Testing
import WatchProtoCore

/// The bytes that a side may transmit, exactly.
@Suite struct TransmissionBudgetTests {
    private let id = RecordID(
        epoch: EpochID(rawValue: 0xE1), channel: .background, number: RecordNumber(1))

    /// A record of 1,000 bytes: its head of 96, and one packet's of 41.
    private let record = 1_000 + 96 + 41
    /// Hellos, credit and a probe.
    private let opening = 600
    /// Three receipts.
    private let answer = 60

    private var accepted: (Int, RunObservation) { accepted(1_000) }

    private func accepted(_ bytes: Int) -> (Int, RunObservation) {
        let draft = RecordDraft(
            channel: .background, kind: .opaque, payload: [UInt8](repeating: 7, count: bytes))
        return (0, .accepted(id, draft))
    }

    private let session: (Int, RunObservation) = (0, .event(.activation(.activated)))

    /// A run that ended early, with `bytes` from side 0; so nothing else is looked at.
    private func end(
        _ bytes: Int, isLossy: Bool = false, isSealed: Bool = false, largest: Int = 1 << 14,
        _ change: (inout [WireTally]) -> Void = { _ in }
    ) -> (Int, RunObservation) {
        var wires = [WireTally(), WireTally()]
        wires[0].bytes = bytes
        wires[0].openings = 1
        change(&wires)
        let sides = wires.map { wire in
            SideEnding(
                isReachable: false, outstanding: [], quietWakes: 0, quietTime: .seconds(5),
                wakesInOneMoment: 1, wire: wire, runTime: .seconds(10))
        }
        let carrier = EndingCarrier(
            isLossy: isLossy, largestPacketBytes: largest, isSealed: isSealed)
        return (
            0,
            .ended(
                Ending(
                    isHealed: false, isDrained: false, deadDirection: nil, carrier: carrier,
                    sides: sides))
        )
    }

    @Test func one_byte_too_much_is_found() {
        let limit = record + opening
        #expect(found([accepted, end(limit)]) == [])
        #expect(found([accepted, end(limit + 1)]) == ["bounds"])
        #expect(found([end(opening)]) == [])
        #expect(found([end(opening + 1)]) == ["bounds"])
    }

    @Test func another_session_pays_for_what_is_not_over() {
        let again = 2 * record + opening
        #expect(found([accepted, session, end(again)]) == [])
        #expect(found([accepted, session, end(again + 1)]) == ["bounds"])
        let over: (Int, RunObservation) = (0, .event(.settled(id, .cancelled)))
        let asked: (Int, RunObservation) = (0, .cancelAsked(id))
        #expect(
            found([accepted, asked, over, session, end(record + opening + 1)]) == ["bounds"])
    }

    @Test func a_record_of_the_other_side_pays_for_its_notices() {
        func answered(_ bytes: Int) -> (Int, RunObservation) {
            end(0) { wires in
                wires[1].bytes = bytes
                wires[1].openings = 1
            }
        }
        #expect(found([accepted, answered(answer + opening)]) == [])
        #expect(found([accepted, answered(answer + opening + 1)]) == ["bounds"])
    }

    /// A ping follows at least 512 bytes of bulk, and 1,000 bytes are two such chunks at most.
    /// (Seed 263380.)
    @Test func bulk_of_the_other_side_pays_for_a_pong_after_each_chunk() {
        let bulk = RecordID(
            epoch: EpochID(rawValue: 0xE1), channel: .bulk, number: RecordNumber(1))
        let draft = RecordDraft(
            channel: .bulk, kind: .opaque, payload: [UInt8](repeating: 7, count: 1_000))
        func answered(_ more: Int, isLossy: Bool = false) -> [String] {
            let end = end(0, isLossy: isLossy) { wires in
                (wires[1].bytes, wires[1].openings) = (answer + opening + more, 1)
            }
            return found([(0, .accepted(bulk, draft)), end])
        }
        #expect(answered(2 * 20) == [])
        #expect(answered(2 * 20 + 1) == ["bounds"])
        #expect(answered(1, isLossy: true) == ["bounds"], "acknowledgements take their place")
    }

    @Test func what_was_lost_or_late_is_paid_for_once() {
        func lossy(_ more: Int) -> [String] {
            let change = { (wires: inout [WireTally]) in
                (wires[0].lostBytes, wires[0].lostPackets) = (300, 1)
                (wires[0].lateBytes, wires[0].latePackets) = (200, 1)
                wires[0].arrivals = 2
            }
            return found([accepted, end(record + opening + more, isLossy: true, change)])
        }
        #expect(lossy(300 + 200 + 2 * 60) == [])
        #expect(lossy(300 + 200 + 2 * 60 + 1) == ["bounds"])
        // A carrier that keeps everything repeats by itself what it has to.
        #expect(
            found([accepted, end(record + opening + 1) { $0[0].lostBytes = 300 }]) == ["bounds"])
    }

    @Test func a_time_out_needs_a_wake_and_something_that_did_not_come() {
        func timeouts(_ wakes: Int, _ lost: Int, _ more: Int) -> [String] {
            let change = { (wires: inout [WireTally]) in
                (wires[0].wakes, wires[0].largestBytes) = (wakes, 400)
                (wires[1].lostPackets, wires[1].latePackets) = (lost, 1)
            }
            return found([accepted, end(record + opening + more, isLossy: true, change)])
        }
        #expect(timeouts(2, 4, 2 * 2 * 400) == [])
        #expect(timeouts(2, 4, 2 * 2 * 400 + 1) == ["bounds"])
        #expect(timeouts(9, 0, 1 * 2 * 400) == [])
        #expect(timeouts(9, 0, 1 * 2 * 400 + 1) == ["bounds"])
    }

    @Test func a_record_in_small_packets_pays_for_each_of_them() {
        // 244 bytes hold 203 of it: five packets.
        let limit = 1_000 + 96 + 5 * 41 + opening
        #expect(found([accepted, end(limit, largest: 244)]) == [])
        #expect(found([accepted, end(limit + 1, largest: 244)]) == ["bounds"])
    }

    /// A head may be shorter than its price, so a record fits that seems too long; of a longer one
    /// a first window may leave. (Seeds 38871, 49742 and 101152.)
    @Test func a_record_may_leave_in_part_before_a_session_is_active() {
        func price(_ bytes: Int, _ packets: Int) -> Int { bytes + 96 + packets * 41 }
        for (bytes, packets, early) in [
            (16_354, 2, price(16_354, 2)), (1 << 14, 2, price(14_720, 1)),
            (30_000, 2, price(14_720, 1)),
        ] {
            let limit = price(bytes, packets) + early + opening
            let story = [accepted(bytes), (0, RunObservation.linkOpened)]
            #expect(found(story + [end(limit)]) == [])
            #expect(found(story + [end(limit + 1)]) == ["bounds"])
        }
    }

    /// It spoke behind message 2, and died before anything of the session came. (Seed 72849.)
    @Test func a_session_that_only_the_other_side_was_in_has_its_price() {
        let theirs: (Int, RunObservation) = (1, .event(.activation(.activated)))
        let crash: (Int, RunObservation) = (0, .crashed)
        let limit = record + opening
        #expect(found([accepted, theirs, crash, end(limit + record)]) == [])
        #expect(found([accepted, theirs, crash, end(limit + record + 1)]) == ["bounds"])
        #expect(found([accepted, theirs, end(limit + 1)]) == ["bounds"])
        #expect(found([accepted, theirs, session, crash, end(limit + record + 1)]) == ["bounds"])
    }

    @Test func a_seal_has_its_price() {
        let sealed = (record + 17) * 5 / 4 + opening + 5 * 96
        #expect(found([accepted, end(sealed, isSealed: true)]) == [])
        #expect(found([accepted, end(sealed + 1, isSealed: true)]) == ["bounds"])
    }

    /// From 8,192 bytes on to a multiple of 4,096, where a packet has that many.
    @Test func a_long_packet_is_filled_up_by_a_step() {
        let head = 96 + 41 + 17
        for (payload, padding) in [(8_382, 4_096), (8_191 - head, 2_047)] {
            let limit = payload + head + padding + opening + 5 * 96
            #expect(found([accepted(payload), end(limit, isSealed: true)]) == [])
            #expect(found([accepted(payload), end(limit + 1, isSealed: true)]) == ["bounds"])
        }
        let short = (8_382 + 96 + 3 * (41 + 17)) * 5 / 4 + opening + 5 * 96
        #expect(found([accepted(8_382), end(short, isSealed: true, largest: 4096)]) == [])
        #expect(
            found([accepted(8_382), end(short + 1, isSealed: true, largest: 4096)]) == ["bounds"])
    }
}

import Simulation
import Testing
import WatchProtoCore

@testable import NetworkEmulation

/// A direction without sockets and without a clock: moments are given.
@Suite struct ConditionedDirectionTests {
    private static func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private static func direction(
        _ settings: String, kind: LinkKind = .lossyDatagram
    ) throws -> ConditionedDirection {
        var conditions = DirectionConditions()
        try ConditionSettings(settings).apply(to: &conditions)
        return ConditionedDirection(conditions, .roundTrip, kind: kind, seed: 7, at: at(0))
    }

    /// The arrivals up to a moment: the first byte of each, and its time in milliseconds.
    private static func due(
        _ direction: inout ConditionedDirection, by moment: UInt64
    ) -> [[UInt64]] {
        var found: [[UInt64]] = []
        while let arrival = direction.takeDue(at: at(moment)) {
            let moment = (arrival.at.nanoseconds - 1_000_000_000) / 1_000_000
            found.append([UInt64(arrival.bytes[0]), moment])
        }
        return found
    }

    private static func offer(_ count: UInt8, to direction: inout ConditionedDirection) {
        for number in 0..<count { direction.offer(packet(number), channel: 0, at: at(0)) }
    }

    private static func packet(_ number: UInt8) -> [UInt8] {
        [number] + [UInt8](repeating: 0, count: 124)
    }

    @Test func arrivals_come_in_the_order_of_their_moments() {
        var heap = ArrivalHeap()
        let moments: [UInt64] = [5, 3, 9, 3, 1, 7, 3, 0, 8]
        for (number, moment) in moments.enumerated() {
            heap.insert(
                PlannedArrival(
                    at: Self.at(moment), number: UInt64(number), bytes: [], departsAt: .zero,
                    channel: number % 2))
        }
        #expect(heap.removeAll { $0.channel == 1 }.map(\.number) == [1, 3, 5, 7])
        var order: [UInt64] = []
        while heap.first != nil { order.append(heap.removeFirst().number) }
        #expect(order == [4, 6, 0, 8, 2])
    }

    @Test func a_packet_pays_its_time_on_the_line_and_its_delay() throws {
        // 125 bytes at 100 kbit/s: 10 ms each.
        var direction = try Self.direction("delay=50ms,rate=100kbit/s")
        Self.offer(3, to: &direction)
        #expect(Self.due(&direction, by: 59) == [])
        #expect(Self.due(&direction, by: 80) == [[0, 60], [1, 70], [2, 80]])
    }

    @Test func exactly_the_named_packets_are_dropped() throws {
        var direction = try Self.direction("delay=5ms")
        Self.offer(2, to: &direction)
        direction.drop([2, 5])
        for number: UInt8 in 2..<8 {
            direction.offer(Self.packet(number), channel: 0, at: Self.at(0))
        }
        // Counted from the call: the fourth and the seventh of all.
        #expect(Self.due(&direction, by: 10).map { $0[0] } == [0, 1, 2, 4, 5, 7])
        #expect(direction.snapshot.dropped == 2)
        #expect(direction.snapshot.link.offeredPackets == 6)
    }

    @Test func what_has_not_left_meets_the_new_conditions_at_once_and_what_has_does_not() throws {
        var direction = try Self.direction("delay=50ms,rate=100kbit/s")
        Self.offer(5, to: &direction)
        var faster = DirectionConditions()
        try ConditionSettings("delay=5ms").apply(to: &faster)
        // Two have left: at 10 and at 20 ms.
        direction.set(faster, .roundTrip, at: Self.at(25))
        // The packets that had left first keep their moments; nothing overtakes them.
        #expect(
            Self.due(&direction, by: 200) == [[0, 60], [1, 70], [2, 70], [3, 70], [4, 70]])
        #expect(direction.snapshot.link.offeredPackets == 5)
        #expect(direction.snapshot.link.arrivals == 5)
        #expect(direction.snapshot.link.takenBytes == 625)
    }

    @Test(arguments: [LinkKind.reliableDatagram, .stream(.whole)])
    func a_lossless_link_that_is_down_keeps_everything_in_order(_ kind: LinkKind) throws {
        var direction = try Self.direction("delay=50ms,rate=100kbit/s,loss=20%", kind: kind)
        Self.offer(3, to: &direction)
        direction.setDown(true, at: Self.at(15))
        #expect(!direction.mayTake && direction.nextRetry == nil)
        direction.offer(Self.packet(3), channel: 0, at: Self.at(20))
        let before = Self.due(&direction, by: 5_000)
        #expect(before.map { $0[0] } == [0])
        direction.setDown(false, at: Self.at(6_000))
        let after = Self.due(&direction, by: 60_000)
        #expect(after.map { $0[0] } == [1, 2, 3])
        #expect(after.allSatisfy { $0[1] >= 6_060 })
        #expect(direction.snapshot.link.offeredPackets == 4)
        #expect(direction.mayTake)
    }

    @Test func a_lossless_link_without_a_rate_keeps_what_it_gets_until_it_has_one() throws {
        var direction = try Self.direction("rate=0bit/s", kind: .stream(.whole))
        direction.offer(Self.packet(1), channel: 0, at: Self.at(0))
        #expect(Self.due(&direction, by: 5_000) == [])
        direction.set(DirectionConditions(), .roundTrip, at: Self.at(6_000))
        #expect(Self.due(&direction, by: 6_000) == [[1, 6_000]])
    }

    @Test func a_run_of_losses_ends_with_the_conditions_that_began_it() throws {
        var direction = try Self.direction("delay=5ms,loss=100%,burst=10000")
        for number in 0..<5 as Range<UInt8> {
            direction.offer(Self.packet(number), channel: 0, at: Self.at(UInt64(number)))
        }
        #expect(Self.due(&direction, by: 100) == [])
        var dry = DirectionConditions()
        try ConditionSettings("delay=5ms,loss=0%").apply(to: &dry)
        direction.set(dry, .roundTrip, at: Self.at(100))
        for number in 0..<5 as Range<UInt8> {
            direction.offer(Self.packet(number), channel: 0, at: Self.at(101))
        }
        #expect(Self.due(&direction, by: 200).count == 5)
    }

    @Test func a_single_blackout_comes_once_each_time_it_is_asked_for() throws {
        var direction = try Self.direction("delay=5ms,blackout=1s")
        func passes(_ moment: UInt64) -> Bool {
            direction.offer(Self.packet(1), channel: 0, at: Self.at(moment))
            return !Self.due(&direction, by: moment + 6).isEmpty
        }
        #expect(!passes(500) && passes(1_001))
        // Another change does not begin it again.
        var conditions = direction.conditions
        try ConditionSettings("loss=0%,duplication=0%,rate=10Mbit/s").apply(to: &conditions)
        direction.set(conditions, .roundTrip, at: Self.at(2_000))
        #expect(passes(2_100))
        // The same does, where it is named.
        direction.set(conditions, .roundTrip, restartsBlackouts: true, at: Self.at(3_000))
        #expect(!passes(3_500) && passes(4_001))
        direction.set(conditions, .roundTrip, at: Self.at(5_000))
        #expect(passes(5_100))
    }

    @Test func a_lossy_link_that_is_down_loses_what_comes() throws {
        var direction = try Self.direction("delay=5ms")
        direction.setDown(true, at: Self.at(0))
        direction.offer(Self.packet(1), channel: 0, at: Self.at(1))
        direction.setDown(false, at: Self.at(2))
        direction.offer(Self.packet(2), channel: 0, at: Self.at(3))
        #expect(Self.due(&direction, by: 100) == [[2, 8]])
        #expect(direction.snapshot.link.lost(to: .outage) == 1)
    }

    @Test func a_stream_takes_what_fits_and_the_rest_later() throws {
        var direction = try Self.direction(
            "rate=8kbit/s,queue-bytes=1kB", kind: .stream(.whole))
        // An empty queue takes any one write; the next finds no room.
        direction.offer([UInt8](repeating: 1, count: 1_000), channel: 0, at: Self.at(0))
        direction.offer([UInt8](repeating: 2, count: 1_500), channel: 0, at: Self.at(0))
        #expect(!direction.mayTake)
        var taken: [UInt8] = []
        var moments: [Instant] = []
        for _ in 0..<4 {
            guard let moment = direction.nextRetry else { break }
            moments.append(moment)
            direction.offerBacklog(at: moment)
        }
        while let arrival = direction.takeDue(at: Self.at(10_000)) { taken += arrival.bytes }
        #expect(taken == [UInt8](repeating: 1, count: 1_000) + [UInt8](repeating: 2, count: 1_500))
        #expect(moments.first == Self.at(1_000))
        #expect(direction.mayTake)
    }

    @Test func a_receiver_without_room_is_left_alone_for_a_moment_and_then_gets_all_in_order()
        throws
    {
        var direction = try Self.direction("delay=5ms")
        Self.offer(3, to: &direction)
        let taken = direction.takeDue(at: Self.at(5))
        let first = try #require(taken)
        direction.putOff(first, until: Self.at(6))
        #expect(direction.nextDue == Self.at(6))
        #expect(Self.due(&direction, by: 5) == [])
        #expect(Self.due(&direction, by: 6) == [[0, 5], [1, 5], [2, 5]])
    }

    @Test func a_connection_that_has_ended_is_forgotten() throws {
        var direction = try Self.direction("delay=50ms", kind: .stream(.whole))
        direction.offer([1], channel: 1, at: Self.at(0))
        direction.offer([2], channel: 2, at: Self.at(0))
        #expect(direction.isCarrying(1))
        direction.forget(1)
        #expect(!direction.isCarrying(1) && direction.isCarrying(2))
    }

    @Test func the_blackouts_of_a_rhythm_do_not_run_out() throws {
        var direction = try Self.direction("blackout=20ms every 100ms")
        var arrived = 0
        for number in 0..<20_000 {
            direction.offer([1], channel: 0, at: Self.at(UInt64(number) * 10))
        }
        while direction.takeDue(at: Self.at(300_000)) != nil { arrived += 1 }
        #expect(arrived == 16_000)
    }
}

import Testing

@testable import FormerCore

/// The rate that is measured is the line's, whatever else the acknowledgements show.
@Suite struct DeliveryRateTests {
    private var rate = DeliveryRate()
    private var sentAt: UInt64 = 0
    private var arrival: UInt64 = 40_000

    /// Packets of 1000 bytes; both waits in microseconds.
    private mutating func packets(
        _ count: Int, bytes: Int = 1000, sentEvery departures: UInt64,
        arriveEvery arrivals: UInt64, isHeldBack: Bool = true, isQueued: Bool = false,
        noise: (Int) -> Int64 = { _ in 0 }
    ) {
        for place in 0..<count {
            sentAt += departures
            arrival += arrivals
            rate.acknowledged(
                bytes: bytes, arrival: UInt64(Int64(arrival) + noise(place)),
                sentAt: Instant(nanoseconds: sentAt * 1000), isHeldBack: isHeldBack,
                shortest: .milliseconds(5), isQueued: isQueued)
        }
    }

    private var measured: Double { rate.bytesPerSecond ?? 0 }

    @Test mutating func a_steady_line_is_measured() {
        packets(2, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(rate.bytesPerSecond == nil)
        packets(1, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        packets(2000, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
    }

    @Test mutating func a_burst_is_spaced_by_the_line() {
        packets(10, sentEvery: 0, arriveEvery: 10_000, isHeldBack: false)
        #expect(abs(measured - 100_000) < 1)
    }

    @Test mutating func a_few_short_packets_show_nothing() {
        // Told apart by jitter alone.
        for _ in 0..<5 {
            packets(3, bytes: 85, sentEvery: 20_000, arriveEvery: 50_000, isHeldBack: false)
            packets(1, bytes: 85, sentEvery: 120_000, arriveEvery: 30_000, isHeldBack: false)
        }
        #expect(rate.bytesPerSecond == nil)
        packets(10, sentEvery: 0, arriveEvery: 10_000, isHeldBack: false)
        #expect(abs(measured - 100_000) < 1)
        // Nor do they lower it, though packets seem to queue.
        packets(12, bytes: 85, sentEvery: 20_000, arriveEvery: 50_000, isQueued: true)
        #expect(abs(measured - 100_000) < 1)
        packets(30, bytes: 85, sentEvery: 20_000, arriveEvery: 50_000, isQueued: true)
        #expect(measured < 2000)
    }

    @Test mutating func what_arrives_a_little_later_than_it_left_is_no_burst() {
        packets(50, sentEvery: 10_000, arriveEvery: 15_000, isHeldBack: false)
        #expect(rate.bytesPerSecond == nil)
        packets(50, sentEvery: 10_000, arriveEvery: 21_000, isHeldBack: false)
        #expect(abs(measured - 1e9 / 21_000) < 1)
    }

    @Test mutating func acknowledgements_of_many_packets_tell_the_same() {
        packets(20, bytes: 8000, sentEvery: 80_000, arriveEvery: 80_000)
        #expect(abs(measured - 100_000) < 1)
    }

    /// Packets that the receiver reads all at once came no faster than they left.
    @Test mutating func arrivals_that_were_read_together_do_not_raise_it() {
        packets(10, sentEvery: 10_000, arriveEvery: 10_000)
        packets(30, sentEvery: 10_000, arriveEvery: 600)
        #expect(abs(measured - 100_000) < 1)
    }

    @Test mutating func what_was_sent_too_slowly_neither_sets_nor_lowers_it() {
        packets(50, sentEvery: 50_000, arriveEvery: 50_000, isHeldBack: false)
        #expect(rate.bytesPerSecond == nil)
        packets(10, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        packets(500, sentEvery: 50_000, arriveEvery: 50_000, isHeldBack: false)
        packets(500, sentEvery: 50_000, arriveEvery: 50_000, isHeldBack: true)
        #expect(abs(measured - 100_000) < 1)
        // What arrived faster shows that more fits, whoever sent it.
        packets(10, sentEvery: 5000, arriveEvery: 5000, isHeldBack: false)
        #expect(abs(measured - 200_000) < 1)
    }

    @Test mutating func noise_moves_it_little() {
        var generator = SeededGenerator(seed: 9)
        packets(
            500, sentEvery: 10_000, arriveEvery: 10_000,
            noise: { _ in Int64(generator.uniform(in: 0...4000)) - 2000 })
        #expect(measured <= 100_001 && measured > 95_000, "\(measured)")
    }

    @Test mutating func only_a_line_that_queues_all_the_time_lowers_it() {
        packets(20, sentEvery: 10_000, arriveEvery: 10_000)
        // Slower arrivals without a queue: something else spaced them.
        packets(50, sentEvery: 10_000, arriveEvery: 20_000)
        #expect(abs(measured - 100_000) < 1)
        // A queue that comes and goes.
        for _ in 0..<20 {
            packets(6, sentEvery: 10_000, arriveEvery: 20_000, isQueued: true)
            packets(1, sentEvery: 10_000, arriveEvery: 20_000)
        }
        #expect(abs(measured - 100_000) < 1)
        packets(8, sentEvery: 10_000, arriveEvery: 20_000, isQueued: true)
        #expect(abs(measured - 100_000) < 1)
        packets(1, sentEvery: 10_000, arriveEvery: 20_000, isQueued: true)
        #expect(abs(measured - 50_000) < 1)
        // A queue that is sent to as fast as it drains is no measure.
        packets(1, sentEvery: 40_000, arriveEvery: 40_000)
        packets(40, sentEvery: 40_000, arriveEvery: 40_000, isQueued: true)
        #expect(abs(measured - 50_000) < 1)
    }

    /// A receiver that was suspended reads at once what came meanwhile: seconds lie between packets
    /// that left together. (Sealed seed 2572538 measured 1 kB/s on a line of 25, and kept to it.)
    @Test(arguments: [false, true]) mutating func a_suspended_receiver_measures_nothing(
        isKnown: Bool
    ) {
        if isKnown { packets(20, sentEvery: 10_000, arriveEvery: 10_000, isQueued: true) }
        packets(2, sentEvery: 100, arriveEvery: 10_000, isHeldBack: false, isQueued: true)
        arrival += 5_000_000
        packets(8, sentEvery: 100, arriveEvery: 0, isHeldBack: false, isQueued: true)
        #expect(rate.bytesPerSecond.map { abs($0 - 100_000) < 1 } == (isKnown ? true : nil))
        // A line that is slow spaces all of them.
        packets(12, sentEvery: 100, arriveEvery: 100_000, isQueued: true)
        #expect(measured < 11_000)
    }

    @Test mutating func a_session_with_another_clock_goes_on_with_what_was_measured() {
        packets(20, sentEvery: 10_000, arriveEvery: 10_000)
        rate.beginSession()
        arrival = 3
        packets(2, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        packets(20, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        // Within a session, what is older than what is known says nothing.
        arrival = 5
        packets(5, sentEvery: 0, arriveEvery: 6000, isHeldBack: true)
        #expect(abs(measured - 100_000) < 1)
    }
}

import Testing

@testable import WatchProtoCore

/// The measured rate is the rate of the line, whatever else the acknowledgements show.
@Suite struct DeliveryRateTests {
    private var rate = DeliveryRate()
    private var sentAt: UInt64 = 0
    private var arrival: UInt64 = 40_000

    /// Packets of 1000 bytes; both waits in microseconds.
    private mutating func packets(
        _ count: Int, bytes: Int = 1000, sentEvery departures: UInt64,
        arriveEvery arrivals: UInt64, wasPaced: Bool = true, isQueued: Bool = false,
        noise: (Int) -> Int64 = { _ in 0 }
    ) {
        for place in 0..<count {
            sentAt += departures
            arrival += arrivals
            rate.acknowledged(
                bytes: bytes, arrival: UInt64(Int64(arrival) + noise(place)),
                sentAt: Instant(nanoseconds: sentAt * 1000), wasPaced: wasPaced,
                shortest: .milliseconds(5), isQueued: isQueued)
        }
    }

    private var measured: Double { rate.bytesPerSecond ?? 0 }

    @Test("A steady line is measured from the third packet on")
    mutating func aSteadyLineIsMeasuredFromTheThird() {
        packets(2, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(rate.bytesPerSecond == nil)
        packets(1, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        packets(2000, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
    }

    @Test("The line spaces a burst, which shows its rate")
    mutating func theLineSpacesABurstWhichShowsIts() {
        packets(10, sentEvery: 0, arriveEvery: 10_000, wasPaced: false)
        #expect(abs(measured - 100_000) < 1)
    }

    @Test("A few short packets neither set nor lower the rate")
    mutating func aFewShortPacketsNeitherSetNorLower() {
        // Jitter alone spaces them.
        for _ in 0..<5 {
            packets(3, bytes: 85, sentEvery: 20_000, arriveEvery: 50_000, wasPaced: false)
            packets(1, bytes: 85, sentEvery: 120_000, arriveEvery: 30_000, wasPaced: false)
        }
        #expect(rate.bytesPerSecond == nil)
        packets(10, sentEvery: 0, arriveEvery: 10_000, wasPaced: false)
        #expect(abs(measured - 100_000) < 1)
        // Nor do they lower it, though packets seem to queue.
        packets(12, bytes: 85, sentEvery: 20_000, arriveEvery: 50_000, isQueued: true)
        #expect(abs(measured - 100_000) < 1)
        packets(30, bytes: 85, sentEvery: 20_000, arriveEvery: 50_000, isQueued: true)
        #expect(measured < 2000)
    }

    @Test("Only arrivals twice as far apart as departures are a burst")
    mutating func onlyArrivalsTwiceAsFarApartAsDepartures() {
        packets(50, sentEvery: 10_000, arriveEvery: 15_000, wasPaced: false)
        #expect(rate.bytesPerSecond == nil)
        packets(50, sentEvery: 10_000, arriveEvery: 21_000, wasPaced: false)
        #expect(abs(measured - 1e9 / 21_000) < 1)
    }

    @Test("Acknowledgements of many packets show the same rate")
    mutating func acknowledgementsOfManyPacketsShowTheSameRate() {
        packets(20, bytes: 8000, sentEvery: 80_000, arriveEvery: 80_000)
        #expect(abs(measured - 100_000) < 1)
    }

    /// Packets that the receiver reads all at once came no faster than they left.
    @Test("Arrivals that were read together do not raise the rate")
    mutating func arrivalsThatWereReadTogetherDoNotRaise() {
        packets(10, sentEvery: 10_000, arriveEvery: 10_000)
        packets(30, sentEvery: 10_000, arriveEvery: 600)
        #expect(abs(measured - 100_000) < 1)
    }

    @Test("An application with little to send neither sets nor lowers the rate")
    mutating func anApplicationWithLittleToSendNeitherSets() {
        packets(50, sentEvery: 50_000, arriveEvery: 50_000, wasPaced: false)
        #expect(rate.bytesPerSecond == nil)
        packets(10, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        packets(500, sentEvery: 50_000, arriveEvery: 50_000, wasPaced: false)
        packets(500, sentEvery: 50_000, arriveEvery: 50_000, wasPaced: true)
        #expect(abs(measured - 100_000) < 1)
        // Faster arrivals show that more fits, also without pacing.
        packets(10, sentEvery: 5000, arriveEvery: 5000, wasPaced: false)
        #expect(abs(measured - 200_000) < 1)
    }

    @Test("Jitter moves the rate by less than five percent")
    mutating func jitterMovesTheRateByLessThanFive() {
        var generator = SeededGenerator(seed: 9)
        packets(
            500, sentEvery: 10_000, arriveEvery: 10_000,
            noise: { _ in Int64(generator.uniform(in: 0...4000)) - 2000 })
        #expect(measured <= 100_001 && measured > 95_000, "\(measured)")
    }

    @Test("Only a line that queues all the time lowers the rate")
    mutating func onlyALineThatQueuesAllTheTime() {
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

    /// A suspended receiver reads at once what arrived meanwhile, so seconds lie between packets
    /// that left together. A simulation once measured 1 kB/s on a line of 25 kB/s, and kept to it.
    @Test("A suspended receiver sets no rate", arguments: [false, true])
    mutating func aSuspendedReceiverSetsNoRate(
        isKnown: Bool
    ) {
        if isKnown { packets(20, sentEvery: 10_000, arriveEvery: 10_000, isQueued: true) }
        packets(2, sentEvery: 100, arriveEvery: 10_000, wasPaced: false, isQueued: true)
        arrival += 5_000_000
        packets(8, sentEvery: 100, arriveEvery: 0, wasPaced: false, isQueued: true)
        #expect(rate.bytesPerSecond.map { abs($0 - 100_000) < 1 } == (isKnown ? true : nil))
        // A line that is slow spaces all of them.
        packets(12, sentEvery: 100, arriveEvery: 100_000, isQueued: true)
        #expect(measured < 11_000)
    }

    @Test("A new session keeps the rate and takes another clock")
    mutating func aNewSessionKeepsTheRateAndTakes() {
        packets(20, sentEvery: 10_000, arriveEvery: 10_000)
        rate.beginSession()
        arrival = 3
        packets(2, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        packets(20, sentEvery: 10_000, arriveEvery: 10_000)
        #expect(abs(measured - 100_000) < 1)
        // Within a session, older arrivals than the last one say nothing.
        arrival = 5
        packets(5, sentEvery: 0, arriveEvery: 6000, wasPaced: true)
        #expect(abs(measured - 100_000) < 1)
    }
}

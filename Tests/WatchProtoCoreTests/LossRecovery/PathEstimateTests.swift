import Testing

@testable import WatchProtoCore

/// When packets may leave on a path, and what is remembered of it.
@Suite struct PathEstimateTests {
    /// 100 kB a second, 20 ms each way, measured and idle for a while.
    private static func known(
        bytesPerSecond: Double = 100_000, way: Duration = .milliseconds(20), packets: Int = 20
    ) -> MeasuredLine {
        var line = MeasuredLine(bytesPerSecond: bytesPerSecond, way: way)
        line.burst(packets)
        line.wait(.seconds(30))
        return line
    }

    private static func isNear(_ value: Double?, _ expected: Double, _ share: Double = 0.01) -> Bool
    {
        abs((value ?? 0) - expected) <= expected * share
    }

    // MARK: Pace

    @Test("Before the rate is known the initial window limits what leaves")
    func beforeTheRateIsKnownTheInitialWindow() {
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
        #expect(line.path.bytesPerSecond == nil)
        #expect(line.mayLeave(11_999) && !line.mayLeave(12_000))
        // Urgent packets do not wait for lost ones.
        #expect(line.mayLeave(12_000 + 8191, isUrgent: true))
        #expect(!line.mayLeave(12_000 + 8192, isUrgent: true))
        let departure = line.path.nextDeparture(
            isUrgent: false, inFlightBytes: 0, roundTrip: nil)
        #expect(departure == nil)
        // Arrivals widen the window.
        line.burst(2, bytes: 500)
        #expect(line.path.bytesPerSecond == nil && line.mayLeave(12_999))
        #expect(
            PathEstimate.initialWindow(1200) == 12_000 && PathEstimate.initialWindow(1472) == 14_720
        )
        #expect(
            PathEstimate.initialWindow(9000) == 18_000 && PathEstimate.initialWindow(244) == 2440)
    }

    /// A fast line takes ten packets in a millisecond. That is a first sample all the same: without
    /// one, the window would cost a round trip of 40 ms.
    @Test("One initial window measures a fast line")
    func oneInitialWindowMeasuresAFastLine() {
        var line = MeasuredLine(bytesPerSecond: 12_500_000, way: .milliseconds(20))
        line.burst(10, bytes: 1200)
        #expect(Self.isNear(line.path.bytesPerSecond, 12_500_000, 0.1))
    }

    /// The first sample spans no share of the round trip beyond 5 ms.
    @Test("A few milliseconds measure a line with a long round trip")
    func aFewMillisecondsMeasureALineWithA() {
        var line = MeasuredLine(bytesPerSecond: 1_250_000, way: .milliseconds(750))
        line.burst(8, bytes: 1200)
        #expect(Self.isNear(line.path.bytesPerSecond, 1_250_000, 0.1))
    }

    /// The acknowledgements of a transfer the other way may be more than the line seems to carry.
    /// Content leaves all the same.
    @Test("Acknowledgements do not delay content")
    func acknowledgementsDoNotDelayContent() {
        var line = Self.known(bytesPerSecond: 2000)
        line.path.sent(500, roundTrip: line.trips.smoothed, at: line.now)
        #expect(!line.mayLeave(0))
        let sentAt = line.now
        while !line.mayLeave(0), sentAt.duration(to: line.now) < .seconds(10) {
            line.wait(.milliseconds(20))
            line.path.sent(
                85, isAcknowledgement: true, roundTrip: line.trips.smoothed, at: line.now)
        }
        let waited = sentAt.duration(to: line.now)
        #expect(waited >= .milliseconds(250) && waited <= .milliseconds(1020), "\(waited)")
        // Content pays for them until then: with it they take no more than the line carries.
        line.path.sent(500, roundTrip: line.trips.smoothed, at: line.now)
        line.path.sent(85, isAcknowledgement: true, roundTrip: line.trips.smoothed, at: line.now)
        let next = line.path.nextDeparture(
            isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
        #expect(line.now.duration(to: next ?? .zero) > .milliseconds(250 + 25))
    }

    @Test("Packets leave as far apart as the line needs for them")
    func packetsLeaveAsFarApartAsTheLine() {
        var line = Self.known()
        #expect(Self.isNear(line.path.bytesPerSecond, 100_000))
        for gap in line.gaps(20) {
            // Up to a twentieth more, so that the line is never idle.
            #expect(gap <= 0.010_001 && gap >= 0.009_5, "\(gap) s")
        }
        for gap in line.gaps(20, bytes: 500) { #expect(gap <= 0.005_001 && gap >= 0.004_7) }
    }

    @Test("A queue lowers the pace and its end restores it")
    func aQueueLowersThePaceAndItsEnd() {
        var line = Self.known()
        line.burst(3)
        #expect(line.path.queue <= .milliseconds(21))
        line.burst(3, behind: .milliseconds(300))
        #expect(line.path.queue >= .milliseconds(300))
        let slow = line.gaps(1)
        #expect(slow.allSatisfy { $0 > 0.011 && $0 <= 0.0134 }, "\(slow)")
        // Older than two round trips: it has left the path since.
        line.wait(.seconds(3))
        let usual = line.gaps(1)
        #expect(usual.allSatisfy { $0 <= 0.010_001 }, "\(usual)")
    }

    @Test("Random loss never lowers the rate")
    func randomLossNeverLowersTheRate() {
        var line = Self.known()
        for _ in 0..<50 {
            line.burst(4, lost: 1)
            line.wait(.milliseconds(200))
        }
        #expect(line.path.lossShare > 0.3)
        #expect(Self.isNear(line.path.bytesPerSecond, 100_000))
        line.wait(.seconds(1))
        let gaps = line.gaps(10)
        #expect(gaps.allSatisfy { $0 <= 0.010_001 }, "\(gaps)")
        // A late packet was no loss.
        let share = line.path.lossShare
        line.path.spuriouslyLost(20)
        #expect(line.path.lossShare < share)
    }

    @Test("A rate that is far too low rises with packets of any size")
    func aRateThatIsFarTooLowRises() {
        for sizes in [[10_000], [10_000, 25], [25, 1000, 25, 25, 10_000]] {
            let slow = Self.known(bytesPerSecond: 50_000, way: .milliseconds(1))
            var fast = MeasuredLine(
                slow.path, bytesPerSecond: 50_000_000, way: .milliseconds(1), at: slow.now)
            fast.path.beginSession()
            fast.paced(400, bytes: sizes)
            #expect((fast.path.bytesPerSecond ?? 0) > 1_000_000, "\(sizes)")
            #expect(fast.path.queue < .milliseconds(1), "\(sizes)")
        }
    }

    @Test("An overload limits the bytes in flight until packets arrive without loss")
    func anOverloadLimitsTheBytesInFlightUntil() {
        var line = Self.known(bytesPerSecond: 1_000_000, way: .milliseconds(50))
        #expect(line.mayLeave(90_000))
        line.path.overloaded(inFlightBytes: 90_000)
        #expect(line.mayLeave(62_999) && !line.mayLeave(63_000))
        line.path.overloaded(inFlightBytes: 1000)
        #expect(line.mayLeave(11_999) && !line.mayLeave(12_000))
        // Arrivals without loss widen the limit.
        for _ in 0..<200 {
            line.burst(10)
            line.wait(.milliseconds(300))
        }
        #expect(line.mayLeave(90_000))
        #expect(Self.isNear(line.path.bytesPerSecond, 1_000_000))
    }

    @Test("Urgent packets leave ahead of the pace")
    func urgentPacketsLeaveAheadOfThePace() throws {
        var line = Self.known()
        _ = line.gaps(5)
        func departure(_ isUrgent: Bool) throws -> Instant {
            try #require(
                line.path.nextDeparture(
                    isUrgent: isUrgent, inFlightBytes: 0, roundTrip: line.trips.smoothed))
        }
        let usual = try departure(false)
        // Three packets of 1200 bytes take 36 ms.
        let ahead = Double(try departure(true).duration(to: usual).nanosecondsClamped)
        #expect(Self.isNear(ahead, 36e6))
        #expect(line.mayLeave(0, isUrgent: true) && !line.mayLeave(0))
        line.now = usual
        #expect(line.mayLeave(0))
    }

    @Test("A bulk transfer pauses every 2.5 s until nothing queues")
    func aBulkTransferPausesEvery25S() throws {
        var line = Self.known()
        func gap(isBulk: Bool) throws -> Double {
            line.path.sent(1000, isBulk: isBulk, roundTrip: line.trips.smoothed, at: line.now)
            let next = line.path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
            return Double(line.now.duration(to: try #require(next)).nanosecondsClamped) / 1e9
        }
        var pauses: [Double] = []
        for place in 0..<1000 {
            line.wait(.milliseconds(20))
            if try gap(isBulk: true) > 0.015 { pauses.append(Double(place) * 0.02) }
        }
        // As long as a packet takes and once more, every two and a half seconds of twenty.
        #expect(pauses.count == 7, "\(pauses)")
        for (first, second) in zip(pauses, pauses.dropFirst()) {
            #expect(second - first >= 2.5 && second - first < 2.53, "\(pauses)")
        }
        line.wait(.seconds(10))
        let usual = try gap(isBulk: false)
        #expect(usual < 0.011)
        line.wait(.seconds(1))
        let paused = try gap(isBulk: true)
        #expect(paused > 0.019)
    }

    @Test("Bulk begins with a few packets while the rate is unknown")
    func bulkBeginsWithAFewPacketsWhileThe() {
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
        func mayLeave(_ bytes: Int) -> Bool { line.path.mayLeaveBulk(inFlightBytes: bytes) }
        #expect(mayLeave(4799) && !mayLeave(4800))
        line.burst(2, bytes: 500)
        #expect(line.path.bytesPerSecond == nil)
        #expect(mayLeave(5799) && !mayLeave(5800))
        // However little may be in flight, a transfer begins.
        line.path.overloaded(inFlightBytes: 0)
        #expect(mayLeave(4799) && !mayLeave(4800))
        line.burst(20)
        #expect(line.path.bytesPerSecond != nil && mayLeave(1_000_000))
        line = MeasuredLine(
            PathEstimate(datagramBytes: 244), bytesPerSecond: 100_000, way: .milliseconds(20))
        #expect(mayLeave(3299) && !mayLeave(3300))
    }

    @Test("No packet waits longer than a second for the pace")
    func noPacketWaitsLongerThanASecondFor() throws {
        var line = Self.known()
        func wait() throws -> Double {
            let next = line.path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
            return Double(line.now.duration(to: try #require(next)).nanosecondsClamped) / 1e9
        }
        line.path.sent(50_000, roundTrip: line.trips.smoothed, at: line.now)
        #expect(try wait() > 0.47 && wait() <= 0.5)
        line.path.sent(500_000, roundTrip: line.trips.smoothed, at: line.now)
        #expect(try wait() == 1)
    }

    @Test("Packets sent before the rate was known count once it is")
    func packetsSentBeforeTheRateWasKnownCount() throws {
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
        line.burst(10)
        #expect(Self.isNear(line.path.bytesPerSecond, 100_000))
        var packets = SentPackets<TestReference>()
        for number in 0..<20 {
            packets.append(
                SentPackets<TestReference>.Packet(
                    number: UInt64(number), sentAt: line.now, bytes: 1000, references: [],
                    wasPaced: false, coveredBy: UInt64(number)))
        }
        line.wait(.milliseconds(50))
        line.path.account(for: packets, at: line.now)
        let next = line.path.nextDeparture(
            isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
        let wait = line.now.duration(to: try #require(next))
        // 20 packets take 200 ms, of which 50 have passed.
        #expect(Self.isNear(Double(wait.nanosecondsClamped), 150e6), "\(wait)")
    }

    @Test("Only a paced packet makes up for a late wake-up")
    func onlyAPacedPacketMakesUpForA() throws {
        var line = Self.known()
        func wait(wasPaced: Bool) throws -> Double {
            line.wait(.seconds(1))
            line.path.sent(
                1000, wasPaced: wasPaced, roundTrip: line.trips.smoothed, at: line.now)
            let next = line.path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
            return Double(line.now.duration(to: try #require(next)).nanosecondsClamped) / 1e6
        }
        let late = try wait(wasPaced: true)
        let idle = try wait(wasPaced: false)
        #expect(abs(idle - late - 1) < 0.001, "\(late) and \(idle) ms")
    }

    @Test(
        "A rate that the path showed is doubted after four round trips", arguments: [true, false])
    func aRateThatThePathShowedIsDoubted(_ isShown: Bool) {
        var line = MeasuredLine(
            bytesPerSecond: isShown ? 100_000 : 10_000_000, way: .milliseconds(50))
        if isShown { line.burst(20) } else { for _ in 0..<20 { line.burst(1) } }
        #expect(line.path.rate.isSpacedByPath == isShown)
        line.wait(.seconds(30))
        line.path.beginSession()
        // Nothing queues from here on, though packets were paced.
        var trips = 0
        while line.path.probeGain == 0, trips < 20 {
            line.burst(1)
            trips += 1
        }
        #expect(line.path.probeGain == 0.03)
        // Four of the smoothed ones, which the burst made longer.
        #expect(isShown ? (5...8).contains(trips) : trips < 3, "\(trips) round trips")
    }

    @Test("A new rate changes the wait computed by the old one")
    func aNewRateChangesTheWaitComputedBy() throws {
        var line = Self.known()
        line.path.sent(50_000, roundTrip: line.trips.smoothed, at: line.now)
        func wait() throws -> Double {
            let next = line.path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
            return Double(line.now.duration(to: try #require(next)).nanosecondsClamped) / 1e9
        }
        let before = try wait()
        let start = line.now
        for place in 0..<3 {
            var summary = AckSummary()
            summary.count = 1
            summary.bytes = 2000
            summary.newest = AckSummary.Newest(sentAt: start, bytes: 2000, wasPaced: true)
            let arrival = start.advanced(by: .milliseconds(20 + 10 * place))
            line.path.acknowledged(
                summary, arrival: arrival.nanoseconds / 1000, roundTrip: line.trips, at: line.now)
        }
        #expect(Self.isNear(line.path.bytesPerSecond, 200_000))
        let after = try wait()
        #expect(Self.isNear(after, before / 2), "\(after) after \(before) s")
    }

    /// Every packet waits for the carrier's next turn unless a transfer keeps the line busy.
    @Test("The carrier's interval counts as queue only during a transfer")
    func theCarriersIntervalCountsAsQueueOnlyDuring() {
        func gap(isBulk: Bool) -> Double {
            var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
            line.path.sendInterval = .milliseconds(30)
            line.burst(40)
            line.wait(.seconds(30))
            line.burst(1)
            line.burst(1, behind: .milliseconds(40))
            line.path.sent(1000, isBulk: isBulk, roundTrip: line.trips.smoothed, at: line.now)
            let next = line.path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
            return next.map { Double(line.now.duration(to: $0).nanosecondsClamped) / 1e9 } ?? 0
        }
        #expect(gap(isBulk: true) > gap(isBulk: false) * 1.05, "\(gap(isBulk: true))")
    }

    // MARK: Sizes

    @Test("A packet takes the line for a 64th of a round trip")
    func aPacketTakesTheLineForA64th() {
        let unknown = PathEstimate()
        #expect(unknown.packetLimit(largest: 65_536, least: 512, roundTrip: nil) == 1200)
        #expect(unknown.packetLimit(largest: 244, least: 512, roundTrip: nil) == 244)
        let slow = Self.known()
        let trip = slow.trips.smoothed
        #expect(slow.path.packetLimit(largest: 65_536, least: 1200, roundTrip: trip) == 1200)
        #expect(slow.path.packetLimit(largest: 65_536, least: 512, roundTrip: trip) == 512)
        let fast = Self.known(bytesPerSecond: 10_000_000, way: .milliseconds(32), packets: 60)
        let limit = fast.path.packetLimit(
            largest: 65_536, least: 1200, roundTrip: .milliseconds(64))
        // The 64th part of a round trip: 1 ms of the line.
        #expect(Self.isNear(Double(limit), 10_000, 0.02), "\(limit)")
        #expect(fast.path.packetLimit(largest: 1472, least: 1200, roundTrip: .seconds(1)) == 1472)
    }

    // MARK: Memory

    @Test("The next session begins at the rate of the last")
    func theNextSessionBeginsAtTheRateOf() {
        var line = Self.known()
        line.path.endSession(roundTrip: line.trips.smoothed)
        line.path.beginLink()
        line.wait(.seconds(3600))
        // The next session has clocks of its own.
        let recovery = LossRecovery<TestReference>(
            limits: Limits(), initialTimeout: .seconds(1), sendInterval: .zero, path: line.path)
        #expect(Self.isNear(recovery.path.bytesPerSecond, 100_000))
        #expect(recovery.path.lastRoundTrip == line.trips.smoothed)
        #expect(recovery.path.queue == .zero)
        var next = MeasuredLine(
            recovery.path, bytesPerSecond: 100_000, way: .milliseconds(20), at: line.now)
        let gaps = next.gaps(10)
        #expect(gaps.count == 10 && gaps.allSatisfy { $0 <= 0.010_001 && $0 >= 0.009_5 })
        next.path.endSession(roundTrip: nil)
        #expect(next.path.lastRoundTrip == line.trips.smoothed)
    }

    @Test("A remembered path is as the last process left it")
    func aRememberedPathIsAsTheLastProcess() throws {
        var line = Self.known()
        for _ in 0..<60 {
            line.burst(19, lost: 0)
            line.path.lost(1)
            line.wait(.milliseconds(400))
        }
        let memory = try #require(line.path.memory(roundTrip: line.trips.smoothed))
        let path = PathEstimate(remembering: memory)
        #expect(Self.isNear(path.bytesPerSecond, 100_000))
        let trip = Double(try #require(path.lastRoundTrip).nanosecondsClamped)
        #expect(Self.isNear(trip, Double(line.trips.smoothed?.nanosecondsClamped ?? 0), 0.001))
        #expect(abs(path.lossShare - line.path.lossShare) <= 0.000_1)
        #expect(path.lossShare > 0.04)
        #expect(path.memory(roundTrip: nil) == memory)
        var next = MeasuredLine(
            path, bytesPerSecond: 100_000, way: .milliseconds(20), at: line.now)
        let gaps = next.gaps(10)
        #expect(gaps.count == 10 && gaps.allSatisfy { $0 <= 0.010_001 && $0 >= 0.009_5 })
        // It must be validated anew, as behind any new link.
        #expect(line.path.memory(roundTrip: nil) == nil)
        let fast = PathEstimate(
            remembering: try #require(
                PathMemory(
                    bytesPerSecond: 1_000_000_000, roundTripMicroseconds: 100_000,
                    lossPerTenThousand: 0)))
        #expect(fast.mayLeave(isUrgent: false, inFlightBytes: 65_535, roundTrip: nil, at: .zero))
        #expect(!fast.mayLeave(isUrgent: false, inFlightBytes: 65_536, roundTrip: nil, at: .zero))
    }

    @Test("Only large changes of a path are worth a new memory")
    func onlyLargeChangesOfAPathAreWorth() throws {
        func memory(_ rate: UInt64, _ trip: UInt64, _ loss: UInt16) throws -> PathMemory {
            try #require(
                PathMemory(
                    bytesPerSecond: rate, roundTripMicroseconds: trip, lossPerTenThousand: loss))
        }
        let before = try memory(100_000, 40_000, 200)
        #expect(!before.differs(from: try memory(80_000, 32_000, 300)))
        #expect(!before.differs(from: try memory(130_000, 50_000, 120)))
        #expect(before.differs(from: try memory(70_000, 40_000, 200)))
        #expect(before.differs(from: try memory(140_000, 40_000, 200)))
        #expect(before.differs(from: try memory(100_000, 60_000, 200)))
        #expect(before.differs(from: try memory(100_000, 40_000, 400)))
        // Round trips of a few milliseconds differ by as much without meaning.
        #expect(!(try memory(100_000, 500, 0)).differs(from: try memory(100_000, 4000, 0)))
        #expect(
            PathMemory(bytesPerSecond: 999, roundTripMicroseconds: 1, lossPerTenThousand: 0) == nil)
        #expect(
            PathMemory(
                bytesPerSecond: 10_000_000_001, roundTripMicroseconds: 1, lossPerTenThousand: 0)
                == nil)
        #expect(
            PathMemory(bytesPerSecond: 1000, roundTripMicroseconds: 0, lossPerTenThousand: 0) == nil
        )
        #expect(
            PathMemory(
                bytesPerSecond: 1000, roundTripMicroseconds: 3_600_000_001, lossPerTenThousand: 0)
                == nil)
        #expect(
            PathMemory(bytesPerSecond: 1000, roundTripMicroseconds: 1, lossPerTenThousand: 10_001)
                == nil)
    }

    @Test("A remembered rate must be validated behind a new link")
    func aRememberedRateMustBeValidatedBehindA() {
        var line = Self.known(bytesPerSecond: 1_000_000, way: .milliseconds(500), packets: 60)
        #expect(line.mayLeave(1_000_000))
        line.path.beginLink()
        #expect(line.mayLeave(65_535) && !line.mayLeave(65_536))
        line.burst(1)
        line.wait(.seconds(1))
        #expect(line.mayLeave(1_000_000))
        // The same after several probe time-outs.
        line.path.invalidate()
        #expect(line.mayLeave(65_535) && !line.mayLeave(65_536))
    }

    // MARK: Redundancy

    @Test(
        "Redundancy takes at most a quarter of the rate",
        arguments: [nil, 100_000, 2_000_000] as [Double?])
    func redundancyTakesAtMostAQuarterOfThe(_ rate: Double?) {
        var line = MeasuredLine(bytesPerSecond: rate ?? 1, way: .milliseconds(10))
        if rate != nil {
            line.burst(40)
            line.wait(.seconds(10))
        }
        #expect((line.path.bytesPerSecond != nil) == (rate != nil))
        let perSecond = (line.path.bytesPerSecond ?? 8192) / 4
        let saved = max(8192, rate == nil ? 0 : perSecond)
        // No more is saved up, after any time.
        var first = 0
        while line.path.spend(100, at: line.now) { first += 100 }
        #expect(Double(first) <= saved && Double(first) > saved - 100)
        let seconds = 60
        var spent = 0
        for _ in 0..<(seconds * 200) {
            line.wait(.milliseconds(5))
            while line.path.spend(100, at: line.now) { spent += 100 }
        }
        #expect(Double(spent) <= perSecond * Double(seconds) + 100)
        #expect(Double(spent) >= perSecond * Double(seconds) * 0.99 - 100)
        // The same moment gives nothing twice.
        let isMore = line.path.spend(100, at: line.now)
        #expect(!isMore)
    }
}

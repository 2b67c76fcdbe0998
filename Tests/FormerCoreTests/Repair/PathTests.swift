import Testing

@testable import FormerCore

/// What leaves on a path when, and what is kept of it.
@Suite struct PathTests {
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

    @Test func before_the_rate_is_known_a_window_leaves_at_once() {
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
        #expect(line.path.bytesPerSecond == nil)
        #expect(line.mayLeave(11_999) && !line.mayLeave(12_000))
        // What is urgent does not wait for what was lost before it.
        #expect(line.mayLeave(12_000 + 8191, isUrgent: true))
        #expect(!line.mayLeave(12_000 + 8192, isUrgent: true))
        let departure = line.path.nextDeparture(
            isUrgent: false, inFlightBytes: 0, roundTrip: nil)
        #expect(departure == nil)
        // What arrives widens it.
        line.burst(2, bytes: 500)
        #expect(line.path.bytesPerSecond == nil && line.mayLeave(12_999))
        #expect(Path.initialWindow(1200) == 12_000 && Path.initialWindow(1472) == 14_720)
        #expect(Path.initialWindow(9000) == 18_000 && Path.initialWindow(244) == 2440)
    }

    /// Ten packets are over in a millisecond on a fast line: a first measure all the same, since a
    /// window would cost a round trip of forty.
    @Test func one_window_measures_a_fast_line() {
        var line = MeasuredLine(bytesPerSecond: 12_500_000, way: .milliseconds(20))
        line.burst(10, bytes: 1200)
        #expect(Self.isNear(line.path.bytesPerSecond, 12_500_000, 0.1))
    }

    /// And on a long one: what tells the rate of a line is no share of how long it is.
    @Test func a_few_milliseconds_measure_a_long_line() {
        var line = MeasuredLine(bytesPerSecond: 1_250_000, way: .milliseconds(750))
        line.burst(8, bytes: 1200)
        #expect(Self.isNear(line.path.bytesPerSecond, 1_250_000, 0.1))
    }

    /// Those of a transfer the other way may be more than the line seems to carry: what waits
    /// leaves all the same.
    @Test func acknowledgements_do_not_keep_content_waiting() {
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

    @Test func packets_leave_as_far_apart_as_the_line_takes_for_them() {
        var line = Self.known()
        #expect(Self.isNear(line.path.bytesPerSecond, 100_000))
        for gap in line.gaps(20) {
            // Up to a twentieth more, so that the line is never idle.
            #expect(gap <= 0.010_001 && gap >= 0.009_5, "\(gap) s")
        }
        for gap in line.gaps(20, bytes: 500) { #expect(gap <= 0.005_001 && gap >= 0.004_7) }
    }

    @Test func a_queue_lowers_the_pace_and_its_end_restores_it() {
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

    @Test func random_loss_never_slows_it() {
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
        // What turns out to have been late was no loss.
        let share = line.path.lossShare
        line.path.late(20)
        #expect(line.path.lossShare < share)
    }

    @Test func a_rate_far_too_low_is_left_by_packets_of_any_size() {
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

    @Test func much_loss_at_once_leaves_less_under_way() {
        var line = Self.known(bytesPerSecond: 1_000_000, way: .milliseconds(50))
        #expect(line.mayLeave(90_000))
        line.path.overloaded(inFlightBytes: 90_000)
        #expect(line.mayLeave(62_999) && !line.mayLeave(63_000))
        line.path.overloaded(inFlightBytes: 1000)
        #expect(line.mayLeave(11_999) && !line.mayLeave(12_000))
        // What arrives without loss opens it again.
        for _ in 0..<200 {
            line.burst(10)
            line.wait(.milliseconds(300))
        }
        #expect(line.mayLeave(90_000))
        #expect(Self.isNear(line.path.bytesPerSecond, 1_000_000))
    }

    @Test func what_is_urgent_leaves_ahead_of_the_pace() throws {
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

    @Test func a_transfer_pauses_now_and_then_until_nothing_queues() throws {
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

    @Test func large_transfers_begin_with_a_few_packets() {
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
        func mayLeave(_ bytes: Int) -> Bool { line.path.mayLeaveBulk(inFlightBytes: bytes) }
        #expect(mayLeave(4799) && !mayLeave(4800))
        line.burst(2, bytes: 500)
        #expect(line.path.bytesPerSecond == nil)
        #expect(mayLeave(5799) && !mayLeave(5800))
        // However little may be under way, a transfer begins.
        line.path.overloaded(inFlightBytes: 0)
        #expect(mayLeave(4799) && !mayLeave(4800))
        line.burst(20)
        #expect(line.path.bytesPerSecond != nil && mayLeave(1_000_000))
        line = MeasuredLine(
            Path(datagramBytes: 244), bytesPerSecond: 100_000, way: .milliseconds(20))
        #expect(mayLeave(3299) && !mayLeave(3300))
    }

    @Test func nothing_waits_long_for_a_line_that_was_measured() throws {
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

    @Test func what_left_before_the_rate_was_known_counts_when_it_is() throws {
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
        line.burst(10)
        #expect(Self.isNear(line.path.bytesPerSecond, 100_000))
        var packets = SentPackets()
        for number in 0..<20 {
            packets.append(
                SentPackets.Packet(
                    number: UInt64(number), sentAt: line.now, bytes: 1000, references: [],
                    wasHeldBack: false, coveredBy: UInt64(number)))
        }
        line.wait(.milliseconds(50))
        line.path.account(for: packets, at: line.now)
        let next = line.path.nextDeparture(
            isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
        let wait = line.now.duration(to: try #require(next))
        // 20 packets take 200 ms, of which 50 have passed.
        #expect(Self.isNear(Double(wait.nanosecondsClamped), 150e6), "\(wait)")
    }

    @Test func only_who_was_late_makes_up_for_it() throws {
        var line = Self.known()
        func wait(wasHeldBack: Bool) throws -> Double {
            line.wait(.seconds(1))
            line.path.sent(
                1000, wasHeldBack: wasHeldBack, roundTrip: line.trips.smoothed, at: line.now)
            let next = line.path.nextDeparture(
                isUrgent: false, inFlightBytes: 0, roundTrip: line.trips.smoothed)
            return Double(line.now.duration(to: try #require(next)).nanosecondsClamped) / 1e6
        }
        let late = try wait(wasHeldBack: true)
        let idle = try wait(wasHeldBack: false)
        #expect(abs(idle - late - 1) < 0.001, "\(late) and \(idle) ms")
    }

    /// What the line spaced is its rate; what was only sent may be less than it carries.
    @Test(arguments: [true, false])
    func a_rate_that_the_line_showed_is_doubted_later(_ isShown: Bool) {
        var line = MeasuredLine(
            bytesPerSecond: isShown ? 100_000 : 10_000_000, way: .milliseconds(50))
        if isShown { line.burst(20) } else { for _ in 0..<20 { line.burst(1) } }
        #expect(line.path.rate.isShown == isShown)
        line.wait(.seconds(30))
        line.path.beginSession()
        // Nothing queues from here on, though packets had to wait.
        var trips = 0
        while line.path.search == 0, trips < 20 {
            line.burst(1)
            trips += 1
        }
        #expect(line.path.search == 0.03)
        // Four of the smoothed ones, which the burst made longer.
        #expect(isShown ? (5...8).contains(trips) : trips < 3, "\(trips) round trips")
    }

    @Test func a_rate_measured_anew_changes_what_was_reckoned_by_the_old_one() throws {
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
            var told = Repair.Confirmation()
            told.count = 1
            told.bytes = 2000
            told.newest = SentPackets.Packet(
                number: UInt64(1000 + place), sentAt: start, bytes: 2000, references: [],
                wasHeldBack: true, coveredBy: UInt64(1000 + place))
            let arrival = start.advanced(by: .milliseconds(20 + 10 * place))
            line.path.acknowledged(
                told, arrival: arrival.nanoseconds / 1000, roundTrip: line.trips, at: line.now)
        }
        #expect(Self.isNear(line.path.bytesPerSecond, 200_000))
        let after = try wait()
        #expect(Self.isNear(after, before / 2), "\(after) after \(before) s")
    }

    /// Before its turn every packet waits; a transfer that keeps the line busy waits for none.
    @Test func only_without_a_transfer_is_an_interval_no_queue() {
        func gap(isBulk: Bool) -> Double {
            var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20))
            line.path.interval = .milliseconds(30)
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

    @Test func a_packet_is_as_long_as_what_is_urgent_can_wait() {
        let unknown = Path()
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

    @Test func the_next_session_begins_at_the_rate_of_the_last() {
        var line = Self.known()
        line.path.endSession(roundTrip: line.trips.smoothed)
        line.path.beginLink()
        line.wait(.seconds(3600))
        // The next one has clocks of its own.
        let repair = Repair(
            limits: Limits(), initialTimeout: .seconds(1), interval: .zero, path: line.path)
        #expect(Self.isNear(repair.path.bytesPerSecond, 100_000))
        #expect(repair.path.lastRoundTrip == line.trips.smoothed)
        #expect(repair.path.queue == .zero)
        var next = MeasuredLine(
            repair.path, bytesPerSecond: 100_000, way: .milliseconds(20), at: line.now)
        let gaps = next.gaps(10)
        #expect(gaps.count == 10 && gaps.allSatisfy { $0 <= 0.010_001 && $0 >= 0.009_5 })
        next.path.endSession(roundTrip: nil)
        #expect(next.path.lastRoundTrip == line.trips.smoothed)
    }

    @Test func a_path_made_of_its_memory_is_as_it_was_left() throws {
        var line = Self.known()
        for _ in 0..<60 {
            line.burst(19, lost: 0)
            line.path.lost(1)
            line.wait(.milliseconds(400))
        }
        let memory = try #require(line.path.memory(roundTrip: line.trips.smoothed))
        let path = Path(remembering: memory)
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
        // It has to be shown anew, as behind any new link.
        #expect(line.path.memory(roundTrip: nil) == nil)
        let fast = Path(
            remembering: try #require(
                PathMemory(
                    bytesPerSecond: 1_000_000_000, roundTripMicroseconds: 100_000,
                    lossPerTenThousand: 0)))
        #expect(fast.mayLeave(isUrgent: false, inFlightBytes: 65_535, roundTrip: nil, at: .zero))
        #expect(!fast.mayLeave(isUrgent: false, inFlightBytes: 65_536, roundTrip: nil, at: .zero))
    }

    @Test func only_what_has_changed_by_much_is_noted_again() throws {
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
        // Round trips of a few milliseconds differ by as much without telling anything.
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

    @Test func what_is_remembered_has_to_be_shown_anew() {
        var line = Self.known(bytesPerSecond: 1_000_000, way: .milliseconds(500), packets: 60)
        #expect(line.mayLeave(1_000_000))
        line.path.beginLink()
        #expect(line.mayLeave(65_535) && !line.mayLeave(65_536))
        line.burst(1)
        line.wait(.seconds(1))
        #expect(line.mayLeave(1_000_000))
        // The same where nothing was heard for long.
        line.path.silent()
        #expect(line.mayLeave(65_535) && !line.mayLeave(65_536))
    }

    // MARK: Redundancy

    @Test(arguments: [nil, 100_000, 2_000_000] as [Double?])
    func redundancy_takes_no_more_than_a_quarter_of_the_rate(_ rate: Double?) {
        var line = MeasuredLine(bytesPerSecond: rate ?? 1, way: .milliseconds(10))
        if rate != nil {
            line.burst(40)
            line.wait(.seconds(10))
        }
        #expect((line.path.bytesPerSecond != nil) == (rate != nil))
        let perSecond = (line.path.bytesPerSecond ?? 8192) / 4
        let saved = max(8192, rate == nil ? 0 : perSecond)
        // After any time no more is saved up than that.
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
        // A moment that comes again gives nothing.
        let isMore = line.path.spend(100, at: line.now)
        #expect(!isMore)
    }
}

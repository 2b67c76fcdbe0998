import Simulation
import Testing
import WatchProtoCore

@testable import Bench

@Suite struct IdealTests {
    /// 1,000 bytes at 1 Mbit/s are 8 ms on the line; 150 ms later they are there.
    private func line(loss: Double = 0) -> LinkOptions {
        var options = LinkOptions()
        options.rateBitsPerSecond = 1_000_000
        options.delay = .milliseconds(150)
        options.loss = loss
        return options
    }

    private let start = Instant(nanoseconds: 5_000_000_000)

    @Test func the_limit_is_serialization_and_delay() {
        #expect(Ideal.limit(bytes: 1000, line()) == .milliseconds(158))
        #expect(Ideal.serialization(bytes: 1, line()) == .microseconds(8))
        var unbounded = line()
        unbounded.rateBitsPerSecond = nil
        #expect(Ideal.limit(bytes: 1000, unbounded) == .milliseconds(150))
        // 8 bits at 3 bits a second are 2.666… s, rounded up.
        var slow = line()
        slow.rateBitsPerSecond = 3
        #expect(Ideal.serialization(bytes: 1, slow) == .nanoseconds(2_666_666_667))
    }

    @Test func a_datagram_is_never_lost() throws {
        for seed in UInt64(0)..<50 {
            let link = LinkModel(line(loss: 1), seed: seed)
            let course = try #require(Ideal.datagram(bytes: 250, through: link, at: start))
            #expect(course.latency == .milliseconds(152))
            #expect(!course.waited)
        }
    }

    /// A link in the middle of a run of losses takes its next packets, whatever the chance of one.
    @Test func a_datagram_is_not_lost_in_a_burst_either() throws {
        for offered in 1..<4 {
            var options = line(loss: 1)
            options.lossBurstPackets = 10_000
            var link = LinkModel(options, seed: 7)
            for _ in 0..<offered { _ = link.offer([1], at: start) }
            let later = start.advanced(by: .seconds(1))
            let course = try #require(Ideal.datagram(bytes: 250, through: link, at: later))
            #expect(course.latency == .milliseconds(152))
            #expect(!course.waited)
        }
    }

    @Test func a_datagram_on_a_busy_line_says_so() throws {
        var link = LinkModel(line(), seed: 1)
        _ = link.offer([UInt8](repeating: 0, count: 1000), at: start)
        let course = try #require(Ideal.datagram(bytes: 250, through: link, at: start))
        #expect(course.latency == .milliseconds(8 + 2 + 150))
        #expect(course.waited)
    }

    @Test func a_datagram_waits_for_the_interval() throws {
        var options = line()
        options.delay = .zero
        options.sendInterval = .milliseconds(30)
        let link = LinkModel(options, seed: 1)
        // The next multiple of 30 ms behind 5.001 s is 5.01 s.
        let moment = start.advanced(by: .milliseconds(1))
        let course = try #require(Ideal.datagram(bytes: 125, through: link, at: moment))
        #expect(course.latency == .milliseconds(10))
    }

    @Test func the_scheme_without_loss_is_back_to_back() throws {
        let link = LinkModel(line(), seed: 1)
        let course = try #require(
            Ideal.scheme(sizes: [1000, 1000, 500], through: link, at: start))
        #expect(course.time == .milliseconds(8 + 8 + 4 + 150))
        #expect(course.packets == 3)
        #expect(course.bytes == 2500)
    }

    /// Each lost packet costs its own time on the line, and nothing else.
    @Test func the_scheme_sends_what_was_lost_next() throws {
        var isAnyLost = false
        for seed in UInt64(0)..<20 {
            let link = LinkModel(line(loss: 0.3), seed: seed)
            var copy = link
            // The fates of 40 packets, one after the other on an idle line.
            let fates = (0..<40).map { index in
                copy.offer(
                    [UInt8](repeating: 0, count: 1000),
                    at: start.advanced(by: .seconds(index))
                ).arrivals.isEmpty
            }
            var through = 0
            let needed =
                1 + fates.firstIndex { isLost in
                    through += isLost ? 0 : 1
                    return through == 5
                }!
            isAnyLost = isAnyLost || needed > 5
            let course = try #require(
                Ideal.scheme(sizes: [1000, 1000, 1000, 1000, 1000], through: link, at: start))
            #expect(course.packets == needed)
            #expect(course.time == .milliseconds(8 * needed + 150))
        }
        #expect(isAnyLost)
    }

    @Test func the_scheme_that_cannot_end_says_so() {
        #expect(
            Ideal.scheme(
                sizes: [1000], through: LinkModel(line(loss: 1), seed: 1), at: start) == nil)
    }

    /// A packet sent into an outage has been sent; it leaves again behind itself until the outage
    /// is over.
    @Test func the_scheme_goes_on_through_an_outage() throws {
        var options = line()
        options.outages = [LinkOutage(from: start, until: start.advanced(by: .milliseconds(20)))]
        let course = try #require(
            Ideal.scheme(sizes: [1000], through: LinkModel(options, seed: 1), at: start))
        // Would leave at 8 and 16 ms, within the outage, and at 24 ms.
        #expect(course.packets == 3)
        #expect(course.time == .milliseconds(24 + 150))
    }

    @Test func the_scheme_takes_damage_for_loss() throws {
        var options = line()
        options.corruption = 1
        #expect(
            Ideal.scheme(sizes: [1000], through: LinkModel(options, seed: 1), at: start) == nil)
    }

    /// Only the first packet waits for the interval: 9 ms, then 3 of 1 ms back to back.
    @Test func the_scheme_waits_for_one_interval_alone() throws {
        var options = line()
        options.delay = .zero
        options.sendInterval = .milliseconds(30)
        let moment = start.advanced(by: .milliseconds(1))
        let course = try #require(
            Ideal.scheme(
                sizes: [125, 125, 125], through: LinkModel(options, seed: 1), at: moment))
        #expect(course.time == .milliseconds(9 + 3))
        #expect(course.packets == 3)
    }
}

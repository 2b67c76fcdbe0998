import Simulation
import Testing
import WatchProtoCore

@Suite struct LinkModelTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private func packet(_ count: Int, _ value: UInt8 = 7) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }

    // MARK: The line

    @Test func a_link_without_conditions_delivers_at_once() {
        var link = LinkModel(LinkOptions(), seed: 1)
        let offer = link.offer(packet(100), at: at(5))
        #expect(offer.arrivals == [LinkArrival(at: at(5), bytes: packet(100))])
        #expect(offer.fate.marks.isEmpty && offer.fate.lossCause == nil)
    }

    @Test(arguments: [
        (1_250, 1_000_000, 10_000_000), (1, 8, 1_000_000_000), (1, 3, 2_666_666_667),
        (8 << 20, 700_000, 95_869_805_715),
    ])
    func serialization_is_bits_over_rate(bytes: Int, rate: UInt64, nanoseconds: UInt64) {
        var options = LinkOptions()
        options.rateBitsPerSecond = rate
        var link = LinkModel(options, seed: 1)
        let offer = link.offer(packet(bytes), at: .zero)
        #expect(offer.arrivals.map(\.at.nanoseconds) == [nanoseconds])
    }

    @Test func packets_wait_for_the_line_and_keep_their_order() {
        var options = LinkOptions()
        options.rateBitsPerSecond = 1_000_000
        options.delay = .milliseconds(40)
        var link = LinkModel(options, seed: 1)
        let arrivals = (0..<4).flatMap { link.offer(packet(1_250, UInt8($0)), at: at(0)).arrivals }
        #expect(arrivals.map(\.at) == [at(50), at(60), at(70), at(80)])
        #expect(arrivals.map { $0.bytes[0] } == [0, 1, 2, 3])
    }

    @Test func jitter_without_leave_to_overtake_keeps_the_order() {
        for shape in JitterShape.allCases {
            var options = LinkOptions()
            options.jitter = .milliseconds(50)
            options.jitterShape = shape
            var link = LinkModel(options, seed: 3)
            var last = Instant.zero
            for step in 0..<500 {
                for arrival in link.offer(packet(10), at: at(UInt64(step))).arrivals {
                    #expect(arrival.at >= last)
                    last = arrival.at
                }
            }
        }
    }

    @Test func a_full_queue_drops_on_a_lossy_carrier_and_refuses_on_a_lossless_one() {
        var options = LinkOptions()
        options.rateBitsPerSecond = 1_000_000
        options.queuePackets = 2
        var lossy = LinkModel(options, seed: 1)
        let fates = (0..<3).map { _ in lossy.offer(packet(1_250), at: at(0)).fate.lossCause }
        #expect(fates == [nil, nil, .queueFull])
        options.kind = .reliableDatagram
        var reliable = LinkModel(options, seed: 1)
        let taken = (0..<3).map { _ in reliable.offer(packet(1_250), at: at(0)).takenBytes }
        #expect(taken == [1_250, 1_250, 0])
        #expect(reliable.nextDeparture == at(10))
        #expect(reliable.offer(packet(1_250), at: at(10)).takenBytes == 1_250)
    }

    @Test func a_stream_takes_what_fits() {
        var options = LinkOptions()
        options.kind = .stream(.whole)
        options.rateBitsPerSecond = 8_000
        options.queueBytes = 100
        var link = LinkModel(options, seed: 1)
        #expect(link.offer(packet(60), at: at(0)).takenBytes == 60)
        #expect(link.offer(packet(60), at: at(0)).takenBytes == 40)
        #expect(link.offer(packet(60), at: at(0)).takenBytes == 0)
        #expect(link.offer(packet(70), at: at(60)).takenBytes == 60)
    }

    @Test func ble_sends_at_multiples_of_its_interval() throws {
        var options = try #require(LinkProfile.named("ble")).options(.lossyDatagram)
        options.stalling = 0
        var link = LinkModel(options, seed: 1)
        // 700 bytes at 700 kbit/s take 8 ms; what is queued behind rides on in the same event.
        #expect(link.offer(packet(700), at: at(31)).arrivals[0].at == at(68))
        #expect(link.offer(packet(700), at: at(35)).arrivals[0].at == at(76))
        #expect(link.offer(packet(700), at: at(77)).arrivals[0].at == at(98))
    }

    @Test func a_stall_costs_whole_intervals_and_no_packet() throws {
        var options = try #require(LinkProfile.named("ble")).options(.lossyDatagram)
        options.stalling = 0.5
        var link = LinkModel(options, seed: 9)
        var late = 0
        for step in 0..<200 {
            let now = at(UInt64(step) * 3_000)
            let offer = link.offer(packet(1), at: now)
            let wait = now.duration(to: offer.arrivals[0].at).nanosecondsClamped
            let intervals = (wait - 11_429) / 30_000_000
            #expect(wait - 11_429 == intervals * 30_000_000)
            if intervals > 0 { late += 1 }
        }
        #expect((70...130).contains(late))
    }

    // MARK: The conditions

    @Test(arguments: [(0.02, 1), (0.2, 1), (0.1, 3), (0.3, 5)])
    func the_measured_loss_is_the_stated_one(loss: Double, burst: Int) {
        var options = LinkOptions()
        options.loss = loss
        options.lossBurstPackets = burst
        var link = LinkModel(options, seed: 11)
        let count = 40_000
        var lost = 0
        for _ in 0..<count where link.offer(packet(1), at: .zero).arrivals.isEmpty { lost += 1 }
        // Bursts of mean b widen the deviation by about √b; five of them never fail by chance.
        let deviation = (loss * (1 - loss) * Double(burst) / Double(count)).squareRoot()
        #expect(abs(Double(lost) / Double(count) - loss) < 5 * deviation)
        let byCause = link.counters.lost(to: .loss) + link.counters.lost(to: .burst)
        #expect(byCause == UInt64(lost))
        #expect((link.counters.lost(to: .burst) > 0) == (burst > 1))
    }

    @Test func the_measured_duplication_is_the_stated_one() {
        var options = LinkOptions()
        options.duplication = 0.1
        var link = LinkModel(options, seed: 5)
        var copies = 0
        for _ in 0..<20_000 { copies += link.offer(packet(1), at: .zero).arrivals.count - 1 }
        #expect((1_800...2_200).contains(copies))
    }

    @Test func switching_one_fault_off_leaves_the_others_where_they_were() {
        var both = LinkOptions()
        both.loss = 0.2
        both.duplication = 0.2
        both.jitter = .milliseconds(30)
        both.jitterReorders = true
        var lossless = both
        lossless.loss = 0
        var first = LinkModel(both, seed: 21)
        var second = LinkModel(lossless, seed: 21)
        for step in 0..<2_000 {
            let with = first.offer(packet(20), at: at(UInt64(step)))
            let without = second.offer(packet(20), at: at(UInt64(step)))
            if with.fate.lossCause == nil { #expect(with.arrivals == without.arrivals) }
        }
    }

    @Test func reordering_lets_later_packets_pass() {
        var options = LinkOptions()
        options.reordering = 0.2
        var link = LinkModel(options, seed: 2)
        var latest = Instant.zero
        var overtaken = 0
        for step in 0..<500 {
            let arrival = link.offer(packet(1), at: at(UInt64(step))).arrivals[0].at
            if arrival < latest { overtaken += 1 }
            latest = max(latest, arrival)
        }
        #expect(overtaken > 50)
    }

    @Test func damage_changes_bytes_or_length_and_says_so() {
        var options = LinkOptions()
        options.corruption = 0.5
        options.truncation = 0.5
        var link = LinkModel(options, seed: 8)
        for _ in 0..<500 {
            let offer = link.offer(packet(40), at: .zero)
            let bytes = offer.arrivals[0].bytes
            #expect((bytes.count < 40) == offer.fate.marks.contains(.truncated))
            if !offer.fate.marks.contains(.corrupted) {
                #expect(bytes == packet(bytes.count))
            } else if bytes.count == 40 {
                #expect(bytes != packet(40) || offer.fate.marks.contains(.corrupted))
            }
        }
        #expect(link.counters.marked(.corrupted) > 200)
        #expect(link.counters.marked(.truncated) > 200)
    }

    @Test func an_outage_loses_or_holds() {
        var options = LinkOptions()
        options.outages = LinkOutage.cycle(
            on: .seconds(5), off: .seconds(2), from: at(100), count: 2)
        var lossy = LinkModel(options, seed: 1)
        #expect(lossy.offer(packet(1), at: at(99)).fate.lossCause == nil)
        #expect(lossy.offer(packet(1), at: at(100)).fate.lossCause == .outage)
        #expect(lossy.offer(packet(1), at: at(2_100)).fate.lossCause == nil)
        #expect(lossy.offer(packet(1), at: at(7_100)).fate.lossCause == .outage)
        options.kind = .stream(.whole)
        var stream = LinkModel(options, seed: 1)
        #expect(stream.offer(packet(1), at: at(150)).arrivals[0].at == at(2_100))
    }

    @Test func a_clog_holds_everything_behind_it() {
        var options = LinkOptions()
        options.clogging = 0.05
        options.longestClog = .seconds(1)
        var link = LinkModel(options, seed: 4)
        var last = Instant.zero
        var held = 0
        for step in 0..<400 {
            let offer = link.offer(packet(1), at: at(UInt64(step)))
            #expect(offer.arrivals[0].at >= last)
            last = offer.arrivals[0].at
            if offer.fate.marks.contains(.clogged) { held += 1 }
        }
        #expect(held > 20)
    }

    @Test func nothing_passes_offline() throws {
        let offline = try #require(LinkProfile.named("offline"))
        var lossy = LinkModel(offline.options(.lossyDatagram), seed: 1)
        #expect(lossy.offer(packet(1), at: .zero).fate.lossCause == .noRate)
        var stream = LinkModel(offline.options(.stream(.whole)), seed: 1)
        #expect(stream.offer(packet(1), at: .zero).arrivals.isEmpty)
    }

    // MARK: Streams

    @Test(arguments: [
        Chunking.whole, .bytes, .random(largestBytes: 7), .coalesced(window: .milliseconds(5)),
    ])
    func a_stream_keeps_every_byte_in_order(chunking: Chunking) {
        var options = LinkOptions()
        options.kind = .stream(chunking)
        options.loss = 0.3
        options.recoveryTime = .milliseconds(20)
        options.jitter = .milliseconds(9)
        options.duplication = 1
        options.truncation = 1
        var link = LinkModel(options, seed: 6)
        var sent: [UInt8] = []
        var received: [UInt8] = []
        var last = Instant.zero
        for step in 0..<100 {
            let bytes = (0..<step).map { UInt8(truncatingIfNeeded: step &* 31 &+ $0) }
            sent += bytes
            for arrival in link.offer(bytes, at: at(UInt64(step))).arrivals {
                #expect(arrival.at >= last)
                last = arrival.at
                received += arrival.bytes
                if chunking == .bytes { #expect(arrival.bytes.count == 1) }
                if case .random(let largest) = chunking { #expect(arrival.bytes.count <= largest) }
                if case .coalesced = chunking { #expect(arrival.at.nanoseconds % 5_000_000 == 0) }
            }
        }
        #expect(received == sent)
        #expect(link.counters.marked(.recovered) > 0)
    }

    @Test func the_same_seed_gives_the_same_arrivals() {
        var options = LinkOptions()
        options.loss = 0.1
        options.jitter = .milliseconds(20)
        options.duplication = 0.1
        options.reordering = 0.1
        func run(_ seed: UInt64) -> [LinkArrival] {
            var link = LinkModel(options, seed: seed)
            return (0..<300).flatMap { link.offer(packet(50), at: at(UInt64($0))).arrivals }
        }
        #expect(run(1) == run(1))
        #expect(run(1) != run(2))
    }
}

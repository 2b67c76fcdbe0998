import Simulation
import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import Bench

@Suite(.timeLimit(.minutes(2))) struct PeerPairTests {
    private func pair(loss: Double = 0) throws -> PeerPair {
        var conditions = LinkOptions()
        conditions.rateBitsPerSecond = 1_000_000
        conditions.delay = .milliseconds(150)
        conditions.loss = loss
        let devices = try SimulatedPair(seed: 7)
        return PeerPair(PairOptions(conditions, datagramBytes: 1200, seed: 3)) { role in
            devices.security(of: role, life: 1)
        }
    }

    private func face(_ name: String) throws -> [UInt8] {
        try ComplicationState(name: name, amountText: "1", total: 3).encoded()
    }

    @Test func nothing_happens_without_a_carrier() throws {
        let pair = try pair()
        pair.run(for: .seconds(600))
        #expect(pair.sides.allSatisfy { $0.tally == PairTally() })
        #expect(pair.now == Instant(nanoseconds: 601_000_000_000))
    }

    @Test(
        arguments: [
            ("5g", .excellent), ("4g-good", .good), ("4g-average", .good), ("3g", .moderate),
            ("edge", .poor), ("ble", .moderate),
        ] as [(String, LinkQuality)])
    func a_link_is_evaluated_by_what_was_measured(
        _ name: String, _ expected: LinkQuality
    ) throws {
        let profile = try #require(LinkProfile.named(name))
        let settings = BaselineSettings(profile)
        let devices = try SimulatedPair(seed: 7)
        let options = PairOptions(
            settings.conditions, datagramBytes: settings.datagramBytes, seed: 3)
        let pair = PeerPair(options) { role in devices.security(of: role, life: 1) }
        #expect(pair.phone.peer.linkQuality == nil)
        pair.connect(seed: 1)
        pair.run(for: .seconds(5))
        for _ in 0..<200 {
            let draft = RecordDraft(
                channel: .background, kind: .userInfo, payload: [UInt8](repeating: 1, count: 200))
            _ = pair.phone.send(draft, at: pair.now)
        }
        pair.drain(pair.phone)
        pair.run(for: .seconds(20))
        #expect(pair.phone.outstanding() == 0)
        #expect(pair.phone.peer.linkQuality == expected)
        // The measured quality stays known without a link.
        pair.disconnect()
        #expect(pair.phone.peer.linkQuality == expected)
    }

    /// The update leaves behind the first flight of a reconnection and is there half a round trip
    /// later: what the cell is about, and nothing else.
    @Test func the_first_thing_after_a_reconnection_is_early_data() throws {
        let pair = try pair()
        pair.connect(seed: 1)
        pair.run(for: .seconds(5))
        #expect(pair.phone.peer.activationState == .activated)
        pair.disconnect()
        #expect(pair.phone.peer.activationState == .inactive)
        pair.run(for: .seconds(5))
        _ = pair.takeObservations()
        let begin = pair.now
        let payload = try face("Lisinopril")
        pair.phone.updateComplication(RecordKey(rawValue: 1), payload, at: pair.now)
        pair.connect(seed: 2)
        var shownAt: Instant?
        var carriers: [Int] = []
        while shownAt == nil, pair.step(until: begin.advanced(by: .seconds(5))) {
            for observation in pair.takeObservations() {
                switch observation {
                case .sent(0, let bytes, let contents?) where contents.has(.complication):
                    carriers.append(bytes)
                case .delivered(1, let record):
                    #expect(record.payload == payload)
                    shownAt = pair.now
                default: break
                }
            }
        }
        let latency = begin.duration(to: try #require(shownAt))
        #expect(latency < .milliseconds(160))
        let bytes = try #require(carriers.first)
        #expect(latency > .milliseconds(150) + .microseconds(8 * bytes))
        pair.run(for: .seconds(2))
        #expect(pair.phone.peer.counters.earlyPacketsTaken == 1)
        #expect(pair.watch.peer.counters.earlyRecordsReceived == 1)
    }

    @Test func the_contents_of_sealed_packets_are_known_by_channel() throws {
        let pair = try pair()
        pair.connect(seed: 1)
        pair.run(for: .seconds(5))
        _ = pair.takeObservations()
        let draft = RecordDraft(channel: .background, kind: .userInfo, payload: [1, 2, 3])
        let id = try #require(pair.phone.send(draft, at: pair.now))
        pair.drain(pair.phone)
        let carriers = pair.takeObservations().compactMap { observation in
            if case .sent(0, _, let contents) = observation { contents } else { nil }
        }.filter { !$0.pieces.isEmpty }
        #expect(carriers.count == 1)
        #expect(carriers[0].pieces.map(\.channel) == [.background])
        #expect(carriers[0].pieces.map(\.number) == [id.number.rawValue])
        #expect(!carriers[0].has(.complication))
    }

    /// A record counts as durable when its commit is over, not when it is delivered.
    @Test func durable_is_a_commit_later() throws {
        var options = PairOptions(LinkOptions(), datagramBytes: 1200, seed: 3)
        options.commitTime = .milliseconds(7)
        let devices = try SimulatedPair(seed: 7)
        let pair = PeerPair(options) { role in devices.security(of: role, life: 1) }
        pair.connect(seed: 1)
        pair.run(for: .seconds(5))
        _ = pair.takeObservations()
        let begin = pair.now
        let draft = RecordDraft(channel: .background, kind: .userInfo, payload: [1, 2, 3])
        let sent = try #require(pair.phone.send(draft, at: pair.now))
        pair.drain(pair.phone)
        var moments: [Duration] = []
        while moments.count < 2, pair.step(until: begin.advanced(by: .seconds(1))) {
            for observation in pair.takeObservations() {
                if case .delivered(1, _) = observation {
                    moments.append(begin.duration(to: pair.now))
                }
                if case .durable(1, sent) = observation {
                    moments.append(begin.duration(to: pair.now))
                }
            }
        }
        #expect(moments == [.zero, .milliseconds(7)])
    }

    @Test func events_come_in_order_and_those_of_one_moment_as_they_were_added() {
        var events = PairEvents()
        let moments: [UInt64] = [5, 3, 9, 3, 1, 5, 3]
        for (order, moment) in moments.enumerated() {
            events.add(
                .open(side: order, generation: 0), at: Instant(nanoseconds: moment))
        }
        var sides: [Int] = []
        while let what = events.next() {
            if case .open(let side, _) = what { sides.append(side) }
        }
        #expect(sides == [4, 1, 3, 6, 0, 5, 2])
    }
}

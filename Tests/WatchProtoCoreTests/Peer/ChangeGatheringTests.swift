import Testing

@testable import WatchProtoCore

extension ChangeGathering {
    /// A packet leaves with everything that waits.
    fileprivate mutating func leave(at now: Instant) {
        left(at: now)
        isEmptied()
    }
}

@Suite struct ChangeGatheringTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("Two packets of a burst leave at once, and then one each quarter of a round trip")
    func burst() {
        var gathering = ChangeGathering()
        gathering.setRoundTrip(.milliseconds(400), at: at(0))
        var departures: [UInt64] = []
        for now in 0..<1000 as Range<UInt64> {
            if now % 30 == 0 { gathering.add(isUrgent: false) }
            guard now % 30 == 0 || gathering.nextDeadline.map({ $0 <= at(now) }) ?? false,
                gathering.mayLeave(at: at(now))
            else { continue }
            departures.append(now)
            gathering.leave(at: at(now))
        }
        #expect(departures == [0, 30] + Array(stride(from: 100, through: 900, by: 100)))
    }

    @Test("Ten changes make a packet without a token; the eleventh waits")
    func full() {
        var gathering = ChangeGathering()
        gathering.setRoundTrip(.seconds(2), at: at(0))
        for _ in 0..<2 {
            gathering.add(isUrgent: false)
            gathering.leave(at: at(0))
        }
        for count in 1...10 {
            gathering.add(isUrgent: false)
            #expect(gathering.mayLeave(at: at(1)) == (count == 10))
        }
        gathering.leave(at: at(1))
        gathering.add(isUrgent: false)
        #expect(!gathering.mayLeave(at: at(2)))
        #expect(gathering.nextDeadline == at(501))
    }

    @Test("An urgent change takes waiting ones with it; a released one waits for nothing")
    func urgent() {
        var gathering = ChangeGathering()
        gathering.setRoundTrip(.seconds(2), at: at(0))
        for _ in 0..<2 {
            gathering.add(isUrgent: false)
            gathering.leave(at: at(0))
        }
        gathering.add(isUrgent: false)
        #expect(!gathering.mayLeave(at: at(1)))
        gathering.add(isUrgent: true)
        #expect(gathering.mayLeave(at: at(1)))
        gathering.leave(at: at(1))
        gathering.add(isUrgent: false)
        #expect(!gathering.mayLeave(at: at(2)))
        gathering.release()
        #expect(gathering.mayLeave(at: at(2)) && gathering.nextDeadline == nil)
    }

    @Test("A link whose round trip is not known yet gathers nothing; the background 500 ms")
    func phases() {
        var gathering = ChangeGathering()
        func leavesThrice() -> Bool {
            var copy = gathering
            for _ in 0..<3 {
                copy.add(isUrgent: false)
                guard copy.mayLeave(at: at(10_000)) else { return false }
                copy.leave(at: at(10_000))
            }
            return true
        }
        #expect(leavesThrice())
        gathering.setRoundTrip(.microseconds(200), at: at(0))
        gathering.setForeground(false, at: at(0))
        #expect(!leavesThrice())
        for _ in 0..<2 {
            gathering.add(isUrgent: false)
            gathering.leave(at: at(0))
        }
        gathering.add(isUrgent: false)
        #expect(gathering.nextDeadline == at(500))
        gathering.setForeground(true, at: at(1))
        #expect(gathering.mayLeave(at: at(2)))
    }
}

extension ChangeGatheringTests {
    @Test("Changes that do not fit a packet follow at once, also beside later ones")
    func backlog() {
        var gathering = ChangeGathering()
        gathering.setRoundTrip(.seconds(2), at: at(0))
        for _ in 0..<2 {
            gathering.add(isUrgent: false)
            gathering.leave(at: at(0))
        }
        for _ in 0..<10 { gathering.add(isUrgent: false) }
        gathering.left(at: at(1))
        for now in 2..<50 as Range<UInt64> {
            gathering.add(isUrgent: false)
            #expect(gathering.mayLeave(at: at(now)) && gathering.nextDeadline == nil)
            gathering.left(at: at(now))
        }
        gathering.isEmptied()
        gathering.add(isUrgent: false)
        #expect(!gathering.mayLeave(at: at(50)))
    }
}

/// The packets of a peer that gathers changes, over a round trip of 80 ms.
@Suite struct GatheredPacketTests {
    /// Sends 100 changes, one each millisecond. Gives the packets of the phone, and the longest
    /// time from a change to its arrival.
    private func burst(
        isForeground: Bool = true, isUrgent: Bool = false
    ) throws -> (packets: Int, longest: Duration) {
        var conditions = PairConditions.datagrams()
        conditions.delay = .milliseconds(40)
        let pair = PeerPair.connected(conditions)
        _ = try pair.send(pair.phone, [0])
        _ = pair.run { pair.watch.delivered.count == 1 }
        pair.run(for: .seconds(2))
        pair.input(pair.phone) { $0.setForeground(isForeground, at: $1) }
        let before = pair.phone.packetsSent.count
        var (sent, longest): ([Instant], Duration) = ([], .zero)
        for number in 0..<1000 {
            if number < 100 {
                sent.append(pair.now)
                _ = try pair.send(
                    pair.phone,
                    RecordDraft(
                        channel: .background, kind: .opaque,
                        payload: [UInt8](repeating: UInt8(number), count: 20), isUrgent: isUrgent))
            }
            let known = pair.watch.delivered.count - 1
            pair.run(for: .milliseconds(1))
            for arrived in known..<pair.watch.delivered.count - 1 {
                longest = max(longest, sent[arrived].duration(to: pair.now))
            }
        }
        #expect(pair.watch.delivered.count == 101)
        return (pair.phone.packetsSent.count - before, longest)
    }

    @Test("A hundred changes in a burst share packets, and none waits for long")
    func hundred_changes_of_a_burst_share_packets() throws {
        let (gathered, urgent) = (try burst(), try burst(isUrgent: true))
        #expect(urgent.packets > 100 && gathered.packets * 2 < urgent.packets)
        #expect(urgent.longest <= .milliseconds(42))
        // A quarter of the round trip longer, and of what its measurement adds.
        #expect(gathered.longest <= .milliseconds(42 + 22))
    }

    /// A pair whose phone has used its two tokens, over a round trip of 400 ms.
    private func spent() throws -> PeerPair {
        var conditions = PairConditions.datagrams()
        conditions.delay = .milliseconds(200)
        let pair = PeerPair.connected(conditions)
        try pair.write(pair.phone, 1, [0])
        _ = pair.run { pair.watch.delivered.count == 1 }
        pair.run(for: .seconds(4))
        for number in 1...2 as ClosedRange<UInt8> { try pair.write(pair.phone, 1, [number]) }
        return pair
    }

    @Test("A change that was gathered leaves before a goodbye")
    func goodbye() throws {
        let pair = try spent()
        let before = pair.phone.packetsSent.count
        try pair.write(pair.phone, 2, [9])
        #expect(pair.phone.packetsSent.count == before)
        pair.input(pair.phone) { $0.deactivate(.normal, at: $1) }
        let isDelivered = pair.run { pair.watch.payloads.contains([9]) }
        #expect(isDelivered)
    }

    @Test("A value equal to the newest one is no change that waits")
    func equal() throws {
        let pair = try spent()
        for _ in 0..<20 { try pair.write(pair.phone, 1, [2]) }
        #expect(pair.phone.peer?.gathering.isWaiting == false)
        try pair.write(pair.phone, 1, [3])
        #expect(pair.phone.peer?.gathering.isWaiting == true)
    }

    @Test("A change leaves with what leaves anyway")
    func riding() throws {
        let pair = try spent()
        try pair.write(pair.phone, 2, [9])
        #expect(pair.phone.peer?.gathering.isWaiting == true)
        _ = try pair.send(pair.phone, [7], .interactive)
        #expect(pair.phone.peer?.gathering.isWaiting == false)
        let start = pair.now
        let isDelivered = pair.run { pair.watch.payloads.contains([9]) }
        #expect(isDelivered && start.duration(to: pair.now) <= .milliseconds(201))
    }

    @Test("In the background changes wait for 500 ms at most, or until ten do")
    func background() throws {
        let gathered = try burst(isForeground: false)
        #expect(gathered.packets < 40)
        #expect(gathered.longest <= .milliseconds(42 + 500))
    }
}

import Testing

@testable import WatchProtoCore

@Suite("Promises of a peer that outlive links and processes")
struct KeptPromiseTests {
    private static func stages(_ side: PeerPair.Side, _ id: RecordID) -> [Stage] {
        side.events.compactMap { event in
            guard case .progress(id, let stage) = event else { return nil }
            return stage
        }
    }

    @Test(
        "The sender hears received 100 ms into a slow commit, and not where the commit is fast",
        arguments: PeerTests.carriers.indices)
    func received(_ index: Int) throws {
        for (commit, hears) in [(50, false), (400, true)] {
            let pair = PeerPair.connected(PeerTests.carriers[index])
            let id = try pair.send(pair.phone, [1])
            // The sender's own commit is over before the record arrives.
            pair.run(for: .milliseconds(6))
            pair.conditions.commit = .milliseconds(commit)
            let sentAt = pair.now
            let isHeard = pair.run { Self.stages(pair.phone, id).contains(.received) }
            #expect(isHeard)
            let wait = sentAt.duration(to: pair.now)
            // Otherwise it hears of both stages at once.
            #expect(Self.stages(pair.phone, id).contains(.committed) != hears, "\(wait)")
            if hears { #expect(wait >= .milliseconds(100) && wait < .milliseconds(160)) }
            let isApplied = pair.run { pair.phone.settled(id) == .applied }
            #expect(isApplied)
        }
    }

    @Test("Each record is told to be received 100 ms into a slow commit, and not the first alone")
    func receivedLater() throws {
        let pair = PeerPair.connected()
        let first = try pair.send(pair.phone, [1])
        pair.run(for: .milliseconds(6))
        pair.conditions.commit = .milliseconds(400)
        pair.run(for: .milliseconds(150))
        #expect(Self.stages(pair.phone, first) == [.queued, .sent, .received])
        // Its own commit is fast, and the one of the watch is not.
        pair.conditions.commit = .milliseconds(5)
        let second = try pair.send(pair.phone, [2])
        pair.run(for: .milliseconds(6))
        pair.conditions.commit = .milliseconds(400)
        pair.run(for: .milliseconds(135))
        #expect(Self.stages(pair.phone, second) == [.queued, .sent, .received])
    }

    /// A datagram that is dropped must not make a side forget what was due just then.
    @Test("An attacker's datagrams at every deadline delay nothing")
    func attackerAtDeadlines() throws {
        let junk: [UInt8] = [PacketKind.transport.rawValue, 1, 2, 3, 4]
        var times: [[Instant]] = []
        for isAttacked in [false, true] {
            var conditions = PeerPair.Conditions.datagrams()
            conditions.delay = .milliseconds(100)
            let pair = PeerPair.connected(conditions)
            var (arrived, count): ([Instant], Int) = ([], 0)
            for step in 0..<4_000 {
                // The third and the fourth one wait for a token, and nothing else happens then.
                if step % 1_000 < 4 {
                    let channel: Channel = step < 2_000 ? .complication : .context
                    try pair.write(pair.phone, 1, [UInt8(step % 251)], channel)
                }
                let end = pair.now.advanced(by: .milliseconds(1))
                for side in [pair.phone, pair.watch] where isAttacked {
                    guard let due = side.peer?.nextDeadline, due > pair.now, due <= end else {
                        continue
                    }
                    let place = side.arriving.firstIndex { $0.due > due } ?? side.arriving.count
                    side.arriving.insert((due, junk), at: place)
                    count += 1
                }
                pair.run(for: .milliseconds(1))
                while arrived.count < pair.watch.payloads.count { arrived.append(pair.now) }
            }
            #expect(count >= 4 || !isAttacked, "\(count)")
            times.append(arrived)
        }
        #expect(times[0].count > 9 && times[0].count == times[1].count)
        #expect(zip(times[0], times[1]).allSatisfy { $1 <= $0.advanced(by: .milliseconds(2)) })
    }

    @Test(
        "A record that leaves before its commit is told to have departed, once",
        arguments: [Channel.background, .context, .complication])
    func departure(_ channel: Channel) throws {
        for waits in [false, true] {
            let pair = PeerPair.connected()
            pair.conditions.commit = .milliseconds(50)
            var draft = RecordDraft(
                channel: channel, kind: .opaque,
                key: channel.traits.order == .latestValue ? RecordKey(rawValue: 1) : nil,
                payload: [1])
            draft.waitsForCommit = waits
            let id = try pair.send(pair.phone, draft)
            let sentAt = pair.now
            let isGiven = pair.run { !pair.watch.delivered.isEmpty }
            #expect(isGiven)
            #expect((sentAt.duration(to: pair.now) < .milliseconds(50)) != waits)
            let departures = pair.phone.events.filter { $0 == .departed(id) }.count
            #expect(departures == (waits ? 0 : 1))
            #expect(Self.stages(pair.phone, id).contains(.sent) == waits)
            pair.run(for: .seconds(1))
            #expect(pair.phone.events.filter { $0 == .departed(id) }.count == departures)
            #expect(Self.stages(pair.phone, id).contains(.sent))
        }
    }

    @Test(
        "A request to cancel or expire a record that left survives a crash of the sender",
        arguments: [Outcome.cancelled, .expired], PeerTests.carriers.indices.dropFirst())
    func request(_ outcome: Outcome, _ index: Int) throws {
        let pair = PeerPair.connected(PeerTests.carriers[index])
        pair.conditions.loss = 1
        let expiry = WallTime(milliseconds: 1_700_000_000_000 + 2_000)
        let id = try pair.send(
            pair.phone,
            RecordDraft(
                channel: .background, kind: .opaque, payload: [1],
                expiresAt: outcome == .expired ? expiry : nil))
        pair.run(for: .milliseconds(100))
        if outcome == .cancelled { pair.input(pair.phone) { $0.cancel(id, at: $1) } }
        pair.run(for: .seconds(3))
        #expect(pair.phone.settled(id) == nil)
        // The wall clock of the pair starts anew with each process: only the journal knows.
        pair.crash(pair.phone)
        pair.conditions.loss = 0
        let isOver = pair.run { pair.phone.settled(id) != nil }
        #expect(isOver)
        #expect(pair.phone.settled(id) == outcome && pair.watch.delivered.isEmpty)
    }

    @Test("A reply names the message that it answers; after a cut its sender knows that it is late")
    func replies() throws {
        let pair = PeerPair.connected()
        var question = RecordDraft(channel: .interactive, kind: .opaque, payload: [1])
        question.expectsReply = true
        let asked = try pair.send(pair.phone, question)
        let isAsked = pair.run { !pair.watch.delivered.isEmpty }
        #expect(isAsked && pair.watch.delivered[0].expectsReply)
        var reply = RecordDraft(channel: .interactive, kind: .opaque, payload: [2])
        reply.inReplyTo = pair.watch.delivered[0].id.number
        let answered = try pair.send(pair.watch, reply)
        let isAnswered = pair.run { pair.watch.settled(answered) == .applied }
        #expect(isAnswered && pair.phone.delivered.map(\.inReplyTo) == [asked.number])
        // To a message of another opening it is refused.
        let late = RecordDraft(
            replyTo: RecordID(
                epoch: EpochID(rawValue: asked.epoch.rawValue ^ 1), channel: .interactive,
                number: asked.number), kind: .opaque, payload: [3])
        #expect(throws: SendRefusal.notReachable) { try pair.send(pair.watch, late) }
        _ = try pair.send(
            pair.watch, RecordDraft(replyTo: asked, kind: .opaque, payload: [4]))
        // Elsewhere a reply is refused, and without a counterpart every message.
        question.channel = .background
        #expect(throws: SendRefusal.channelMismatch) {
            try pair.send(pair.phone, question)
        }
        pair.isLinkPossible = false
        pair.cutLink()
        #expect(throws: SendRefusal.notReachable) { try pair.send(pair.watch, reply) }
    }

    @Test("A message that came is answered while the hold after flaps lasts")
    func replyInHold() throws {
        let pair = PeerPair.connected()
        for _ in 0..<4 {
            pair.cutLink()
            let isBack = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
            #expect(isBack)
        }
        pair.cutLink()
        let isActive = pair.run { pair.isActive && pair.phone.peer?.reachability.hasHeard == true }
        #expect(isActive && pair.phone.peer?.isReachable == false)
        #expect(throws: SendRefusal.notReachable) {
            try pair.send(
                pair.phone, RecordDraft(channel: .interactive, kind: .opaque, payload: [1]))
        }
        var reply = RecordDraft(channel: .interactive, kind: .opaque, payload: [2])
        reply.inReplyTo = RecordNumber(7)
        let answered = try pair.send(pair.phone, reply)
        let isAnswered = pair.run { pair.phone.settled(answered) == .applied }
        #expect(isAnswered && pair.watch.delivered.last?.inReplyTo == reply.inReplyTo)
        #expect(pair.phone.peer?.isReachable == false, "the hold lasts")
    }

    @Test("The path is remembered over a restart: round-trip time, rate, first time-out")
    func path() throws {
        var conditions = PeerPair.Conditions.datagrams()
        conditions.bytesPerSecond = 100_000
        let pair = PeerPair.connected(conditions)
        let file = try pair.send(pair.phone, [UInt8](repeating: 1, count: 500_000), .bulk)
        let isDone = pair.run { pair.phone.settled(file) == .applied }
        #expect(isDone)
        try pair.send(pair.phone, [2])
        pair.run(for: .seconds(1))
        pair.isLinkPossible = false
        pair.crash(pair.phone)
        let trip = pair.phone.peer?.path.estimate.lastRoundTrip ?? .zero
        #expect(trip >= .milliseconds(20) && trip < .milliseconds(200))
        #expect(pair.phone.peer?.firstTimeout == trip + trip / 2)
        let rate = pair.phone.peer?.path.estimate.bytesPerSecond ?? 0
        #expect(rate > 80_000 && rate < 120_000)
    }

    @Test(
        "A close code reaches the counterpart's application as it was given",
        arguments: [0, 1, 2, 5, 200] as [UInt8], [0, 1])
    func closeCodes(_ rawValue: UInt8, _ index: Int) {
        let code = CloseCode(rawValue: rawValue)
        let pair = PeerPair.connected(PeerTests.carriers[index])
        pair.input(pair.phone) { $0.deactivate(code, at: $1) }
        pair.run(for: .milliseconds(100))
        #expect(pair.watch.events.contains(.linkClosed(.counterpart(code))))
        #expect(pair.phone.events.contains(.linkClosed(.localRequest)))
    }

    @Test("The first meeting is reported once in each process, and a restart of the other as such")
    func meetings() {
        let pair = PeerPair.connected()
        for _ in 0..<3 {
            pair.cutLink()
            _ = pair.run { pair.isActive }
            pair.run(for: .milliseconds(500))
        }
        #expect(pair.phone.changes == [.first] && pair.watch.changes == [.first])
        pair.crash(pair.phone)
        _ = pair.run { pair.isActive }
        pair.run(for: .milliseconds(500))
        #expect(pair.phone.changes == [.first, .first])
        #expect(pair.watch.changes == [.first, .restarted])
    }

    @Test("Unsettled durable records of a pairing are listed for the next one, and none that ended")
    func carryOver() throws {
        let pair = PeerPair()
        let gone = try pair.send(pair.phone, [1])
        pair.input(pair.phone) { $0.cancel(gone, at: $1) }
        let first = try pair.send(pair.phone, [2])
        let file = try pair.send(pair.phone, [3], .bulk)
        try pair.write(pair.phone, 4, [4])
        let face = try pair.write(pair.phone, 5, [5], .complication)
        let value = try pair.write(pair.phone, 4, [6])
        pair.run(for: .milliseconds(100))
        #expect(pair.phone.image.undelivered.map(\.id) == [first, file, face, value])
        #expect(pair.phone.image.undelivered.map(\.payload) == [[2], [3], [5], [6]])
        pair.activate()
        _ = pair.run { pair.phone.peer?.outstandingTransfers.isEmpty == true }
        pair.run(for: .seconds(1))
        #expect(pair.phone.image.undelivered.isEmpty)
    }
}

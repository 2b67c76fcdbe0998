import Testing

@testable import WatchProtoCore

@Suite("Two peers")
struct PeerTests {
    static let carriers: [PeerPair.Conditions] = [.init(), .datagrams(), .datagrams(bytes: 244)]

    @Test("Two paired sides open a session", arguments: carriers.indices)
    func session(_ index: Int) {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        let done0 = pair.run {
            pair.isActive && pair.phone.peer?.isReachable == true
                && pair.watch.peer?.isReachable == true
        }
        #expect(done0)
        #expect(pair.phone.changes == [.first])
        #expect(pair.watch.changes == [.first])
    }

    @Test(
        "Records of both sides arrive once, in order, and their senders learn that they are applied",
        arguments: carriers.indices)
    func records(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        var ids: [RecordID] = []
        for number in UInt8(0)..<20 { ids.append(try pair.send(pair.phone, [number])) }
        let answer = try pair.send(pair.watch, [77])
        let done1 = pair.run {
            ids.allSatisfy { pair.phone.settled($0) == .applied }
                && pair.watch.settled(answer) == .applied
        }
        #expect(done1)
        #expect(pair.watch.payloads == (UInt8(0)..<20).map { [$0] })
        #expect(pair.phone.payloads == [[77]])
    }

    @Test(
        "Bulk fills packets of at most 16 KiB on carriers that cannot lose",
        arguments: [CarrierTraits.Framing.stream, .datagram(largestBytes: 1 << 16)])
    func bulk(_ framing: CarrierTraits.Framing) throws {
        var conditions = PeerPair.Conditions()
        conditions.carrier = CarrierTraits(framing: framing)
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive }
        let id = try pair.send(pair.phone, [UInt8](repeating: 7, count: 2 << 20), .bulk)
        let isDone = pair.run { pair.phone.settled(id) == .applied }
        #expect(isDone)
        let largest = pair.phone.packetsSent.max() ?? 0
        #expect(largest > 1 << 13 && largest <= (1 << 14) + 32, "\(largest)")
    }

    @Test("A pong for the newest of several pings lets bulk go on (LR-13; seed 37369)")
    func newestPong() throws {
        let pair = PeerPair.connected()
        let id = try pair.send(pair.phone, [UInt8](repeating: 7, count: 100_000), .bulk)
        pair.input(pair.phone) { peer, _ in peer.session?.requestPing() }
        // All that is under way arrives at once.
        let packets = pair.watch.arriving
        let last = try #require(packets.last)
        pair.watch.arriving = [(due: last.due, bytes: packets.flatMap { $0.bytes })]
        let isDone = pair.run { pair.phone.settled(id) == .applied }
        #expect(isDone && packets.count == 3)
    }

    @Test("Bulk with its pings fits small datagrams on a carrier that cannot lose")
    func bulkOnSmallDatagrams() throws {
        var conditions = PeerPair.Conditions()
        conditions.carrier = CarrierTraits(framing: .datagram(largestBytes: 512))
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive }
        let id = try pair.send(pair.phone, [UInt8](repeating: 7, count: 100_000), .bulk)
        let isDone = pair.run { pair.phone.settled(id) == .applied }
        #expect(isDone)
        let largest = pair.phone.packetsSent.max() ?? 0
        #expect(largest <= 512 && largest > 480, "\(largest)")
    }

    @Test("A listener that restarts reaches an idle dialler: its journal has the address")
    func restartedListener() throws {
        for forgets in [true, false] {
            let pair = PeerPair(.datagrams())
            pair.activate()
            _ = pair.run { pair.isActive }
            _ = try pair.send(pair.watch, [1])
            pair.run(for: .seconds(30))
            let before = pair.phone.bytesSent
            #expect(pair.phone.payloads == [[1]])
            if forgets {
                var image = JournalImage(kinds: PeerPair.kinds)
                for entry in pair.watch.image.entries {
                    if case .address = entry { continue }
                    image.apply(entry)
                }
                pair.watch.image = image
            }
            pair.restartAlone(pair.watch)
            _ = try pair.send(pair.watch, [2])
            let begin = pair.now
            if forgets {
                pair.run(for: .seconds(5))
            } else {
                let isDone = pair.run { pair.phone.payloads == [[1], [2]] }
                #expect(isDone)
            }
            // Without the address it waits for the phone, which has nothing to say.
            #expect(pair.phone.payloads == (forgets ? [[1]] : [[1], [2]]))
            #expect(forgets == (pair.phone.bytesSent == before))
            if !forgets { #expect(begin.duration(to: pair.now) < .milliseconds(200)) }
        }
    }

    @Test(
        "A restarted listener and its dialler meet within 2 s among 1,000 datagrams of attackers",
        arguments: [20, 250])
    func restartAmongAttackers(_ milliseconds: Int) throws {
        var conditions = PeerPair.Conditions.datagrams()
        conditions.delay = .milliseconds(milliseconds)
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive }
        _ = try pair.send(pair.watch, [1])
        pair.run(for: .seconds(30))
        pair.restartAlone(pair.watch)
        _ = try pair.send(pair.phone, [2])
        let begin = pair.now
        var random = SeededGenerator(seed: 3)
        var (sent, drained) = (0, 0)
        while pair.watch.payloads.isEmpty, begin.duration(to: pair.now) < .seconds(5) {
            // Packets of sessions that are none: each asks for a reset.
            var bytes = (0..<60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes[0] = PacketKind.transport.rawValue
            let attacker = PathAddress(host: 666, port: random.next())
            for side in [pair.phone, pair.watch] {
                sent += 1
                if pair.arrive(bytes, from: attacker, at: side) { drained += 1 }
            }
            pair.run(for: .milliseconds(1))
        }
        #expect(pair.watch.payloads == [[2]])
        #expect(begin.duration(to: pair.now) < .seconds(2))
        // A side drains only for packets that it answers.
        let resets = [pair.phone, pair.watch].reduce(0) {
            $0 + ($1.peer?.connectionCounters.resetsSent ?? 0)
        }
        #expect(drained > 0 && drained <= resets && drained < sent)
    }

    @Test("A complication that cannot leave yet wakes nobody")
    func complicationThatWaits() throws {
        let pair = PeerPair()
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(2))
        // While the journal owes a commit, a draft that waits for it has a token and may not leave.
        pair.conditions.commit = .seconds(3)
        let draft = RecordDraft(
            channel: .complication, kind: .opaque, key: RecordKey(rawValue: 1), payload: [1],
            waitsForCommit: true)
        _ = try pair.send(pair.phone, draft)
        let deadline = pair.phone.peer?.nextDeadline
        #expect(deadline.map { $0 > pair.now } ?? true)
    }

    @Test("The latest value of each key arrives", arguments: carriers.indices)
    func values(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        for round in UInt8(1)...5 {
            for key in UInt128(1)...3 { try pair.write(pair.phone, key, [UInt8(key), round]) }
        }
        try pair.write(pair.phone, 9, [9], .complication)
        func latest(_ key: UInt128) -> [UInt8]? {
            pair.watch.delivered.last { $0.key == RecordKey(rawValue: key) }?.payload
        }
        let done2 = pair.run {
            (1...3).allSatisfy { latest(UInt128($0)) == [UInt8($0), 5] } && latest(9) == [9]
        }
        #expect(done2)
        pair.run(for: .seconds(2))
        let unsettled = pair.phone.peer?.rooms.values.hasUnsettled
        #expect(unsettled == false)
    }

    @Test(
        "A record that was sent while there was no link arrives with the next one, once",
        arguments: carriers.indices)
    func offline(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        pair.isLinkPossible = false
        pair.cutLink()
        let id = try pair.send(pair.phone, [1])
        try pair.write(pair.phone, 4, [4])
        pair.run(for: .seconds(1))
        pair.isLinkPossible = true
        pair.linkWanted()
        let done3 = pair.run { pair.phone.settled(id) == .applied }
        #expect(done3)
        pair.run(for: .seconds(1))
        #expect(pair.watch.payloads.sorted { $0[0] < $1[0] } == [[1], [4]])
        let taken = pair.phone.peer?.counters.earlyPacketsTaken ?? 0
        #expect(taken > 0)
    }

    @Test(
        "A session between the same two openings keeps its ticket and writes nothing",
        arguments: carriers.indices)
    func keptTicket(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(2))
        let before = pair.phone.peer?.journal.formed
        pair.cutLink()
        _ = pair.run { pair.isActive && pair.watch.peer?.isReachable == true }
        pair.run(for: .seconds(2))
        let isKept = pair.phone.peer?.rooms.tickets.session?.isKept
        let after = pair.phone.peer?.journal.formed
        #expect(isKept == true)
        #expect(after == before)
        // Also where values are held: message 1 takes at most 104 bytes.
        try pair.write(pair.watch, 4, [4])
        try pair.send(pair.watch, [1])
        pair.run(for: .seconds(2))
        let tickets = pair.phone.peer?.rooms.tickets.presentation ?? .largest
        let bytes = pair.phone.peer?.makeHello(tickets, answer: nil).0.size ?? .max
        #expect(bytes <= 104 - HelloTests.fixedBytes)
    }

    @Test(
        "A comparison that a cut ended goes on in the next session between the same openings",
        arguments: carriers.indices)
    func comparison(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        let backup = pair.watch.image
        for key in UInt128(0)..<50 {
            try pair.write(pair.phone, key, [UInt8](repeating: UInt8(key), count: 100))
        }
        pair.run(for: .seconds(2))
        pair.restore(pair.watch, backup)
        let isComparing = pair.run { pair.phone.peer?.isComparing == true }
        #expect(isComparing)
        var wasKept = false
        for _ in 0..<8 {
            pair.cutLink()
            _ = pair.run { pair.isActive }
            wasKept = wasKept || pair.phone.peer?.rooms.tickets.session?.isKept == true
            pair.run(for: .milliseconds(1))
        }
        let isSame = pair.run { pair.phone.ownValues == pair.watch.heldValues }
        #expect(isSame && wasKept)
    }

    @Test(
        "A lost value that a cut keeps from arriving leaves in the next session (L-38)",
        arguments: carriers.indices)
    func lostAgain(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        let backup = pair.watch.image
        try pair.write(pair.phone, 1, [1])
        pair.run(for: .seconds(2))
        pair.restore(pair.watch, backup)
        let isComparing = pair.run { pair.phone.peer?.isComparing == true }
        let hasCompared = pair.run { pair.phone.peer?.isComparing == false }
        #expect(isComparing && hasCompared && pair.watch.heldValues.isEmpty)
        pair.cutLink()
        let isSame = pair.run { pair.phone.ownValues == pair.watch.heldValues }
        #expect(isSame)
    }

    @Test("A value keeps its name: a hello lists its epoch until it is settled")
    func epochOfValue() throws {
        let pair = PeerPair()
        pair.watch.disposition = .pending
        pair.activate()
        _ = pair.run { pair.isActive }
        let id = try pair.write(pair.phone, 1, [1])
        pair.run(for: .seconds(1))
        pair.crash(pair.phone)
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        let isGone = pair.phone.peer?.rooms.ownEpochs.isGone(id.epoch)
        let hello = pair.phone.peer?.makeHello(.largest, answer: nil).0
        #expect(isGone == true && hello?.earlier.map { $0.id } == [id.epoch])
    }

    @Test("A responder waits for the summary of values where another packet overtakes it (W-26)")
    func summaryOvertaken() throws {
        var conditions = PairConditions.datagrams()
        conditions.commit = .milliseconds(300)
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(2))
        let backup = pair.watch.image
        pair.crash(pair.watch)
        _ = pair.run { pair.isActive }
        try pair.write(pair.watch, 1, [1])
        pair.run(for: .seconds(2))
        pair.restore(pair.watch, backup)
        try pair.send(pair.watch, [1])
        pair.lost = [2]
        let isSame = pair.run {
            !pair.watch.ownValues.isEmpty && pair.watch.ownValues == pair.phone.heldValues
        }
        #expect(isSame)
    }

    @Test(
        "After a crash both sides are in step, and the records go on", arguments: carriers.indices)
    func crash(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        let first = try pair.send(pair.phone, [1])
        let done4 = pair.run { pair.phone.settled(first) == .applied }
        #expect(done4)
        pair.run(for: .seconds(1))
        pair.crash(pair.phone)
        let second = try pair.send(pair.phone, [2])
        let done5 = pair.run { pair.phone.settled(second) == .applied }
        #expect(done5)
        pair.crash(pair.watch)
        let third = try pair.send(pair.phone, [3])
        let done6 = pair.run { pair.phone.settled(third) == .applied }
        #expect(done6)
        #expect(pair.watch.payloads == [[1], [2], [3]])
        #expect(pair.watch.changes.allSatisfy { $0 == .first || $0 == .restarted })
        #expect(pair.phone.changes.allSatisfy { $0 == .first || $0 == .restarted })
    }

    @Test(
        "A watch that is restored from a backup is found out, and its sender is told once",
        arguments: carriers.indices)
    func restoredReceiver(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        let backup = pair.watch.image
        let id = try pair.send(pair.phone, [1])
        let done7 = pair.run { pair.phone.settled(id) == .applied }
        #expect(done7)
        pair.run(for: .seconds(1))
        pair.restore(pair.watch, backup)
        let done8 = pair.run { pair.phone.changes.contains(.wentBack) }
        #expect(done8)
        let next = try pair.send(pair.phone, [2])
        let done9 = pair.run { pair.phone.settled(next) == .applied }
        #expect(done9)
    }

    @Test(
        "An initiator that was refused as stale goes on with another message 1 of the same link",
        arguments: carriers.indices)
    func refused(_ index: Int) throws {
        let pair = PeerPair(Self.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        let backup = pair.phone.image
        for _ in 0..<3 {
            pair.crash(pair.phone)
            _ = pair.run { pair.isActive }
            pair.run(for: .seconds(1))
        }
        pair.phone.events = []
        pair.restore(pair.phone, backup)
        let next = try pair.send(pair.phone, [2])
        let isDone = pair.run { pair.phone.settled(next) == .applied }
        #expect(isDone)
        for case .linkClosed(let end) in pair.phone.events + pair.watch.events {
            if case .violation(let error) = end { Issue.record("\(error.expected)") }
        }
    }

    @Test("With a fifth of the datagrams lost everything arrives once and in order")
    func lossy() throws {
        let pair = PeerPair(.datagrams(loss: 0.2))
        pair.activate()
        var ids: [RecordID] = []
        for number in UInt8(0)..<100 {
            ids.append(try pair.send(pair.phone, [number]))
            try pair.send(pair.watch, [number])
            pair.run(for: .milliseconds(20))
        }
        let done10 = pair.run {
            ids.allSatisfy { pair.phone.settled($0) == .applied }
                && pair.phone.payloads.count == 100
        }
        #expect(done10)
        #expect(pair.watch.payloads == (UInt8(0)..<100).map { [$0] })
        #expect(pair.phone.payloads == (UInt8(0)..<100).map { [$0] })
    }

    @Test(
        "Random walks come to rest, with nothing lost, nothing twice and no false alarm",
        arguments: [0, 1, 3, 7, 15])
    func walks(_ faults: Int) {
        for seed in UInt64(1)...20 {
            let findings = PeerWalk(seed: seed, faults: PeerWalk.Faults(rawValue: faults)).run()
            #expect(findings == [], "seed \(seed)")
        }
    }

    /// On a stream early data that met a responder in the midst of a commit was dropped, and never
    /// left again.
    /// Sides that were restored in turn took each other for clones.
    @Test("Walks that a longer search found hold", arguments: [(7, 35), (15, 696), (7, 1036)])
    func walk(_ faults: Int, _ seed: UInt64) {
        #expect(PeerWalk(seed: seed, faults: PeerWalk.Faults(rawValue: faults)).run() == [])
    }

    @Test("A side that waits to be called calls once it has a record, where the last session was")
    func calls() throws {
        let pair = PeerPair(.datagrams())
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        pair.isLinkPossible = false
        pair.cutLink()
        let packets = pair.watch.packetsSent.count
        pair.input(pair.watch) {
            $0.linkUp(pair.conditions.carrier, initiation: .whenCalled, at: $1)
        }
        #expect(pair.watch.packetsSent.count == packets)
        _ = try pair.send(pair.watch, [1])
        #expect(pair.watch.packetsSent.count > packets)
    }

    @Test("A carrier that comes while another is open is refused alone")
    func secondCarrier() throws {
        let pair = PeerPair(.datagrams())
        pair.activate()
        let isActive = pair.run { pair.isActive }
        #expect(isActive)
        pair.isLinkPossible = false
        pair.watch.events = []
        pair.input(pair.watch) {
            $0.linkUp(pair.conditions.carrier, initiation: .whenCalled, at: $1)
        }
        #expect(pair.watch.peer?.activationState == .activated)
        #expect(pair.watch.peer?.session != nil)
    }

    @Test("The answer to early data names no more ranges than a peer reads")
    func earlyAnswer() throws {
        let pair = PeerPair(.datagrams())
        pair.activate()
        let isActive = pair.run { pair.isActive }
        #expect(isActive)
        var ranges = 0
        pair.input(pair.watch) { peer, _ in
            peer.session?.earlyCounter = 1
            peer.session?.owesEarlyAnswer = true
            peer.session?.earlyTaken = NumberRanges()
            for number in UInt64(0)..<100 { peer.session?.earlyTaken.insert(number * 2) }
            if case .accepted(let taken)? = peer.earlyAnswer?.answer {
                ranges = taken.ranges.count
            }
            peer.session?.owesEarlyAnswer = false
        }
        #expect(ranges == Limits().ackRanges)
    }
}

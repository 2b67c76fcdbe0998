import Testing

@testable import WatchProtoCore

/// Random walks of two sides through every fault that the contract of a link allows, and then a
/// healed link (Models/IDENTITY.md, I9).
@Suite struct ConnectionWalkTests {
    /// Counts the rare events that walks met: none of them may stay unmet.
    struct Met {
        var crossings = 0
        var refusals = 0
        var resets = 0
        var replays = 0
        var restarts = 0
        var restores = 0
        var timeouts = 0
        var early = 0
        var sessions = 0
    }

    @Test("after any faults both sides have one session, and nobody took a packet twice")
    func datagrams() {
        var met = Met()
        for seed in 0..<150 {
            var walk = Walk(toyPair(seed: UInt64(seed)), seed: UInt64(seed), isStream: false)
            walk.run()
            #expect(walk.problem == nil, "seed \(seed): \(walk.problem ?? "")")
            walk.count(into: &met)
        }
        #expect(met.crossings > 5, "\(met)")
        #expect(met.refusals > 10 && met.resets > 10 && met.replays > 100, "\(met)")
        #expect(met.restarts > 50 && met.restores > 20 && met.timeouts > 5, "\(met)")
        #expect(met.early > 50 && met.sessions > 500, "\(met)")
    }

    @Test("the same holds on streams and without security")
    func streams() {
        for seed in 0..<50 {
            var sealed = Walk(toyPair(seed: UInt64(seed)), seed: UInt64(seed), isStream: true)
            sealed.run()
            #expect(sealed.problem == nil, "seed \(seed): \(sealed.problem ?? "")")
            var plain = Walk(
                nullPair(seed: UInt64(seed)), seed: UInt64(seed), isStream: seed % 2 == 0)
            plain.replaysAnything = false
            plain.run()
            #expect(plain.problem == nil, "seed \(seed), plain: \(plain.problem ?? "")")
        }
    }
}

extension ConnectionWalkTests {
    /// Walks count no bytes; the simulation does.
    private static let walked = ConnectionMutant.allCases.filter { $0 != .noAddressLimit }

    @Test("each planted bug is found by a walk", arguments: walked)
    func mutants(mutant: ConnectionMutant) {
        var configuration = ConnectionConfiguration()
        configuration.mutant = mutant
        let isFound = (0..<200).contains { seed in
            var walk = Walk(
                toyPair(seed: UInt64(seed), configuration: configuration), seed: UInt64(seed),
                isStream: false)
            walk.run()
            return walk.problem != nil
        }
        #expect(isFound)
    }
}

/// One walk: two sides, faults drawn from a seed, and what must hold.
struct Walk {
    var pair: TestPair
    var random: SeededGenerator
    var problem: String?
    /// Whether any captured packet may come again; only a keyed security tells sessions apart.
    var replaysAnything = true
    private var former: [TestSide] = []
    private var restarts = 0
    private var restores = 0
    private var replays = 0
    private let security: [AnySecurity]

    init(_ pair: TestPair, seed: UInt64, isStream: Bool) {
        self.pair = pair
        random = SeededGenerator(seed: seed ^ 0xABCD)
        security = pair.sides.map { $0.connection.security }
        if isStream { self.pair.useStream() }
        self.pair.watchInitiates = [.atOnce, .afterPatience, .whenCalled][Int(seed % 3)]
    }

    mutating func run() {
        pair.start()
        for _ in 0..<60 where problem == nil {
            fault()
            pair.run(for: .milliseconds(Int(random.uniform(in: 10...800))))
            exchange()
            check()
        }
        heal()
        check()
    }

    /// The link heals, and faults end: both sides come to one session.
    private mutating func heal() {
        (pair.isCut, pair.loss, pair.duplication, pair.reordering) = (false, 0, 0, 0)
        for place in 0...1 { pair.sides[place].isStable = true }
        for _ in 0..<100 where problem == nil {
            pair.settle(.phone)
            pair.settle(.watch)
            pair.run(for: .seconds(1))
            exchange()
            if pair.isJoined { return }
        }
        let phases = pair.sides.map { "\($0.connection.phase)" }
        problem = problem ?? "no session: \(phases)"
    }

    private mutating func fault() {
        let role: DeviceRole = random.chance(0.5) ? .phone : .watch
        let place = Int(role.rawValue)
        switch random.uniform(in: 0...12) {
        case 0: pair.isCut.toggle()
        case 1: (pair.loss, pair.duplication) = (random.unitInterval() * 0.4, 0.2)
        case 2: pair.reordering = random.unitInterval() * 0.5
        case 3:
            pair.sides[place].connection.close(.localRequest, at: pair.now)
            pair.settle(role)
        case 4: restart(role, isRestored: false)
        case 5: restart(role, isRestored: true)
        case 6, 7: replay(to: role)
        case 8:
            pair.sides[place].isStable.toggle()
            pair.settle(role)
        case 9:
            pair.sides[place].connection.initiateNow()
            pair.settle(role)
        case 10:
            pair.sides[place].connection.portRefused(at: pair.now)
            pair.settle(role)
        case 11: cutHandshake(role)
        default: (pair.loss, pair.isCut) = (0, false)
        }
        pair.followStream()
    }

    /// The link is cut in the midst of a handshake, for longer than a session waits.
    private mutating func cutHandshake(_ role: DeviceRole) {
        (pair.loss, pair.isCut) = (0, false)
        pair.sides[Int(role.rawValue)].connection.initiateNow()
        pair.settle(role)
        pair.run(for: pair.delay + .milliseconds(1))
        pair.isCut = true
        pair.run(for: .seconds(12))
    }

    /// The process of one side ends and begins anew on its journal, or on an earlier one.
    private mutating func restart(_ role: DeviceRole, isRestored: Bool) {
        let place = Int(role.rawValue)
        let old = pair.sides[place]
        former.append(old)
        restarts += 1
        var highest = old.connection.highestCounter
        var counter = old.ownCounter + 64
        if isRestored {
            restores += 1
            highest = random.uniform(in: 0...highest)
            counter = random.uniform(in: 0...old.ownCounter)
        }
        var fresh = TestSide(
            role, security: security[place], epoch: random.next() | 1, highest: highest,
            configuration: old.connection.configuration)
        // The security's randomness goes on: no key comes twice.
        fresh.connection.security = old.connection.security
        fresh.ownCounter = counter
        pair.sides[place] = fresh
        pair.sides[place].connection.activate(at: pair.now)
        pair.settle(role)
        pair.followStream()
    }

    /// Somebody sends again what was said before, from any address.
    private mutating func replay(to role: DeviceRole) {
        guard !pair.isStream, replaysAnything else { return }
        let said = pair.capture.filter { $0.from != role }
        guard !said.isEmpty else { return }
        pair.run(for: pair.delay * 5)
        let wasJoined = pair.isJoined && restores == 0
        if let id = pair.sides[Int(role.rawValue)].connection.currentSession?.counterpartID {
            var forged = WireWriter([PacketKind.reset.rawValue])
            ResetPacket(connectionID: id, token: 1).write(to: &forged)
            pair.inject(forged.bytes, to: role, from: pair.address(of: role.counterpart))
        }
        for _ in 0..<5 {
            let place = Int(random.uniform(in: 0...UInt64(said.count - 1)))
            replays += 1
            let source =
                random.chance(0.5)
                ? pair.address(of: role.counterpart) : PathAddress(host: 666, port: 6)
            pair.inject(said[place].bytes, to: role, from: source)
        }
        if wasJoined, !pair.isJoined { problem = "an old packet ended a live session" }
    }

    private mutating func exchange() {
        for role in DeviceRole.allCases {
            pair.sendEarly(role)
            pair.send(role)
            // A side that hears nothing for five seconds gives the session up.
            let side = pair.sides[Int(role.rawValue)]
            if side.connection.phase == .established,
                side.lastHeard.duration(to: pair.now) > .seconds(5)
            {
                pair.sides[Int(role.rawValue)].connection.close(.stalled, at: pair.now)
                pair.settle(role)
            }
        }
        pair.followStream()
    }

    private mutating func check() {
        for place in 0...1 {
            let side = pair.sides[place]
            let other = side.role.counterpart
            var seen: Set<[UInt8]> = []
            for (ticket, content) in side.received {
                let isOfSession =
                    content.count == 17 && content[0] == other.rawValue
                    && Array(content[1..<9]) == ToyHash.bytes(ticket.rawValue)
                if !isOfSession { problem = "a packet of another session was taken: \(content)" }
                if !seen.insert(content).inserted { problem = "a packet was taken twice" }
            }
            if Set(side.sessions).count != side.sessions.count {
                problem = "one handshake made two sessions"
            }
        }
    }

    func count(into met: inout ConnectionWalkTests.Met) {
        for side in pair.sides + former {
            met.refusals += Int(side.connection.counters.refusalsSent)
            met.early += side.early.count
            met.sessions += side.sessions.count
            met.resets += side.ends.count { $0 == .reset }
            met.timeouts += side.ends.count { $0 == .handshakeTimedOut }
            met.crossings += side.crossed
        }
        met.replays += replays
        met.restarts += restarts
        met.restores += restores
    }
}

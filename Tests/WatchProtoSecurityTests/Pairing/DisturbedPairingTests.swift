import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Pairings with somebody in the middle who alters, keeps back, repeats, reorders, reflects and
/// replays: nothing comes of it, and afterwards the same two pair with a fresh code.
@Suite struct DisturbedPairingTests {
    typealias Table = PairingLinkTests.Table

    static let carriers = PairingLinkTests.carriers
    static let lossy = carriers[2]

    /// The packets of a pairing that nobody disturbs, in order. No two are of one length, whatever
    /// the codes are.
    static func script(on traits: CarrierTraits) throws -> [[UInt8]] {
        var table = Table(traits)
        try table.show()
        try table.enter()
        #expect(table.arePaired)
        #expect(table.wire[0].count + table.wire[1].count == PairingWire.count(on: traits))
        let wire = table.wire.map { Array($0.suffix(3)) }
        let all = (0..<PairingBench.count).map { wire[($0 + 1) % 2][$0 / 2] }
        #expect(Set(all.map(\.count)).count == PairingBench.count)
        return all
    }

    /// The events of a run on the devices, and the packets that a reader of the link sees.
    struct Showing: Hashable {
        var events: [[String]]
        var packets: [[Int]]
        var isUp: Bool
    }

    static func showing(_ table: Table) -> Showing {
        Showing(
            events: table.events, packets: table.wire.map { $0.map(\.count) }, isUp: table.isUp)
    }

    /// Nobody is in the middle any more: the two pair with the code that is shown then, after a
    /// few acts of their users.
    static func pairAfterwards(
        _ table: inout Table, _ words: String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        table.detour = nil
        table.linksLeft = .max
        for side in 0...1 where table.sides[side].isOver {
            // Another act of its user.
            table.sides[side] = PairingLink([PairingBench.watch, PairingBench.phone][side])
            table.kept[side] = nil
            if side == 0 { try table.show() }
        }
        table.settle()
        for _ in 0..<8 where !table.arePaired {
            if table.sides[0].isOver {
                table.sides[0] = PairingLink(PairingBench.watch)
                table.kept[0] = nil
                try table.show()
            }
            if table.sides[1].isOver { table.sides[1] = PairingLink(PairingBench.phone) }
            do throws(PairingCoordinator.Refusal) {
                try table.enter()
            } catch .usedBefore {
                // Somebody may have made a guess on the entering side alone: the user of the
                // displaying side asks for another code.
                if !table.sides[0].cancel(at: table.now) { table.pass(.seconds(11)) }
                table.settle()
                continue
            } catch {
                // The run before is still on its way.
            }
            table.pass(.seconds(30))
        }
        let arePaired = table.arePaired
        #expect(arePaired, "\(words): \(table.events)", sourceLocation: location)
    }

    // MARK: Altered

    /// Every byte of every message, two bits of each: no run pairs, each run that could be a guess
    /// shows the same whichever byte it was, and a fresh code pairs the same two.
    @Test(arguments: carriers, 0..<PairingBench.count)
    func every_altered_byte_ends_a_run_and_says_no_more(
        _ traits: CarrierTraits, number: Int
    ) throws {
        let whole = try Self.script(on: traits)[number]
        // The bytes before the body are the same in each packet of this kind.
        let front = whole.count - Self.bodyBytes[number]
        var shown: [Showing: [Int]] = [:]
        for place in whole.indices {
            for mask in [0x01, 0x80] as [UInt8] {
                var table = Table(traits)
                table.linksLeft = 1
                var altered = 0
                table.detour = { from, packet in
                    guard packet.count == whole.count else { return [(1 - from, packet)] }
                    altered += 1
                    return [(1 - from, packet.flipping(place, mask))]
                }
                try table.show()
                try table.enter()
                #expect(altered > 0)
                let arePaired = table.arePaired
                #expect(!arePaired, "byte \(place): \(table.events)")
                if place >= front, !Self.publicPlaces[number].contains(place - front) {
                    shown[Self.showing(table), default: []].append(place)
                }
                // A side that waits, waits a while: a packet that may be lost is repeated, and
                // altered again.
                table.pass(.seconds(15))
                // The last message is the watch's word that it keeps the pairing.
                let kept = table.kept.map { $0 != nil }
                #expect(!kept[1] && (!kept[0] || number == 5), "byte \(place): \(table.events)")
                // A side that knew the code and has gone is reported as gone by the other.
                #expect(
                    table.failures.isSubset(of: [.notAuthentic, .abandoned]), "byte \(place)")
                try Self.pairAfterwards(&table, "byte \(place) of message \(number)")
            }
        }
        // In clear everybody sees for himself what is wrong: a version, a role, a point.
        if number >= 2 { #expect(shown.count == 1, "\(shown)") }
    }

    /// Bytes of each message behind its kind.
    static let bodyBytes = [34, 68, 82, 96, 64, 16]
    /// Lengths that stand in a message in clear.
    static let publicPlaces: [Set<Int>] = [[], [0, 33], [0, 33], [], [], []]

    // MARK: Kept back, repeated, reordered, reflected, replayed

    enum Disturbance: CaseIterable {
        case dropped, duplicated, reordered, reflected, reflectedToo, replayed, replayedToo
        case replayedAfterwards

        /// Whether a carrier that can lose makes up for it: nothing there that honest loss or
        /// an echo cannot do, or what comes too late.
        var isMadeUpFor: Bool {
            switch self {
            case .dropped, .duplicated, .reordered, .reflectedToo, .replayedAfterwards: true
            case .reflected, .replayed, .replayedToo: false
            }
        }

        /// Whether the message itself never arrives.
        var isInstead: Bool { self == .reflected || self == .replayed }
    }

    @Test(arguments: Disturbance.allCases, carriers)
    func disturbed_messages_pair_nobody_else_and_the_same_two_pair(
        _ disturbance: Disturbance, _ traits: CarrierTraits
    ) throws {
        let earlier = try Self.script(on: traits)
        for number in 0..<PairingBench.count {
            var table = Table(traits)
            table.linksLeft = 1
            let count = earlier[number].count
            var held: (to: Int, packet: [UInt8])?
            var isFirst = true
            table.detour = { from, packet in
                let honest = (to: 1 - from, packet: packet)
                defer { if packet.count == count { isFirst = false } }
                if let late = held {
                    held = nil
                    return [honest, late]
                }
                guard packet.count == count else { return [honest] }
                switch disturbance {
                case .dropped: return isFirst ? [] : [honest]
                case .duplicated: return [honest, honest]
                case .reordered:
                    guard isFirst else { return [honest] }
                    held = honest
                    return []
                case .reflected: return [(from, packet)]
                case .reflectedToo: return [(from, packet), honest]
                case .replayed: return [(1 - from, earlier[number])]
                case .replayedToo: return [(1 - from, earlier[number]), honest]
                case .replayedAfterwards: return [honest, (1 - from, earlier[number])]
                }
            }
            try table.show()
            try table.enter()
            table.pass(.seconds(100))
            #expect(!isFirst)
            let words = "\(disturbance), message \(number): \(table.events)"
            let arePaired = table.arePaired
            if disturbance.isInstead { #expect(!arePaired, "\(words)") }
            if disturbance.isMadeUpFor, traits.isLossy { #expect(arePaired, "\(words)") }
            #expect(table.failures.isSubset(of: [.notAuthentic, .abandoned]), "\(words)")
            if !arePaired { try Self.pairAfterwards(&table, words) }
        }
    }

    /// The whole of an earlier pairing said again, to each side, in front of an honest one.
    @Test(arguments: carriers, [0, 1])
    func an_earlier_pairing_said_again_keeps_nothing(_ traits: CarrierTraits, to side: Int) throws {
        let earlier = try Self.script(on: traits)
        var table = Table(traits)
        if side == 0 { try table.show() }
        if side == 1 {
            try table.sides[1].enterCode(try #require(PairingCode("123456")), at: table.now)
        }
        table.sides[side].linkUp(traits, at: table.now)
        for (number, packet) in earlier.enumerated() where number % 2 == side {
            table.hand(packet, to: side)
            _ = table.sides[side].takePackets()
        }
        table.sides[side].linkDown(at: table.now)
        table.pass(.seconds(1))
        #expect(table.kept.allSatisfy { $0 == nil })
        if side == 1 { try table.show() }
        try Self.pairAfterwards(&table, "side \(side)")
    }

    // MARK: Loss

    /// 30 % of the packets lost each way, in bursts of up to three: each pairing completes by what
    /// it repeats itself, with the first code.
    @Test func fifty_of_fifty_pairings_complete_under_bursts() throws {
        var slowest = Duration.zero
        var lost = 0
        var sent = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            var table = Table(Self.lossy)
            var losses = [BurstLoss(seed: seed), BurstLoss(seed: seed + 1000)]
            table.detour = { from, packet in
                sent += 1
                guard losses[from].loses() else { return [(1 - from, packet)] }
                lost += 1
                return []
            }
            try table.show()
            let begin = table.now
            try table.enter()
            while !table.arePaired, begin.duration(to: table.now) < .seconds(120) {
                table.pass(.milliseconds(100))
            }
            let isDone = table.arePaired && table.codes.count == 1
            #expect(isDone, "seed \(seed): \(table.events)")
            slowest = max(slowest, begin.duration(to: table.now))
        }
        // Less than a link waits for one answer.
        #expect(slowest < PairingLink.answerTime, "\(slowest)")
        #expect(lost * 5 > sent, "\(lost) of \(sent)")
    }
}

/// Loses three packets of ten, in bursts of one to three.
struct BurstLoss {
    private var generator: SeededGenerator
    private var left = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func loses() -> Bool {
        if left > 0 {
            left -= 1
            return true
        }
        // A burst of two in the mean, after a run whose mean makes them this share of all.
        guard generator.unitInterval() < 0.3 / (2 - 0.3) else { return false }
        left = Int(generator.next() % 3)
        return true
    }
}

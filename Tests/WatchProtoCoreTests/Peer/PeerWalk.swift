@testable import WatchProtoCore

/// A random walk of two peers through losses, cuts, crashes, restores and wipes, and what must hold
/// of it.
struct PeerWalk {
    /// Which faults the walk has.
    struct Faults: OptionSet {
        let rawValue: Int
        static let cuts = Faults(rawValue: 1)
        static let crashes = Faults(rawValue: 2)
        static let restores = Faults(rawValue: 4)
        static let wipes = Faults(rawValue: 8)
    }

    let seed: UInt64
    let faults: Faults

    /// The problems of a walk; empty where there are none.
    func run(steps: Int = 60, debug: Bool = false) -> [String] {
        var random = SeededGenerator(seed: seed)
        var conditions: PeerPair.Conditions
        switch random.next() % 3 {
        case 0: conditions = .init()
        case 1: conditions = .datagrams(loss: random.chance(0.5) ? 0.1 : 0)
        default: conditions = .datagrams(loss: random.chance(0.5) ? 0.2 : 0, bytes: 244)
        }
        conditions.seed = seed
        conditions.delay = .milliseconds(Int64(1 + random.next() % 80))
        conditions.commit = .milliseconds(Int64(1 + random.next() % 40))
        let pair = PeerPair(conditions)
        var walk = Walk(pair: pair, random: random, faults: faults)
        pair.activate()
        for _ in 0..<steps { walk.step() }
        walk.settle()
        if debug, !walk.findings.isEmpty { walk.describe(conditions) }
        return walk.findings
    }

    private struct Walk {
        let pair: PeerPair
        var random: SeededGenerator
        let faults: Faults
        var findings: [String] = []
        var sent: [(side: DeviceRole, id: RecordID, number: UInt8)] = []
        var backups: [JournalImage?] = [nil, nil]
        var lost = [false, false]
        var wiped = [false, false]
        var next: UInt8 = 0
        /// The newest value of each key, by its side.
        var values: [[UInt128: UInt8]] = [[:], [:]]

        func side(_ index: Int) -> PeerPair.Side { index == 0 ? pair.phone : pair.watch }

        mutating func step() {
            let index = Int(random.next() % 2)
            let side = side(index)
            switch random.next() % 12 {
            case 0...3: send(index)
            case 4, 5: write(index)
            case 6 where faults.contains(.cuts): pair.cutLink()
            case 7 where faults.contains(.crashes) && random.chance(0.5): pair.crash(side)
            case 8 where !faults.isDisjoint(with: [.restores]):
                if backups[index] == nil, !wiped[index] {
                    backups[index] = side.image
                } else if random.chance(0.3), let backup = backups[index] {
                    lost[index] = true
                    pair.restore(side, backup)
                }
            case 9 where faults.contains(.wipes) && random.chance(0.15):
                lost[index] = true
                wiped[index] = true
                // A backup from before a wipe looks like a clone (Models/README.md, *Limits*).
                backups[index] = nil
                pair.restore(side, JournalImage(kinds: PeerPair.kinds))
            default: break
            }
            pair.run(for: .milliseconds(Int64(random.next() % 120)))
            for side in [pair.phone, pair.watch] { checkHello(side) }
        }

        /// Messages 1 and 2 fit the smallest datagram in every state.
        private mutating func checkHello(_ side: PeerPair.Side) {
            let answers: [TicketAnswer?] = [nil, .bothHeldBehind]
            let room = Limits().smallestDatagramBytes - HelloTests.fixedBytes
            for answer in answers {
                guard var hello = side.peer?.makeHello(TicketPresentation.largest, answer: answer).0
                else { continue }
                _ = hello.fit(room)
                if hello.size > room { findings.append("a hello of \(hello.size) bytes") }
            }
        }

        func describe(_ conditions: PeerPair.Conditions) {
            print(
                "-- \(conditions.carrier.framing) loss \(conditions.loss) now \(pair.now.nanoseconds / 1_000_000)"
            )
            for side in [pair.phone, pair.watch] {
                let p = side.peer?.connection.phase
                print(
                    side.role, p as Any, "unsettled", side.peer?.unsettledCount as Any, "values",
                    side.peer?.rooms.values.hasUnsettled as Any, "pending", side.pending.count,
                    "reach", side.peer?.reachability.state as Any, "deadline",
                    side.peer?.nextDeadline as Any)
                print("  ", side.events.suffix(6))
                let t = side.peer?.rooms.tickets
                print(
                    "   session", t?.session?.isConfirmed as Any, t?.positionToState as Any,
                    t?.isStable as Any, "opened", side.peer?.rooms.ownEpochs.isOpened as Any)
            }
        }

        private mutating func send(_ index: Int) {
            next &+= 1
            guard let id = try? pair.send(side(index), [next]) else { return }
            sent.append((side(index).role, id, next))
        }

        private mutating func write(_ index: Int) {
            next &+= 1
            let key = UInt128(random.next() % 3)
            guard (try? pair.write(side(index), key, [next])) != nil else { return }
            values[index][key] = next
        }

        /// The faults end: everything must come to rest.
        mutating func settle() {
            pair.conditions.loss = 0
            for index in 0...1 { pair.input(side(index)) { $0.activate(at: $1) } }
            let isDone = pair.run {
                pair.isActive && pair.phone.isQuiet && pair.watch.isQuiet
            }
            if !isDone { findings.append(pair.isSpinning ? "spins" : "does not come to rest") }
            pair.run(for: .seconds(2))
            check(0)
            check(1)
        }

        private mutating func check(_ index: Int) {
            let receiver = side(1 - index)
            let name = index == 0 ? "phone" : "watch"
            for case .linkClosed(.violation(let error)) in side(index).events {
                findings.append("a violation for the \(name): \(error.expected)")
            }
            let anyLost = lost[0] || lost[1]
            var seen: [UInt64: Int] = [:]
            for record in receiver.delivered where record.key == nil {
                let id = record.id
                let place = id.epoch.rawValue &* 1_000_003 &+ id.number.rawValue
                seen[place, default: 0] += 1
            }
            // A receiver that crashed before its commit is given the record again.
            if !anyLost, !faults.contains(.crashes), seen.values.contains(where: { $0 > 1 }) {
                findings.append("a record of the \(name) was delivered twice")
            }
            if !anyLost, !faults.contains(.crashes) {
                let numbers = receiver.delivered.filter { $0.key == nil }.map { $0.payload[0] }
                let expected = sent.filter { $0.side == side(index).role }.map { $0.number }
                if numbers != expected {
                    findings.append("records of the \(name): \(numbers), not \(expected)")
                }
            }
            if !anyLost {
                for change in side(index).changes + receiver.changes
                where change != .first && change != .restarted {
                    findings.append("false alarm: \(change)")
                }
            }
            for case .cloned in receiver.changes { findings.append("cloned") }
            let mine = side(index).ownValues
            let theirs = receiver.heldValues
            if mine != theirs { findings.append("values of the \(name): \(mine), there \(theirs)") }
        }
    }
}

extension PeerPair.Side {
    /// The values of this side, by key: version and content.
    var ownValues: [String] {
        guard let table = peer?.rooms.values.values.table else { return [] }
        return zip(table.keys, table.values).map { name, value in
            "\(name.key.rawValue): \(value.versionThere) \(value.newest.payload)"
        }.sorted()
    }

    /// The values of the counterpart that this side holds.
    var heldValues: [String] {
        guard let table = peer?.rooms.heldValues.values.table else { return [] }
        return zip(table.keys, table.values).compactMap { name, value in
            value.held.map {
                "\(name.key.rawValue): \($0.id.number.rawValue) \($0.payload)"
            }
        }.sorted()
    }

    /// Whether nothing of it waits for the counterpart.
    var isQuiet: Bool {
        let unsettled = peer?.unsettledCount ?? 1
        let values = peer?.rooms.values.hasUnsettled ?? true
        return unsettled == 0 && !values && pending.isEmpty
    }
}

extension TicketPresentation {
    /// The one that takes the most bytes.
    static var largest: TicketPresentation {
        var largest = TicketPresentation()
        largest.common = Ticket(rawValue: .max)
        largest.pending = Ticket(rawValue: .max - 1)
        largest.position = RecordNumber.largest
        largest.counterpartPosition = RecordNumber.largest
        largest.pendingPosition = RecordNumber.largest
        return largest
    }
}

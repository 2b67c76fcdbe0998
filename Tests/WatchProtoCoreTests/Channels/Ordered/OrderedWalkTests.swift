import Testing

@testable import WatchProtoCore

@Suite("Two ordered machines joined by a lossy pipe")
struct OrderedWalkTests {
    static func walk(
        seed: UInt64, _ faults: OrderedWorld.Faults, mutants: OrderedMutants = [],
        steps: Int = 400
    ) -> OrderedWorld {
        var world = OrderedWorld(seed: seed, faults: faults, mutants: mutants)
        do {
            for _ in 0..<steps {
                try world.step()
                if !world.problems.isEmpty { return world }
            }
            try world.heal()
        } catch {
            world.problems.append("\(error)")
        }
        return world
    }

    static let sets: [OrderedWorld.Faults] = [
        [], [.crashes], [.crashes, .pending, .cancels, .expiry], [.crashes, .early, .redo],
        [.crashes, .early, .redo, .pending, .cancels, .expiry],
        [.crashes, .senderRestore, .pending],
        [.crashes, .receiverRestore, .pending], .all,
    ]

    @Test(
        "Records stay in order, are applied once, end truly, and all end, under every fault",
        arguments: sets.indices)
    func promises(set: Int) {
        for seed in 1...60 as ClosedRange<UInt64> {
            let problems = Self.walk(seed: seed, Self.sets[set]).problems
            #expect(problems.isEmpty, "seed \(seed)")
            if !problems.isEmpty { return }
        }
    }

    /// Shows OC-2, OC-7, OC-9, OC-13, OC-15, OC-16, OC-21, OC-24, OC-37, OC-43.
    @Test(
        "Every planted mistake is caught by a walk",
        arguments: [
            OrderedMutants.settleReceived, .receivedKept, .pendingSettles, .throughOnly,
            .noHandback, .noOrderAcross, .keysVolatile, .closeDropsPending,
            .acknowledgeBeforeCommit, .forgetClosed, .watermarkBeforeCommit, .cancelAtOnce,
        ])
    func mutants(mutant: OrderedMutants) {
        let isCaught = (1...1600 as ClosedRange<UInt64>).contains { seed in
            let set = Self.sets[Int(seed) % Self.sets.count]
            return !Self.walk(seed: seed, set, mutants: [mutant]).problems.isEmpty
        }
        #expect(isCaught)
    }

    @Test("Folding every entry and restoring gives the durable state of both machines")
    func images() {
        for seed in 1...40 as ClosedRange<UInt64> {
            let world = Self.walk(seed: seed, [.crashes, .redo, .pending, .cancels, .expiry])
            var sender = OrderedSender.Image(channel: .background)
            var receiver = OrderedReceiver.Image(channel: .background)
            for entry in world.senderJournal.durable { sender.apply(entry) }
            for entry in world.receiverJournal.durable { receiver.apply(entry) }
            #expect(sender == world.senderImage)
            #expect(sender.outcomes == world.sender.outcomes)
            #expect(sender.epochs.allSatisfy { $0.records.isEmpty })
            #expect(receiver == world.receiverImage)
            #expect(receiver.numbers.ids == world.receiver.durable.ids)
            #expect(receiver.numbers == world.receiver.durable)
            #expect(receiver.keys == world.receiver.keys)
            #expect(receiver.pending.isEmpty && world.receiver.pending.isEmpty)
        }
    }
}

import Testing

@testable import WatchProtoCore

/// A mistake of `Models/mutants.txt`, in the code, and a configuration that shows it.
struct PlantedTicketMistake: Sendable, CustomTestStringConvertible {
    var name: String
    var mutants: [IdentityMutant]
    var worldMutant: TicketRules.WorldMutant?
    var flags: String
    /// A history that shows it, where random walks hardly do: the shortest one of `Models/bfs.c`.
    var history: [Substring] = []
    /// Random walks within which each is caught.
    static let walks: UInt64 = 500

    init(_ flags: String, _ mutants: IdentityMutant..., along history: String = "") {
        self.mutants = mutants
        self.flags = flags
        self.history = history.split(separator: " ")
        name = mutants.map { "\($0)" }.joined(separator: ", ")
    }

    init(_ flags: String, _ mutant: TicketRules.WorldMutant) {
        mutants = []
        worldMutant = mutant
        self.flags = flags
        name = "\(mutant)"
    }

    var testDescription: String { name }

    /// The world with the mistake in it.
    var rules: TicketRules {
        var rules = TicketRules(flags)
        rules.mutants += mutants
        rules.worldMutant = worldMutant
        return rules
    }

    /// The violation in the world of `rules`: along the history, or in one of many random walks.
    func violation(_ rules: TicketRules, walks: UInt64 = Self.walks) -> String? {
        if !history.isEmpty { return violation(rules, along: history) }
        for seed in 1...walks {
            var walk = TicketWalk(rules, seed: seed)
            walk.run(atMost: 150)
            if let violation = walk.world.violation { return violation }
        }
        return nil
    }

    /// Takes the steps that are possible; at the end sessions must come about.
    private func violation(_ rules: TicketRules, along history: [Substring]) -> String? {
        var world = TicketWorld(rules)
        for word in history {
            let parts = word.split(separator: ".")
            guard let step = TicketStep(rawValue: String(parts[0])), let side = Int(parts[1]) else {
                preconditionFailure("no step of the world")
            }
            if world.can(step, side) { world.act(step, side) }
        }
        if world.violation == nil { world.checkThatSessionsComeAbout() }
        return world.violation
    }

    static let all = [
        PlantedTicketMistake("-DONE_INIT=1 -DMAXS=3 -DCRASHES=1", .noPendingRule),
        PlantedTicketMistake("-DONE_INIT=1 -DMAXS=3 -DCRASHES=1 -DKEEP=0", .noPromotion),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DCRASHES=2", .presentsVolatile,
            along: """
                INIT.0 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 CRASH.0 INIT.0 CONFIRM.1 ENTER.1 \
                ANSWER.1 FINISH.0 ENTER.0 INIT.0 CRASH.1 ANSWER.1 FINISH.0
                """),
        PlantedTicketMistake("-DONE_INIT=1 -DMAXS=3 -DCRASHES=1", .statesEarly),
        PlantedTicketMistake(
            "-DMAXS=2 -DMAXF=1 -DCRASHES=1 -DCROSSED=1", .statesWithoutTicket),
        PlantedTicketMistake(
            "-DMAXS=3 -DCRASHES=1 -DKEEP=0", .keepsOwnHandshake, .actsUnconfirmed),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DMAXF=1 -DCRASHES=0 -DRESTORES=1", .noPositions),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DMAXF=1 -DCRASHES=0 -DRESTORES=1", .presentsStaleConclusion,
            along: """
                INIT.0 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 WORK.0 TELL.0 SNAP.0 PERSIST.0 \
                CONFIRM.1 HEAR.1 TELL.0 SWAP.0 INIT.0 PERSIST.1 HEAR.1 ANSWER.1 FINISH.0 \
                PERSIST.1 CONFIRM.1
                """),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=4 -DCRASHES=0 -DRESTORES=1 -DSWAPS=3", .noAbandonedMarks),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=4 -DCRASHES=0 -DRESTORES=1 -DSWAPS=3", .ignoresAbandonedMarks),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=4 -DCRASHES=0 -DRESTORES=3 -DBACKS=2", .loserMarks,
            along: """
                INIT.0 INIT.0 ANSWER.1 FINISH.0 CONFIRM.1 ENTER.1 SNAP.1 PERSIST.1 TELL.1 \
                HEAR.0 PERSIST.0 INIT.0 SNAP.0 SWAP.1 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 \
                TELL.0 SWAP.0 INIT.0 CONFIRM.1 HEAR.1 PERSIST.1 ANSWER.1 FINISH.0 ENTER.0 \
                PERSIST.0 TELL.0 SWAP.1
                """),
        PlantedTicketMistake("-DONE_INIT=1 -DMAXS=3 -DCRASHES=0 -DRESTORES=1", .noRefusal),
        PlantedTicketMistake("-DMAXS=2 -DMAXI=3 -DCRASHES=0", .staleOpens),
        PlantedTicketMistake("-DMAXS=2 -DCRASHES=0 -DREPLAYS=1", .noMemoryCounter),
        PlantedTicketMistake("-DMAXS=2 -DCRASHES=0 -DREPLAYS=1", .noCounter),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=4 -DCRASHES=0 -DRESTORES=1 -DREPLAYS=1 -DREPLAYERS=1",
            .actsUnconfirmed,
            along: """
                INIT.0 SNAP.0 INIT.0 INIT.0 SAVE.0 SWAP.0 INIT.0 ANSWER.1 FINISH.0 ENTER.0 \
                PERSIST.0 TELL.0 REPLAY.0 ENTER.1 PERSIST.1 ANSWER.1 ENTER.1 PERSIST.1 TELL.1
                """),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DMAXF=1 -DCRASHES=1 -DREPLAYS=1", .counterOnlyOnEntry,
            .actsUnconfirmed,
            along: """
                INIT.0 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 INIT.0 WORK.0 PERSIST.0 SAVE.0 \
                ENTER.1 PERSIST.1 ANSWER.1 FINISH.0 TELL.0 REPLAY.0 CONFIRM.1 HEAR.1 PERSIST.1 \
                CRASH.1 ANSWER.1
                """),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DMAXF=1 -DCRASHES=0 -DRESTORES=1", .keepsAcrossOpenings),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DMAXF=2 -DCRASHES=0 -DRESTORES=1", .offlineBatchesUncounted),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=3 -DMAXF=2 -DCRASHES=0 -DRESTORES=1", .laterOpeningCounts),
        PlantedTicketMistake(
            "-DMAXS=4 -DMAXF=1 -DCRASHES=0 -DRESTORES=3", .noLastPositions,
            along: """
                INIT.0 ANSWER.1 FINISH.0 CONFIRM.1 ENTER.1 PERSIST.1 SNAP.1 WORK.1 PERSIST.1 \
                TELL.1 HEAR.0 PERSIST.0 SWAP.1 INIT.0 ANSWER.1 FINISH.0 CONFIRM.1 ENTER.0 \
                SNAP.0 PERSIST.0 TELL.0 HEAR.1 PERSIST.1 SWAP.0 INIT.1 ANSWER.0 FINISH.1 \
                ENTER.1 PERSIST.1 TELL.1 CONFIRM.0 HEAR.0 PERSIST.0 TELL.0 HEAR.1 INIT.0 \
                PERSIST.1 ANSWER.1 FINISH.0
                """),
        PlantedTicketMistake(
            "-DONE_INIT=1 -DMAXS=5 -DCRASHES=0 -DRESTORES=1 -DBACKS=3", .pendingNotCommon,
            along: """
                INIT.0 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 SNAP.0 SWAP.0 INIT.0 CONFIRM.1 \
                ENTER.1 PERSIST.1 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 TELL.0 SWAP.0 INIT.0 \
                INIT.0 CONFIRM.1 HEAR.1 PERSIST.1 ANSWER.1 FINISH.0 ENTER.0 PERSIST.0 INIT.0 \
                ANSWER.1 FINISH.0 SWAP.0 CONFIRM.1 ENTER.1 PERSIST.1 TELL.1
                """),
    ]
}

@Suite("Mistakes planted in the ticket layer")
struct TicketMutantTests {
    /// Shows I-1, I-23, I-25, I-26, I-27, I-29, I-41, I-44, I-47, I-48, I-49, I-61,
    /// I-63.
    @Test("Each planted mistake breaks an invariant", arguments: PlantedTicketMistake.all)
    func isCaught(_ mistake: PlantedTicketMistake) {
        #expect(mistake.violation(mistake.rules) != nil)
    }

    @Test(
        "Without the mistake the same histories keep every invariant",
        arguments: PlantedTicketMistake.all)
    func isTheMistakeThatIsCaught(_ mistake: PlantedTicketMistake) {
        #expect(mistake.violation(TicketRules(mistake.flags), walks: 60) == nil)
    }

    @Test("Every mutant of the ticket layer is planted, but the one that is only caution")
    func isComplete() {
        let planted = PlantedTicketMistake.all.flatMap { $0.mutants }
        #expect(IdentityMutant.allCases.filter { !planted.contains($0) } == [.keepsBesidePending])
    }
}

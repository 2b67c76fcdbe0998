import Testing

@testable import WatchProtoCore

/// A replay of the walker's lines on two ``TicketState``s.
struct TicketReplay {
    /// A point at which model and code differ.
    struct Difference: CustomStringConvertible {
        var place: String
        var history: [String]
        var missing: [String]

        var description: String {
            "\(place): the model does not say \(missing.joined(separator: " ")) after "
                + history.joined(separator: " ")
        }
    }

    let rules: TicketRules
    var world: TicketWorld
    var history: [String] = []
    /// Steps replayed so far.
    var steps = 0
    /// Verdicts on which a side acted.
    var verdicts: Set<UInt8> = []
    var keptTickets = 0
    var crossings = 0

    init(_ flags: String, mutants: [IdentityMutant] = []) {
        var rules = TicketRules(flags)
        rules.mutants += mutants
        self.rules = rules
        world = TicketWorld(rules)
    }

    /// Takes the step of a line; says where the state then differs from the model's.
    mutating func take(_ line: Substring) -> Difference? {
        let words = line.split(separator: " ")
        let expected = Set(words.map(String.init))
        guard let action = words.first(where: { $0.hasPrefix("action=") })?.dropFirst(7),
            let side = words.first(where: { $0.hasPrefix("side=") })?.dropFirst(5)
        else { return Difference(place: "no line of a walk", history: [], missing: []) }
        if action == "BEGIN" {
            world = TicketWorld(rules)
            history = []
        } else if let step = TicketStep(rawValue: String(action)), let side = Int(side) {
            history.append("\(action).\(side)")
            world.act(step, side)
            steps += 1
            note(step, side)
        }
        let own = world.words(besideVerdict: world.sidesThatCannotEvaluate)
        let missing = own.filter { !expected.contains($0) }
        guard !missing.isEmpty else { return nil }
        let place = words.prefix(2).joined(separator: " ")
        return Difference(place: place, history: history, missing: missing)
    }

    private mutating func note(_ step: TicketStep, _ side: Int) {
        if let verdict = world.sides[side].state.session?.verdict {
            verdicts.insert(verdict.rawValue)
        }
        if step == .finish, world.sides[side].state.session?.isKept == true { keptTickets += 1 }
        if step == .cross { crossings += 1 }
    }

    /// Replays the walks of a model; says where the first one parts from it.
    mutating func run(_ lines: [Substring]) -> Difference? {
        for line in lines {
            if let difference = take(line) { return difference }
        }
        return nil
    }
}

@Suite(
    "Walks of the ticket model, replayed on the code",
    .enabled(if: ModelWalker.isAvailable, Comment(rawValue: ModelWalker.comment)))
struct TicketReplayTests {
    static let many = "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1"

    /// Shows I-21, I-22, I-30, I-46, I-50, I-60, I-62.
    @Test(
        "After every step both sides of the code are in the state of the model",
        arguments: [
            "\(many) -DRESTORES=1 -DWIPES=2 -DLAST_POSITIONS=1",
            "\(many) -DRESTORES=2 -DWIPES=1 -DLAST_POSITIONS=0",
            "\(many) -DRESTORES=3 -DLAST_POSITIONS=1",
            "\(many) -DRESTORES=3 -DBACKS=3 -DLAST_POSITIONS=1",
            "\(many) -DWIPES=3 -DKEEP=0 -DLAST_POSITIONS=1",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DRESTORES=1 -DSWAPS=3 -DLAST_POSITIONS=1",
        ])
    func agrees(_ flags: String) throws {
        let walker = try ModelWalker("tickets", flags)
        defer { walker.remove() }
        var replay = TicketReplay(flags)
        let difference = replay.run(try walker.lines(seeds: 1...10, steps: 120))
        #expect(difference == nil)
        #expect(replay.steps > 500)
        #expect(replay.verdicts.count > 2)
    }

    /// Shows I-21, I-46.
    @Test(
        "Along the paths of the exhaustive search the code is in the states of the model",
        arguments: [
            ("-DONE_INIT=1 -DMAXS=3 -DCRASHES=1", 400),
            ("-DONE_INIT=1 -DMAXS=2 -DMAXF=1 -DCRASHES=0 -DRESTORES=1", 4_000),
            ("-DMAXS=2 -DMAXF=1 -DCRASHES=1 -DCROSSED=1", 4_000),
            ("-DMAXS=2 -DCRASHES=0 -DRESTORES=1 -DREPLAYS=1", 2_000),
        ])
    func agreesWithTheSearch(_ row: (flags: String, every: Int)) throws {
        let flags = row.flags + " -DLAST_POSITIONS=1"
        let paths = try ModelWalker.paths("tickets", flags, every: row.every)
        #expect(paths.count > 20)
        let walker = try ModelWalker("tickets", flags)
        defer { walker.remove() }
        for path in paths {
            var replay = TicketReplay(flags)
            let difference = replay.run(try walker.lines(along: path))
            #expect(difference == nil)
            #expect(replay.steps == path.count)
        }
    }

    /// Mistakes that other tests than this one catch: one is caution, two need a rare history.
    static let unseen: [IdentityMutant] = [
        .keepsBesidePending, .noLastPositions, .pendingNotCommon,
    ]

    @Test(
        "Each mistake planted in the code makes it part from the model",
        arguments: ["-DRESTORES=3", "-DRESTORES=1 -DSWAPS=3"])
    func parts(_ faults: String) throws {
        let flags = "\(Self.many) \(faults) -DLAST_POSITIONS=1"
        let walker = try ModelWalker("tickets", flags)
        defer { walker.remove() }
        let lines = try walker.lines(seeds: 1...20, steps: 120)
        // Only a clone shows that marks are ignored.
        let needClones: Set<IdentityMutant> = [.ignoresAbandonedMarks]
        for mutant in IdentityMutant.allCases
        where needClones.contains(mutant) == faults.contains("SWAPS")
            && !Self.unseen.contains(mutant)
        {
            var replay = TicketReplay(flags, mutants: [mutant])
            #expect(replay.run(lines) != nil, "\(mutant)")
        }
    }

    @Test(
        "A mistake that only a rare history shows makes the code part from the model",
        arguments: [IdentityMutant.noLastPositions, .pendingNotCommon])
    func rare(_ mutant: IdentityMutant) throws {
        let mistake = try #require(PlantedTicketMistake.all.first { $0.mutants == [mutant] })
        let flags = mistake.flags + " -DLAST_POSITIONS=1"
        let walker = try ModelWalker("tickets", flags)
        defer { walker.remove() }
        let lines = try walker.lines(along: mistake.history)
        var replay = TicketReplay(flags, mutants: mistake.mutants)
        #expect(replay.run(lines) != nil)
        var sound = TicketReplay(flags)
        let difference = sound.run(lines)
        #expect(difference == nil)
    }
}

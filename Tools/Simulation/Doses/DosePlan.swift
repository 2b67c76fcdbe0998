import WatchProtoCore

/// The steps of the simulation of doses.
enum DoseStep: String, CaseIterable {
    case piece = "performs a piece of work"
    case commit = "commits"
    case record = "receives a record"
    case settlement = "learns an outcome"
    case question = "receives a question"
    case reply = "receives an answer"
    case act = "records"
    case connect = "connects"
    case reachable = "becomes reachable"
    case pause = "ends its pauses"
    case reopen = "opens its journal again"
    case rest = "comes to rest with the others"
    case join = "begins a session that it lacks"
    case ask = "is asked for its last check"
    case leave = "ends a session"
    case disconnect = "disconnects"
    case loseQuestion = "gets no answer"
    case failCommit = "will fail to commit"
    case failReads = "fails to read, or no longer"
    case refuse = "has a session that takes no answer"
    case renew = "begins a new session"
    case crash = "crashes"
    case backUp = "is copied"
    case restore = "is restored from a copy"
    case wipe = "is wiped and paired again"
    case room = "has another room in its queue"
    case clock = "has another clock"
    case forge = "gets other bytes of an event"

    var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// How often the step is tried beside the others, in a run that has it at all.
    fileprivate var weight: Int {
        switch self {
        case .piece: 300
        case .commit, .record: 120
        case .settlement, .question, .reply, .act: 90
        case .ask: 60
        case .connect, .reachable, .reopen, .join: 60
        case .pause, .leave, .disconnect, .loseQuestion, .clock, .rest: 15
        case .renew, .crash, .failCommit, .failReads, .refuse, .room, .backUp: 8
        case .forge: 0
        case .restore, .wipe: 5
        }
    }

    /// Whether a run may do without the step.
    fileprivate var isFault: Bool {
        switch self {
        case .piece, .commit, .record, .settlement, .question, .reply, .act, .connect,
            .reachable, .pause, .reopen, .rest, .join, .ask:
            false
        default: true
        }
    }
}

/// The choices for a whole run: its length, and which faults it has and how often.
struct DosePlan {
    let steps: Int
    /// Whether an application runs: it taps on slots that it shows open, and asks for the last
    /// check. The clock may be set back to before it, and the phone may be wiped. An application
    /// that asks for comparisons heals faults before the checker sees them, so most runs have none.
    let hasApplication: Bool
    private let cumulated: [(step: DoseStep, end: Int)]
    private let total: Int

    init(_ random: inout SeededGenerator, hasApplication: Bool) {
        self.hasApplication = hasApplication
        steps = Int.random(in: 100...500, using: &random)
        var cumulated: [(step: DoseStep, end: Int)] = []
        var total = 0
        // A forgery changes nothing: it comes beside the other steps.
        for step in DoseStep.allCases where step != .forge {
            let isAbsent = step.isFault && random.chance(0.35)
            let factor = step.isFault ? Int.random(in: 1...4, using: &random) : 2
            let isOff = isAbsent || step == .ask && !hasApplication
            if !isOff { total += step.weight * factor }
            cumulated.append((step, total))
        }
        self.cumulated = cumulated
        self.total = total
    }

    func next(_ random: inout SeededGenerator) -> DoseStep {
        let place = Int.random(in: 0..<total, using: &random)
        return cumulated.first { place < $0.end }?.step ?? .piece
    }
}

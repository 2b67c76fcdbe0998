@testable import WatchProtoCore

/// Two sides with a ``TicketState`` each, a link that loses packets, and faults: a port of
/// `Models/tickets.h`, whose steps, guards and checks it has. A copy of the value is a copy of the
/// world.
struct TicketWorld {
    /// The batches that a journal holds; known to the world alone.
    struct Facts: Hashable {
        /// The own batches that it holds.
        var held: UInt64 = 0
        /// Batches of the counterpart that it relies on.
        var relied: UInt64 = 0
    }

    /// A message 1 or 2 on its way.
    struct Message: Hashable {
        var id: Int
        var claim: HandshakeClaim
        var facts: Facts
        // Of message 2:
        var session = 0
        var ticket = Ticket(rawValue: 0)
        var keeps = false
        var answer = TicketAnswer.notHeld
    }

    /// A journal and what it does not hold itself.
    struct Backup: Hashable {
        var journal: TicketState.Image
        var facts: Facts
        var counter: UInt64
    }

    struct Side {
        var state: TicketState
        var facts = Facts()
        var journal: TicketState.Image
        var journalFacts = Facts()
        /// Batches that are not durable.
        var volatile: [[JournalEntry]] = []
        var batch: UInt64 = 0
        /// The number of the newest message 1. As in the models, it is durable at once.
        var counter: UInt64 = 0
        var opening = 1
        var backup: Backup?
        var hadBackup = false

        var message1: Message?
        var pending: Message?
        var message2: Message?
        var kept: Message?
        /// A refusal on its way: of which message 1, and the counter it names.
        var refusal: (id: Int, counter: UInt64)?

        var session = 0
        /// The message 1 that this side answered.
        var answered = 0
        /// The facts that this side presented in the session, and those of the counterpart.
        var presentedFacts = Facts()
        var counterpartFacts = Facts()
        var crossed = 0
        var openings = 0
        var batches = 0
        var swaps = 0
        var hasLost = false
        var told: (session: Int, position: UInt64, facts: UInt64) = (0, 0, 0)

        var epoch: EpochID { EpochID(rawValue: UInt64(opening)) }
        var isDurable: Bool { volatile.isEmpty && facts == journalFacts }
        var enters: Bool { state.entered != nil }
    }

    var rules: TicketRules
    var mutants: IdentityMutants
    var sides: [Side]
    var sessions = 1
    var crashes = 0
    var replays = 0
    var wipes = 0
    /// Which of two clones side 0 is.
    var device = 0
    /// The device that made a session, plus 1; 0 before there is a copy.
    var makers: [Int: Int] = [:]
    /// Devices that side 1 durably heard of, and the newest of them.
    var heardDevices: Set<Int> = []
    var lastDevice = 0
    /// Sessions whose initiator has message 2, with what its first packet answers.
    var finished: [Int: TicketAnswer?] = [:]
    /// The invariant that is broken.
    var violation: String?
    /// While the bound on messages 1 does not hold.
    var isMeeting = false

    init(_ rules: TicketRules) {
        self.rules = rules
        mutants = IdentityMutants(rules.mutants)
        var image = TicketState.Image()
        for entry in TicketState.Image.paired(Ticket(rawValue: 1)) { image.apply(entry) }
        let state = TicketState(restoring: image, mutants: mutants)
        var side = Side(state: state, journal: image)
        side.facts.held = 1 << 1
        side.journalFacts = side.facts
        // The pairing is no entry of the present process.
        side.state.entered = nil
        sides = [side, side]
    }

    mutating func fail(_ what: String) {
        if violation == nil { violation = what }
    }

    func isStale(_ i: Int, _ message: Message) -> Bool { sides[i].state.isStale(message.claim) }

    /// Whether a step is possible.
    func can(_ step: TicketStep, _ i: Int) -> Bool {
        guard violation == nil else { return false }
        let side = sides[i]
        let other = sides[1 - i]
        let more = sessions < 1 + rules.sessions
        let isStable = side.state.isStable || mutants.contains(.presentsVolatile)
        switch step {
        case .open:
            return more && isStable && side.openings < rules.openingLimit
                && (i == 0 || !rules.oneOpens)
        case .answer:
            return other.message1.map { isStale(i, $0) || more && isStable } ?? false
        case .finish:
            return side.pending != nil && side.pending?.id == other.message2?.id && isStable
        case .refused: return side.pending != nil && other.refusal?.id == side.pending?.id
        case .confirm:
            return side.session > 0 && side.answered > 0 && !isConfirmed(i)
                && finished[side.session] != nil
        case .enter: return side.session > 0 && side.state.mayAct && !side.state.hasEntered
        case .work: return side.batches < rules.batches
        case .persist: return !side.isDurable
        case .tell:
            guard side.session > 0, let position = side.state.positionToState else {
                return false
            }
            return side.told.session != side.session || position > side.told.position
                || side.told.facts != statedFacts(i)
        case .hear:
            guard side.session > 0, side.session == other.told.session,
                side.answered == 0 || isConfirmed(i)
            else { return false }
            return side.state.image.common != side.state.session?.ticket
                || other.told.position > side.state.image.counterpartPosition
                || other.told.facts & ~side.facts.relied != 0
        case .crash, .snapshot, .swap, .wipe, .save, .replay: return canFail(step, i, more)
        case .cross:
            guard rules.crosses, side.pending != nil, let message = other.message1 else {
                return false
            }
            return !isStale(i, message) && side.crossed != message.id
                && side.batches < rules.batches
        }
    }

    private func canFail(_ step: TicketStep, _ i: Int, _ more: Bool) -> Bool {
        let side = sides[i]
        switch step {
        case .crash:
            return crashes < rules.crashes
                && (side.session > 0 || side.pending != nil || side.enters || !side.isDurable)
        case .snapshot: return rules.restores >> i & 1 == 1 && !side.hadBackup
        case .swap: return more && side.hadBackup && side.swaps < rules.swapLimit(i)
        case .wipe: return more && rules.wipes >> i & 1 == 1 && wipes >> i & 1 == 0
        case .save:
            return rules.replays > 0 && rules.replayers >> i & 1 == 1 && side.message1 != nil
                && side.kept == nil
        case .replay:
            return side.kept != nil && replays < rules.replays && side.message1 == nil
        default: return false
        }
    }

    func statedFacts(_ i: Int) -> UInt64 {
        mutants.contains(.statesEarly) ? sides[i].facts.held : sides[i].journalFacts.held
    }

    func isConfirmed(_ i: Int) -> Bool {
        sides[i].answered > 0 && sides[i].state.session?.isConfirmed == true
    }

    /// Every step that is possible.
    var possible: [(step: TicketStep, side: Int)] {
        TicketStep.allCases.flatMap { step in
            (0..<2).filter { can(step, $0) }.map { (step, $0) }
        }
    }
}

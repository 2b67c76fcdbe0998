/// The conclusions that a side draws about both journals from a handshake. The empty set is
/// *in step* (Models/IDENTITY.md, section 5).
package struct Verdict: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The counterpart's journal lost something that it had stated.
    package static let counterpartWentBack = Verdict(rawValue: 1)
    /// The own journal lost something that it had stated.
    package static let selfWentBack = Verdict(rawValue: 2)
    /// The counterpart's journal is empty.
    package static let counterpartWiped = Verdict(rawValue: 4)
    /// The own journal was empty.
    package static let selfWiped = Verdict(rawValue: 8)
    /// The counterpart goes on from a copy of a journal that another device went on from.
    package static let counterpartIsClone = Verdict(rawValue: 16)
    /// The counterpart says so of this side.
    package static let selfIsClone = Verdict(rawValue: 32)

    /// Nobody lost state.
    package var isInStep: Bool { isEmpty }
    /// The session is refused; the user pairs anew.
    package var isClone: Bool { !isDisjoint(with: [.counterpartIsClone, .selfIsClone]) }
    /// Records that this side holds as applied may be lost since.
    package var counterpartLostState: Bool {
        !isDisjoint(with: [.counterpartWentBack, .counterpartWiped])
    }
    /// This side may have forgotten what it stated.
    package var selfLostState: Bool { !isDisjoint(with: [.selfWentBack, .selfWiped]) }
}

/// The judgment of a side about the tickets that both presented.
package struct TicketJudgment: Hashable, Sendable {
    /// The verdict on which side lost state.
    package var verdict: Verdict
    /// The newest ticket that both journals hold, where one is known.
    package var common: Ticket?
    /// The common ticket was found among the presented ones (cases 2 to 5).
    package var isMatched: Bool
    /// Nothing that the counterpart still has to say changes the verdict but that it refuses.
    package var isComplete: Bool

    /// Early data is taken, from a message 1 that is not stale: in step, cases 2 to 5.
    package var takesEarlyData: Bool { isMatched && verdict.isInStep }

    /// Evaluates `own`, the tickets that this side presented, beside those of the counterpart.
    /// `answer` is what the counterpart says of `own`; nil before it has said so.
    package init(
        own: TicketPresentation, history: TicketHistory, counterpart: TicketPresentation,
        answer: TicketAnswer?, mutants: IdentityMutants = IdentityMutants()
    ) {
        verdict = []
        common = nil
        isMatched = false
        isComplete = true
        if !mutants.contains(.ignoresAbandonedMarks) {
            if history.answer(to: counterpart) == .abandoned {
                verdict = .counterpartIsClone
                return
            }
            if answer == .abandoned {
                verdict = .selfIsClone
                return
            }
        }
        match(own, counterpart, mutants)
        if isMatched {
            if mutants.contains(.noPositions) { verdict = [] }
        } else {
            compare(own, history, counterpart, answer, mutants)
        }
    }

    /// Cases 2 to 5: the newest common ticket, and whether something stated in it is missing.
    private mutating func match(
        _ own: TicketPresentation, _ counterpart: TicketPresentation, _ mutants: IdentityMutants
    ) {
        let usesPending = !mutants.contains(.noPendingRule)
        if let pending = own.pending, pending == counterpart.pending {
            common = pending
        } else if usesPending, let pending = own.pending, pending == counterpart.common {
            common = pending
            if own.pendingPosition < counterpart.counterpartPosition {
                verdict.insert(.selfWentBack)
            }
        } else if usesPending, let pending = counterpart.pending, pending == own.common {
            common = pending
            if counterpart.pendingPosition < own.counterpartPosition {
                verdict.insert(.counterpartWentBack)
            }
        } else if let shared = own.common, shared == counterpart.common {
            common = shared
            if own.position < counterpart.counterpartPosition { verdict.insert(.selfWentBack) }
            if counterpart.position < own.counterpartPosition {
                verdict.insert(.counterpartWentBack)
            }
        }
        isMatched = common != nil
    }

    /// Case 6: each side says which of the other's tickets it holds, and whether it holds all that
    /// it stated in the common one.
    private mutating func compare(
        _ own: TicketPresentation, _ history: TicketHistory, _ counterpart: TicketPresentation,
        _ answer: TicketAnswer?, _ mutants: IdentityMutants
    ) {
        isComplete = answer != nil
        let comparesPositions = !mutants.contains(.noLastPositions)
        let sharesPending = !mutants.contains(.pendingNotCommon)
        common = history.newest(of: [
            counterpart.common, sharesPending ? counterpart.pending : nil,
            answer?.holdsCommon == true ? own.common : nil,
            sharesPending && answer?.holdsPending == true ? own.pending : nil,
        ])
        if let theirs = counterpart.common {
            if !history.contains(theirs) {
                verdict.insert(history.isEmpty ? .selfWiped : .selfWentBack)
            } else if comparesPositions,
                history.isBehind(counterpart.counterpartPosition, in: theirs)
            {
                verdict.insert(.selfWentBack)
            }
        }
        guard let answer else { return }
        if own.common != nil {
            if !answer.holdsCommon {
                verdict.insert(
                    answer == .emptyHistory ? .counterpartWiped : .counterpartWentBack)
            } else if comparesPositions, answer.isBehind {
                verdict.insert(.counterpartWentBack)
            }
        }
        // Each holds the other's, yet they do not match. Crashes alone never lead here.
        if verdict.isEmpty, own.common != nil || counterpart.common != nil {
            verdict = [.counterpartWentBack, .selfWentBack]
        }
    }
}

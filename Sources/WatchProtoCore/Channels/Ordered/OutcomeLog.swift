/// How recently settled records of a channel ended, so that a caller can ask after a restart.
/// Forgotten outcomes are unknown, never guessed.
struct OutcomeLog: Sendable {
    /// How a record ended, and whether the counterpart has lost state since it applied it.
    private struct Ending: Hashable, Sendable {
        var outcome: Outcome
        var isLostSince = false
    }

    private var endings = RecordRuns<Ending>()

    /// How many outcomes a channel remembers.
    static let capacity = 4096

    /// What is remembered of a record.
    subscript(id: RecordID) -> RecordStatus? {
        endings[id].map { $0.isLostSince ? .lostSince : .settled($0.outcome) }
    }

    /// Remembers how a record ended; the first outcome stands.
    mutating func note(_ id: RecordID, _ outcome: Outcome) {
        guard endings[id] == nil else { return }
        endings.set(id, Ending(outcome: outcome))
        if endings.count > Self.capacity { endings.removeOldest() }
    }

    /// The counterpart went back or was wiped: what it had applied may be lost. Says whether
    /// anything was.
    @discardableResult
    mutating func counterpartLostState() -> Bool {
        var isAny = false
        var marked = RecordRuns<Ending>()
        for (id, value) in endings.entries {
            var ending = value
            if ending.outcome == .applied {
                ending.isLostSince = true
                isAny = true
            }
            marked.set(id, ending)
        }
        endings = marked
        return isAny
    }
}

extension OutcomeLog: Equatable {
    /// Whether both remember the same.
    static func == (left: OutcomeLog, right: OutcomeLog) -> Bool {
        left.endings.entries.elementsEqual(right.endings.entries) {
            $0.id == $1.id && $0.value == $1.value
        }
    }
}

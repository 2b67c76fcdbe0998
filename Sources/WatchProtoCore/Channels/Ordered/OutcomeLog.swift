/// The outcomes of recently settled records of a channel, so that a caller can ask after a restart.
/// Beyond the capacity the outcomes that were noted first are forgotten: unknown, never guessed.
struct OutcomeLog: Sendable {
    /// The outcome of a record, and whether the counterpart has lost state since it applied it.
    private struct Ending: Hashable, Sendable {
        var outcome: Outcome
        var isLostSince = false
    }

    /// Records that were noted one after the other, and have consecutive numbers.
    private struct Run: Hashable, Sendable {
        var first: RecordID
        var count: UInt64
    }

    private var endings = RecordRuns<Ending>()
    /// In the order in which they were noted; those before `head` are forgotten.
    private var order: [Run] = []
    private var head = 0

    /// The number of outcomes that a channel remembers.
    static let capacity = JournalCoding.endedLimit

    /// The remembered status of a record.
    subscript(id: RecordID) -> RecordStatus? {
        endings[id].map { $0.isLostSince ? .lostSince : .settled($0.outcome) }
    }

    /// Remembers how a record ended; the first outcome stands.
    mutating func note(_ id: RecordID, _ outcome: Outcome) {
        guard endings[id] == nil else { return }
        if endings.count >= Self.capacity { forgetOldest() }
        endings.set(id, Ending(outcome: outcome))
        if let last = order.last, last.first.epoch == id.epoch,
            last.first.number.rawValue + last.count == id.number.rawValue
        {
            order[order.count - 1].count += 1
        } else {
            order.append(Run(first: id, count: 1))
        }
    }

    /// Remembers how records from `first` on ended.
    mutating func note(_ first: RecordID, count: UInt64, _ outcome: Outcome, isLostSince: Bool) {
        var id = first
        for _ in 0..<count {
            note(id, outcome)
            if isLostSince { endings.set(id, Ending(outcome: outcome, isLostSince: true)) }
            id.number.rawValue += 1
        }
    }

    /// The entries that make this log.
    var entries: [JournalEntry] {
        var entries: [JournalEntry] = []
        for run in order[head...] {
            var (start, id, count) = (run.first, run.first, UInt64(0))
            for place in 1...run.count {
                count += 1
                let ending = endings[id]
                id.number.rawValue += 1
                guard place == run.count || endings[id] != ending else { continue }
                if let ending {
                    entries.append(
                        .ended(
                            start, count: count, ending.outcome, isLostSince: ending.isLostSince))
                }
                (start, count) = (id, 0)
            }
        }
        return entries
    }

    private mutating func forgetOldest() {
        endings.remove(order[head].first)
        order[head].first.number.rawValue += 1
        order[head].count -= 1
        guard order[head].count == 0 else { return }
        head += 1
        if head > 64, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
    }

    /// The counterpart went back or was wiped: records that it had applied may be lost.
    mutating func counterpartLostState() {
        var marked = RecordRuns<Ending>()
        for (id, value) in endings.entries {
            var ending = value
            ending.isLostSince = ending.isLostSince || ending.outcome == .applied
            marked.set(id, ending)
        }
        endings = marked
    }
}

extension OutcomeLog: Equatable {
    /// Whether both remember the same.
    static func == (left: OutcomeLog, right: OutcomeLog) -> Bool {
        left.order[left.head...] == right.order[right.head...]
            && left.endings.entries.elementsEqual(right.endings.entries) {
                $0.id == $1.id && $0.value == $1.value
            }
    }
}

/// The counterpart's values as the journal holds them. They are the values of this process, but for
/// those whose entries are under way: of these the former ones are kept.
struct DurableValues: Sendable {
    /// The version up to which removals are forgotten, and the highest version ever taken.
    typealias Marks = (watermark: UInt64, top: VersionMark?)

    private(set) var marks: Marks
    /// The values before each entry under way, the one before the oldest entry first.
    private var formers = OrderedTable<ValueName, [ReceivedValue?]>()
    private var commits = CommitQueue<Change>()

    /// An entry under way: the keys that it changes, and the marks after it.
    private struct Change: Sendable {
        var entry: JournalEntry
        var names: [ValueName]
        var marks: Marks
    }

    /// The journal holds all values of this process.
    init(marks: Marks) { self.marks = marks }

    /// The number of entries under way.
    var entryCount: Int { commits.count }

    /// An entry changed these keys; afterwards the marks are these.
    mutating func append(
        _ entry: JournalEntry, changing changed: [ReceivedValues.Former], marks: Marks
    ) {
        for former in changed {
            formers.update(former.name, default: []) { $0.append(former.value) }
        }
        commits.append(
            Change(
                entry: entry, names: changed.map { $0.name }, marks: marks))
    }

    /// The entries so far belong to batch `batch`.
    mutating func batchFormed(_ batch: UInt64) { commits.batchFormed(batch) }

    /// The journal holds the batches up to `batch`; gives their entries.
    mutating func takeCommitted(through batch: UInt64) -> [JournalEntry] {
        commits.takeCommitted(through: batch).map { change in
            for name in change.names {
                let left = formers.modify(name) { former in
                    former.removeFirst()
                    return former.count
                }
                if left == 0 { formers.remove(name) }
            }
            marks = change.marks
            return change.entry
        }
    }

    /// The value that the journal holds of a key, where this process has `value`.
    func value(of name: ValueName, now value: ReceivedValue?) -> ReceivedValue? {
        if let former = formers[name]?.first { former } else { value }
    }

    /// The keys of the journal's values, and perhaps some that have none, where this process has
    /// `values`.
    func names(_ values: ReceivedValues) -> [ValueName] {
        values.table.keys + formers.keys.filter { values[$0] == nil }
    }
}

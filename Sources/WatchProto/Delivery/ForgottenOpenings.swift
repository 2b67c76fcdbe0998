/// Which openings have left a lineage: of each journal the highest count. Those below it have left
/// it, too, as it is the oldest that leave.
struct ForgottenOpenings: Equatable, Sendable {
    /// The openings of one journal.
    struct Entry: Equatable, Sendable {
        var journal: UInt64
        var through: UInt64
    }

    /// How many journals are told apart: a device has a new one when it was wiped.
    static let journalLimit = 64

    /// The journal that was heard of last comes last.
    private(set) var entries: [Entry] = []

    init() {}

    /// What was written down.
    init(_ entries: [Entry]) { self.entries = entries }

    /// The highest count of a journal's openings that have left; nil before any has.
    func through(_ journal: UInt64) -> UInt64? {
        entries.first { $0.journal == journal }?.through
    }

    /// Whether an epoch, unless the lineage still has it, has left it.
    func contains(_ id: EpochID) -> Bool {
        through(id.journal).map { id.openingCount <= $0 } ?? false
    }

    /// An epoch leaves a lineage, and these stay. Where it shares its count with the newest one that
    /// stays, nothing is noted: its journal counts from there again each time it is opened, since
    /// what it writes is lost, and the next opening is not an old one.
    mutating func note<Epochs: Sequence>(
        _ id: EpochID, staying: Epochs
    ) where Epochs.Element == EpochID {
        let newest = staying.lazy.filter { $0.journal == id.journal }.map(\.openingCount).max()
        if let newest, newest <= id.openingCount { return }
        let through = max(through(id.journal) ?? 0, id.openingCount)
        entries.removeAll { $0.journal == id.journal }
        if entries.count >= Self.journalLimit { entries.removeFirst() }
        entries.append(Entry(journal: id.journal, through: through))
    }
}

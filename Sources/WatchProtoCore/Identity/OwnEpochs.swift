/// The own openings of a journal: which of them the counterpart has written down, which are closed
/// on both sides, and which are listed in a hello (Models/IDENTITY.md, sections 2, 6 and 7).
///
/// The sender of latest-value channels gives out versions and reserves more of them; its entries
/// are folded when a batch is formed.
package struct OwnEpochs: Hashable, Sendable {
    /// The content of the journal, entries that are not durable yet included.
    private var image: Image
    /// Entries for the next batch.
    private var entries: [JournalEntry] = []
    /// Own epochs that are over and settled, to be stated as such in this session.
    package var over = EpochStatements()
    /// The end of the reservation before this opening; versions go on above it.
    package let versionsAbove: UInt64
    /// The batch that holds the opening.
    private var openingBatch: UInt64?
    /// Whether the opening is durable. Nothing leaves before.
    package private(set) var isOpened = false

    /// Opens a journal that holds `image` under the name `epoch`, which the environment drew. The
    /// first batch holds the opening and its reservation; nothing leaves before it is durable.
    package init(opening epoch: EpochID, restoring image: Image, versionBlock: UInt64 = 1024) {
        self.image = image
        versionsAbove = min(image.reservationEnd, RecordNumber.largest)
        let block = min(versionBlock, RecordNumber.largest - versionsAbove)
        add(.opened(epoch, reservationEnd: versionsAbove + block))
    }

    /// The present opening, which is also the epoch of the records that are accepted now.
    package var present: OwnEpoch { image.epochs[image.epochs.count - 1] }
    /// The name of the present opening.
    package var presentEpoch: EpochID { present.id }
    /// Every opening that is remembered, oldest first; the last one is the present one.
    package var all: [OwnEpoch] { image.epochs }

    /// The opening of this name; nil where it is none of this journal.
    package subscript(id: EpochID) -> OwnEpoch? { image.place(of: id).map { image.epochs[$0] } }
    /// The highest version that the opening may have given out: of an earlier one the last that
    /// this journal holds, so that a higher one is lost; nil where it is none of this journal.
    package func versionEnd(of id: EpochID) -> UInt64? {
        self[id].map { id == presentEpoch ? $0.reservationEnd : $0.lastVersion }
    }
    /// Whether the counterpart is known to have written the epoch down.
    package func confirmed(_ id: EpochID) -> Bool { self[id]?.isConfirmed ?? false }
    /// Whether the epoch is closed on both sides.
    package func isGone(_ id: EpochID) -> Bool { self[id]?.isGone ?? false }

    /// The epochs that are closed on both sides.
    package var gone: [EpochID] { image.epochs.filter { $0.isGone }.map { $0.id } }

    /// The earlier epochs that a hello lists, oldest first: those that are not gone, those that the
    /// counterpart has not written down, and those `offered` values are named by.
    package func listed(offered: [EpochID] = []) -> [OwnEpoch] {
        image.epochs.dropLast().filter {
            !$0.isGone || !$0.isConfirmed || offered.contains($0.id)
        }
    }

    /// The number of earlier epochs that may hold unsettled records of ordered channels. At
    /// ``Limits/listedEpochs`` the senders of durable ordered channels wait.
    package var unsettledCount: Int {
        image.epochs.dropLast().count { $0.isUsed && !$0.isGone }
    }

    /// The newest confirmed opening that gave out a version; a hello names it where it announces
    /// epochs.
    package var newestConfirmedWithVersions: OwnEpoch? {
        image.epochs.last { $0.isConfirmed && $0.gaveOutVersion }
    }

    // MARK: Statements of the counterpart

    /// The counterpart stated that it has written these epochs down.
    package mutating func receiveKnown(_ ids: [EpochID]) {
        for id in ids where self[id]?.isConfirmed == false { add(.epoch(id, .confirmed)) }
    }

    /// The counterpart stated that it has closed these epochs. The present one is never gone.
    package mutating func receiveClosed(_ ids: [EpochID]) {
        for id in ids where id != presentEpoch && self[id]?.isGone == false {
            add(.epoch(id, .gone))
            over.remove(id)
        }
    }

    // MARK: Batches

    /// Whether entries wait for a batch.
    package var hasEntries: Bool { !entries.isEmpty }

    /// The entries for the batch that is formed now.
    package mutating func takeEntries() -> [JournalEntry] {
        let taken = entries
        entries.removeAll()
        return taken
    }

    /// The batch was formed with all `entries`, those of other rooms included. They say which epoch
    /// holds records or gave out a version, how far versions are reserved, and whether the
    /// counterpart lost state, so that every epoch is announced anew.
    package mutating func batchFormed(_ batch: UInt64, _ entries: [JournalEntry]) {
        if openingBatch == nil { openingBatch = batch }
        for entry in entries {
            switch entry {
            case .queued, .value, .opened, .ticketEntered, .numbered:
                image.apply(entry)
            default: break
            }
        }
    }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        if let openingBatch, openingBatch <= batch { isOpened = true }
    }

    private mutating func add(_ entry: JournalEntry) {
        image.apply(entry)
        entries.append(entry)
    }
}

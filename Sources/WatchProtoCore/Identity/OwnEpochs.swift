/// The own openings of a journal: which of them the counterpart has written down, which are listed
/// in a hello, and which versions the present one may give out (Models/IDENTITY.md, sections 2
/// and 6).
package struct OwnEpochs: Hashable, Sendable {
    /// What the journal holds, entries that are not durable yet included.
    private var image: Image
    /// The versions of the present opening.
    private var reservation: VersionReservation
    /// Entries for the next batch.
    private var entries: [JournalEntry] = []
    /// Own epochs that are over and settled, to be stated as such in this session.
    package var over = EpochStatements()

    /// Opens a journal that holds `image` under the name `epoch`, which the environment drew. The
    /// first batch holds the opening and its reservation; nothing leaves before it is durable.
    package init(
        opening epoch: EpochID, restoring image: Image,
        versionBlock: UInt64 = VersionReservation.block
    ) {
        self.image = image
        reservation = VersionReservation(above: image.reservationEnd, block: versionBlock)
        add(.opened(epoch, reservationEnd: reservation.end))
    }

    /// The present opening, which is also the epoch of the records that are accepted now.
    package var present: OwnEpoch { image.epochs[image.epochs.count - 1] }
    /// The name of the present opening.
    package var presentEpoch: EpochID { present.id }
    /// Every opening that is remembered, oldest first; the last one is the present one.
    package var all: [OwnEpoch] { image.epochs }

    /// The opening of this name; nil where it is none of this journal.
    package subscript(id: EpochID) -> OwnEpoch? { image.place(of: id).map { image.epochs[$0] } }
    /// The highest version that the opening may have given out; nil where it is none of this
    /// journal.
    package func reservationEnd(of id: EpochID) -> UInt64? { self[id]?.reservationEnd }
    /// Whether the counterpart is known to have written the epoch down.
    package func confirmed(_ id: EpochID) -> Bool { self[id]?.isConfirmed ?? false }
    /// Whether the epoch is closed on both sides.
    package func isGone(_ id: EpochID) -> Bool { self[id]?.isGone ?? false }

    /// The earlier epochs that a hello lists, oldest first: those that are not gone, those that the
    /// counterpart has not written down, and those in `also` (epochs of values that are not known
    /// to be committed there).
    package func listed(also: [EpochID] = []) -> [OwnEpoch] {
        image.epochs.dropLast().filter {
            !$0.isGone || !$0.isConfirmed || also.contains($0.id)
        }
    }

    /// How many earlier epochs may hold unsettled records. At ``Limits/listedEpochs`` the senders
    /// of durable ordered channels wait.
    package var unsettledCount: Int {
        image.epochs.dropLast().count { $0.isUsed && !$0.isGone }
    }

    /// The newest confirmed opening that gave out a version; a hello names it where it announces
    /// epochs.
    package var newestConfirmedWithVersions: OwnEpoch? {
        image.epochs.last { $0.isConfirmed && $0.gaveOutVersion }
    }

    // MARK: Versions

    /// The highest version given out so far.
    package var lastVersion: UInt64 { reservation.last }

    /// The next version, with the entry that reserves it; nil where all 2^62 − 1 are used up.
    package mutating func takeVersion() -> UInt64? {
        guard let version = reservation.take() else { return nil }
        extendReservation()
        return version
    }

    /// Goes on above `version`, which was adopted, or is the counterpart's top before mending.
    package mutating func raiseVersions(to version: UInt64) {
        reservation.raise(to: version)
        extendReservation()
    }

    /// Whether a value of the present opening may leave: the opening and a reservation that covers
    /// the version are durable.
    package func mayLeave(version: UInt64) -> Bool { version <= reservation.durableEnd }

    /// Whether the present opening is durable. Nothing leaves before.
    package var isOpened: Bool { reservation.durableEnd > 0 }

    private mutating func extendReservation() {
        guard reservation.end > present.reservationEnd else { return }
        add(.opened(presentEpoch, reservationEnd: reservation.end))
    }

    // MARK: What the counterpart states

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

    /// This side entered a ticket: where the counterpart lost state, every epoch is announced anew.
    package mutating func entered(_ entry: TicketEntry) { image.apply(entry) }

    // MARK: Batches

    /// Whether entries wait for a batch.
    package var hasEntries: Bool { !entries.isEmpty }

    /// The entries for the batch that is formed now.
    package mutating func takeEntries() -> [JournalEntry] {
        let taken = entries
        entries.removeAll()
        return taken
    }

    /// The batch was formed with all `entries`, those of other rooms included: an epoch that holds
    /// records, or that gave out a version, is remembered as such.
    package mutating func batchFormed(_ batch: UInt64, _ entries: [JournalEntry]) {
        for entry in entries {
            switch entry {
            case .queued, .mended, .adopted: image.apply(entry)
            default: break
            }
        }
        reservation.batchFormed(batch)
    }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        reservation.committed(through: batch)
    }

    private mutating func add(_ entry: JournalEntry) {
        image.apply(entry)
        entries.append(entry)
    }
}

internal import Locks
package import WatchProtoCore
package import WatchProtoTransport

/// A durable journal in one SQLite file, for all the pairings of a device, with the application's
/// own tables beside it.
///
/// One connection and one thread write it. Batches become durable in the order given, in groups.
/// All batches that arrive during one commit go into the next. After a failed commit every batch
/// fails until a driver restores its journal, which opens the file again; see ``failure``.
package final class JournalFile: Sendable {
    let writer: JournalWriter

    /// Opens the journal at `path`, or makes it.
    ///
    /// All its contents are read and checked first. A refused journal stays byte for byte as it
    /// was. With `checksLater` most of that is left to ``check()``.
    ///
    /// - Parameters:
    ///   - path: the file. `…-wal` and `…-lock` are beside it while it is open. `…-lock` stays when
    ///     it is closed, because another program may have claimed it already. It also marks how
    ///     much was durable, so that a lost log is detected.
    ///   - options: key, stores, limits.
    /// - Throws: ``JournalError``, with the finding and the remedy.
    package init(path: String, options: JournalOptions = JournalOptions()) throws(JournalError) {
        writer = try JournalWriter(path: path, options: options)
        try writer.start()
    }

    deinit { writer.stop(abandoning: false, waiting: false) }

    /// The path of the file.
    package var path: String { writer.path }

    /// Counts the journal's work so far.
    package var counters: JournalCounters { writer.counters }

    /// The number of times that the file was opened again after a failure. The newest writes before
    /// that may be missing.
    package var reopenCount: Int { writer.reopenCount }

    /// Why it accepts nothing at present; nil if there is no failure.
    package var failure: JournalError? { writer.failure }

    /// Checks what the opening left for later; returns at once if that was nothing. Reads and
    /// writes of the store go on meanwhile. Everything but those calls it by itself.
    ///
    /// - Throws: ``JournalError``, the finding. The file itself is as it was. The journal accepts
    ///   nothing more.
    package func check() throws(JournalError) { try writer.check() }

    /// Lets entries that are read share payloads which the application has in memory, until this is
    /// called with nil. Does nothing while the journal has failed.
    ///
    /// - Parameter find: the application's copy of a payload of a key, equal to the one given; nil
    ///   for none. Called on any thread.
    package func share(_ find: (@Sendable (RecordKey, [UInt8]) -> [UInt8]?)?) {
        try? writer.look { $0.sharedPayload = find }
    }

    /// Whether all contents were checked. For tests.
    package var isChecked: Bool { writer.isChecked }

    /// Whether every batch is durable or has failed, and the file is tidied. For tests.
    package var isResting: Bool { writer.isResting }

    /// The journal of one pairing, to open a session on.
    ///
    /// - Parameters:
    ///   - pairing: the pairing.
    ///   - ticket: the common ticket with which the journal begins if the file has no entries of
    ///     the pairing; nil for none. If ``keep(_:erasing:writes:)`` kept the keys, the journal
    ///     began with their ticket, and a journal without rows was wiped.
    /// - Throws: ``JournalError`` if the file was closed; the caller is at fault.
    package func journal(
        for pairing: PairingID, pairedWith ticket: Ticket? = nil
    ) throws(JournalError) -> PairingJournal {
        try writer.checkOpen()
        return PairingJournal(file: self, writer: writer, pairing: pairing, ticket: ticket)
    }

    /// The pairings with entries in the file.
    package var pairings: [PairingID] {
        try? writer.check()
        return
            (try? writer.look { contents in
                contents.slots.filter(\.hasRows).map(\.pairing)
            }) ?? []
    }

    /// Reads the store between transactions. All data read is durable and of one moment.
    ///
    /// - Throws: ``StoreFailure``, the error of `body`, or ``JournalError`` if the journal is
    ///   closed or the disk is at fault.
    package func read<Value: Sendable>(
        _ body: (borrowing StoreReader) throws -> Value
    ) throws -> Value {
        do {
            return try writer.look { contents in
                try body(StoreReader(contents.database, sealing: contents.sealing))
            }
        } catch let failure as StoreFailure where !failure.isOfTheStatement {
            throw JournalError(failure.kind, path: path, failure.description)
        }
    }

    /// Makes writes durable, all of them or none, in order with those of the sessions.
    ///
    /// - Throws: ``JournalError`` if the disk failed; whether the writes are durable is unknown
    ///   then.
    package func write(_ writes: [any StoreWrite]) throws(JournalError) {
        guard !writes.isEmpty else { return }
        if let failure = writer.failure { throw failure }
        let isCommitted = Atomic(false)
        let notifier = CommitNotifier(wake: nil) { _, isDone in
            isCommitted.store(isDone, ordering: .releasing)
        }
        // The pairing has no entry, so nothing of it comes to stand in the file.
        writer.accept(Self.nobody)
        let journal = try journal(for: Self.nobody)
        _ = journal.persist(
            [], writes: writes, receipt: JournalReceipt(rawValue: 0), notifier: notifier)
        try writer.settle()
        guard isCommitted.load(ordering: .acquiring) else {
            throw writer.failure
                ?? JournalError(.system, path: path, "the writes could not be made durable")
        }
    }

    private static let nobody = PairingID(rawValue: 0)

    /// Opens the journal again if it failed. A session does so by itself.
    ///
    /// - Throws: ``JournalError`` if that failed too.
    package func reopen() throws(JournalError) {
        if writer.failure != nil { try writer.recover() }
    }

    /// Waits until all earlier batches are durable.
    ///
    /// - Throws: ``JournalError`` if they could not be made durable.
    package func flush() throws(JournalError) { try writer.flush() }

    /// Makes all earlier batches durable, tidies up and closes the file. Later batches fail.
    package func close() { writer.stop(abandoning: false, waiting: true) }

    /// Ends as a killed process does: batches that wait for the disk are lost, and the write-ahead
    /// log stays. For tests.
    package func abandon() { writer.stop(abandoning: true, waiting: true) }
}

/// The journal of one pairing in a ``JournalFile``, which it keeps open.
package final class PairingJournal: JournalBackend {
    private let file: JournalFile
    private let writer: JournalWriter
    private let pairing: PairingID
    private let beginning: [JournalEntry]

    init(file: JournalFile, writer: JournalWriter, pairing: PairingID, ticket: Ticket?) {
        self.file = file
        self.writer = writer
        self.pairing = pairing
        beginning = ticket.map { TicketState.Image.paired($0) } ?? []
    }

    /// True: its content survives the process and a power failure.
    package var isDurable: Bool { true }

    /// Whether the file has not failed.
    package var isOpen: Bool { writer.failure == nil }

    /// Folds the pairing's durable entries. If the journal has failed, the file is opened again
    /// first, for all pairings. Batches of this pairing are accepted again from then on.
    ///
    /// - Throws: ``JournalFailure`` if the file cannot be opened or written, or was closed.
    package func restore(
        _ configuration: PeerConfiguration
    ) throws(JournalFailure) -> JournalImage {
        do {
            return try writer.restore(pairing, beginning: beginning, configuration)
        } catch {
            throw JournalFailure("\(error)")
        }
    }

    /// Folds the pairing's durable entries for one look: nothing is opened again, and nothing kept.
    ///
    /// - Throws: the error of a read; the file is at fault, or was closed.
    package func look(_ configuration: PeerConfiguration) throws -> JournalImage {
        try writer.look { contents in try contents.image(of: pairing, configuration) }
    }

    /// Gives the batch to the writer's thread, and never waits. A store write must be an
    /// ``SQLWrite``.
    package func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer {
        defer { start() }
        return queue(entries, writes: writes, receipt: receipt, notifier: notifier)
    }

    /// Queues the batch for the writer's thread without waking it.
    package func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer {
        writer.add(
            JournalWriter.Batch(
                pairing: pairing, entries: entries, writes: writes, receipt: receipt,
                notifier: notifier))
    }

    /// Wakes the writer's thread if a batch was queued while it slept.
    package func start() { writer.wakeForWork() }
}

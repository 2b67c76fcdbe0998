package import WatchProtoCore
package import WatchProtoTransport

/// A durable journal in one SQLite file, for all the pairings of a device, with the application's
/// own tables beside it.
///
/// One connection and one thread write it. What a peer gives becomes durable in the order given, in
/// groups: whatever arrived during one commit goes into the next. After a failed commit every batch
/// fails, until a driver restores its journal, which opens the file again; see ``failure``.
package final class JournalFile: Sendable {
    let writer: JournalWriter

    /// Opens the journal at `path`, or makes it.
    ///
    /// Everything in it is read and checked first. What is refused is left byte for byte as it was.
    ///
    /// - Parameters:
    ///   - path: the file; `…-wal` and `…-lock` stand beside it while it is open. `…-lock` stays
    ///     when it is closed: removed, it could be another program's claim already. It also tells
    ///     how much was durable, so that a lost log is missed.
    ///   - options: key, stores, limits.
    /// - Throws: ``JournalError``, which says what was found and what to do.
    package init(path: String, options: JournalOptions = JournalOptions()) throws(JournalError) {
        writer = try JournalWriter(path: path, options: options)
        try writer.start()
    }

    deinit { writer.stop(abandoning: false, waiting: false) }

    /// The file.
    package var path: String { writer.path }

    /// Counts of the journal's work so far.
    package var counters: JournalCounters { writer.counters }

    /// The reason why it takes nothing at present; nil while all is well.
    package var failure: JournalError? { writer.failure }

    /// Whether everything given is durable or has failed, and the file is tidied. For tests.
    package var isResting: Bool { writer.isResting }

    /// The journal of one pairing, to open a session on.
    ///
    /// - Parameters:
    ///   - pairing: the pairing.
    ///   - ticket: the common ticket with which the journal begins where the file holds nothing of
    ///     the pairing; nil for none. Where ``keep(_:erasing:writes:)`` kept the keys, it began
    ///     with their ticket, and a journal without rows was wiped.
    /// - Throws: ``JournalError`` when the file was closed; the caller is at fault.
    package func journal(
        for pairing: PairingID, pairedWith ticket: Ticket? = nil
    ) throws(JournalError) -> PairingJournal {
        try writer.checkOpen()
        return PairingJournal(file: self, writer: writer, pairing: pairing, ticket: ticket)
    }

    /// The pairings that the file holds entries of.
    package var pairings: [PairingID] {
        (try? writer.look { contents in
            contents.slots.filter(\.hasRows).map(\.pairing)
        }) ?? []
    }

    /// Looks at the store between transactions: everything seen is durable, and of one moment.
    ///
    /// - Throws: ``StoreFailure``, what `body` throws, or ``JournalError`` when it is closed.
    package func read<Value: Sendable>(
        _ body: (borrowing StoreReader) throws -> Value
    ) throws -> Value {
        try writer.look { contents in
            try body(StoreReader(contents.database, sealing: contents.sealing))
        }
    }

    /// Waits until everything given so far is durable.
    ///
    /// - Throws: ``JournalError`` when it could not be made so.
    package func flush() throws(JournalError) { try writer.flush() }

    /// Makes everything given so far durable, tidies up and closes the file. Later batches fail.
    package func close() { writer.stop(abandoning: false, waiting: true) }

    /// Ends as a process that is killed does: batches that wait for the disk are lost, the
    /// write-ahead log stays. For tests.
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

    /// True: its content survives the process and the power.
    package var isDurable: Bool { true }

    /// Folds the pairing's durable entries. Where the journal has failed, the file is opened again
    /// first, for all pairings; batches of this one are taken again from here on.
    ///
    /// - Throws: ``JournalFailure`` where the file cannot be opened or written to, or was closed.
    package func restore(
        _ configuration: PeerConfiguration
    ) throws(JournalFailure) -> JournalImage {
        do {
            return try writer.restore(pairing, beginning: beginning, configuration)
        } catch {
            throw JournalFailure("\(error)")
        }
    }

    /// Gives the batch to the writer's thread; never waits. A store write must be an ``SQLWrite``.
    package func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        defer { start() }
        return queue(entries, writes: writes, receipt: receipt, mailbox: mailbox)
    }

    /// Leaves the batch for the writer's thread, which goes on asleep if it is.
    package func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        // Here, not on the writer's thread, which has to keep up with all drivers.
        var bytes: [UInt8] = []
        JournalCoding.append(entries, to: &bytes)
        return writer.add(
            JournalWriter.Batch(
                pairing: pairing, bytes: bytes, entries: entries, writes: writes, receipt: receipt,
                mailbox: mailbox))
    }

    /// Wakes the writer's thread, where something was left for it in its sleep.
    package func start() { writer.wakeForWork() }
}

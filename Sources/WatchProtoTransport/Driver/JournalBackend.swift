package import WatchProtoCore

/// Where a peer's journal entries become durable: one per pairing, called under the driver's lock.
///
/// Never blocks, but for ``restore(_:)``: a journal on a disk hands the entries to its own writer
/// (one thread for all the peers of the device, which groups batches that arrive during a commit),
/// answers ``JournalAnswer/later``, and posts to the mailbox once they are durable. Batches become
/// durable in the order given.
package protocol JournalBackend: AnyObject, Sendable {
    /// Whether its content survives the process. Reports say so plainly where it does not.
    var isDurable: Bool { get }

    /// Opens the journal and gives its durable content, to open a peer on. The driver calls it when
    /// it is made, and again on its own thread after a batch failed: the journal is then opened
    /// anew, and batches that were not durable are gone. Receipts of the new peer begin at 1 again,
    /// and go to a mailbox of their own.
    ///
    /// - Parameter configuration: the kinds of records and the limits of the peer.
    /// - Throws: ``JournalFailure`` where the journal cannot be read, or cannot be written to yet;
    ///   the system or whatever damaged it is at fault. The driver calls again later.
    func restore(_ configuration: PeerConfiguration) throws(JournalFailure) -> JournalImage

    /// Makes `entries` durable after all earlier ones, and `writes` in the same transaction.
    ///
    /// - Parameters:
    ///   - entries: one batch, in order; none when only the store changes.
    ///   - writes: changes to the application's store, in order. Of a type this journal takes.
    ///   - receipt: the name of the batch; 0 for a batch without entries.
    ///   - mailbox: where the outcome goes if the answer is ``JournalAnswer/later``.
    func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer

    /// As ``persist(_:writes:receipt:mailbox:)``, but a thread of the journal's own need not hear
    /// of it before ``start()``: woken on the caller's CPU, it would delay the packets that the
    /// caller is about to send.
    func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer

    /// Begins with what was queued. Follows every ``queue(_:writes:receipt:mailbox:)`` that was
    /// answered by ``JournalAnswer/later``, on the same thread and soon.
    func start()
}

/// The former name, until all targets say ``JournalBackend``.
package typealias JournalHost = JournalBackend

extension JournalBackend {
    /// Persists at once.
    package func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        persist(entries, writes: writes, receipt: receipt, mailbox: mailbox)
    }

    /// Nothing was queued.
    package func start() {}
}

/// When a batch becomes durable.
package enum JournalAnswer: Hashable, Sendable {
    /// It is, already.
    case committed
    /// The mailbox will tell.
    case later
    /// It cannot be made durable.
    case failed
}

/// Why a journal cannot be opened.
package struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, where, what was found and what to do.
    package var description: String

    /// Makes the failure; `description` says which call failed and how.
    package init(_ description: String) { self.description = description }
}

package import WatchProtoCore

/// Makes a peer's journal entries durable. There is one per pairing, called under the driver's
/// lock.
///
/// No call but ``restore(_:)`` blocks. A journal on a disk hands the entries to its own writer, one
/// thread for all peers of the device. The writer groups batches that arrive during a commit. The
/// journal answers ``JournalAnswer/later``, and posts to the notifier once they are durable.
/// Batches become durable in the order given.
package protocol JournalBackend: AnyObject, Sendable {
    /// Whether the content survives the process. If not, reports say so.
    var isDurable: Bool { get }

    /// Whether ``restore(_:)`` has nothing to open: a batch may have failed for itself alone.
    var isOpen: Bool { get }

    /// Opens the journal and returns its durable content, to open a peer on. The driver calls it
    /// when it is made, and again on its own thread after a batch failed. The journal is then
    /// opened anew, without the batches that were not durable. Receipts of the new peer begin at 1
    /// again and go to a new notifier.
    ///
    /// - Parameter configuration: the kinds of records and the limits of the peer.
    /// - Throws: ``JournalFailure`` if the journal cannot be read, or cannot be written yet. The
    ///   system is at fault, or the cause of the damage. The driver calls again later.
    func restore(_ configuration: PeerConfiguration) throws(JournalFailure) -> JournalImage

    /// Makes `entries` durable after all earlier ones, with `writes` in the same transaction.
    ///
    /// - Parameters:
    ///   - entries: one batch, in order; none if only the store changes.
    ///   - writes: changes to the application's store, in order, of a type that this journal takes.
    ///   - receipt: the name of the batch; 0 for a batch without entries.
    ///   - notifier: receives the outcome if the answer is ``JournalAnswer/later``.
    func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer

    /// Queues a batch, as ``persist(_:writes:receipt:notifier:)``, without waking a thread of the
    /// journal before ``start()``. A thread that wakes on the caller's CPU would delay the packets
    /// that the caller is about to send.
    func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer

    /// Starts work on the queued batches. It follows every ``queue(_:writes:receipt:notifier:)``
    /// that was answered by ``JournalAnswer/later``, on the same thread and soon.
    func start()
}

extension JournalBackend {
    /// False.
    package var isOpen: Bool { false }

    /// Persists at once.
    package func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer {
        persist(entries, writes: writes, receipt: receipt, notifier: notifier)
    }

    /// Nothing was queued.
    package func start() {}
}

/// When a batch becomes durable.
package enum JournalAnswer: Hashable, Sendable {
    /// The batch is durable already.
    case committed
    /// The notifier will receive the outcome.
    case later
    /// The batch cannot be made durable.
    case failed
}

/// Why a journal cannot be opened.
package struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed call, its place, the finding and the remedy.
    package var description: String

    /// Makes the failure; `description` states the failed call and its cause.
    package init(_ description: String) { self.description = description }
}

internal import Locks
package import WatchProtoCore

/// A journal in memory. It survives links and the drivers opened on it, but not the process, so
/// ``isDurable`` is false. Batches count as committed at once. There is no store beside it: it
/// carries out no ``StoreWrite``.
package final class MemoryJournal: JournalBackend {
    private let image: Mutex<JournalImage?>
    private let pairedWith: Ticket

    /// Makes the journal of a fresh pairing.
    ///
    /// - Parameter ticket: the common ticket of the pairing; the same on both sides.
    package init(pairedWith ticket: Ticket = Ticket(rawValue: 1)) {
        pairedWith = ticket
        image = Mutex(nil)
    }

    /// Copies the journal. Later changes of one do not reach the other.
    package func copy() -> MemoryJournal {
        let copy = MemoryJournal(pairedWith: pairedWith)
        let content = image.withLock { $0 }
        copy.image.withLock { $0 = content }
        return copy
    }

    /// False: nothing survives the process.
    package var isDurable: Bool { false }

    /// Returns all persisted entries; in a new journal the pairing alone.
    package func restore(_ configuration: PeerConfiguration) -> JournalImage {
        image.withLock { image in
            if let image { return image }
            var fresh = JournalImage(kinds: configuration.kinds, limits: configuration.limits)
            fresh.apply(TicketState.Image.paired(pairedWith))
            image = fresh
            return fresh
        }
    }

    /// Applies the entries and answers that they are committed. It never fails. The writes are
    /// dropped.
    package func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer {
        image.withLock { $0?.apply(entries) }
        return .committed
    }
}

internal import Synchronization
package import WatchProtoCore

/// A journal in memory: it survives links and the drivers opened on it, not the process. Batches
/// count as committed as soon as they are given, and ``isDurable`` says what that is worth. There
/// is no store beside it: it carries out no ``StoreWrite``.
package final class MemoryJournal: JournalBackend {
    private let image: Mutex<JournalImage?>
    private let pairedWith: Ticket

    /// Makes the journal of a fresh pairing.
    ///
    /// - Parameter ticket: the common ticket that the pairing yielded; the same on both sides.
    package init(pairedWith ticket: Ticket = Ticket(rawValue: 1)) {
        pairedWith = ticket
        image = Mutex(nil)
    }

    /// A journal with the same content, which goes its own way from now on.
    package func copy() -> MemoryJournal {
        let copy = MemoryJournal(pairedWith: pairedWith)
        let content = image.withLock { $0 }
        copy.image.withLock { $0 = content }
        return copy
    }

    /// False: nothing outlives the process.
    package var isDurable: Bool { false }

    /// Everything persisted so far; the pairing alone in a new journal.
    package func restore(_ configuration: PeerConfiguration) -> JournalImage {
        image.withLock { image in
            if let image { return image }
            var fresh = JournalImage(kinds: configuration.kinds, limits: configuration.limits)
            fresh.apply(TicketState.Image.paired(pairedWith))
            image = fresh
            return fresh
        }
    }

    /// Applies the entries at once and answers that they are committed; it never fails. The writes
    /// are dropped.
    package func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        image.withLock { $0?.apply(entries) }
        return .committed
    }
}

internal import Synchronization
public import WatchProto

/// A journal in memory: it survives links and the drivers opened on it, not the process. Batches
/// count as committed as soon as they are given, and ``isDurable`` says what that is worth. There
/// is no store beside it: it carries out no ``StoreWrite``.
public final class MemoryJournal: JournalHost {
    private let image = Mutex(JournalImage())

    /// Makes an empty journal.
    public init() {}

    /// False: nothing outlives the process.
    public var isDurable: Bool { false }

    /// Everything persisted so far; empty in a new journal.
    public func restore() -> JournalImage { image.withLock { $0 } }

    /// Applies the entries at once and answers that they are committed; it never fails. The writes
    /// are dropped.
    public func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        mailbox: JournalMailbox
    ) -> JournalAnswer {
        image.withLock { image in
            for entry in entries { image.apply(entry) }
        }
        return .committed
    }
}

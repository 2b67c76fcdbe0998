internal import Synchronization
public import WatchProto

/// A journal in memory: it survives links and the drivers opened on it, not the process. Batches
/// count as committed as soon as they are given, and ``isDurable`` says what that is worth.
public final class MemoryJournal: JournalHost {
    private let image = Mutex(JournalImage())

    /// Makes an empty journal.
    public init() {}

    public var isDurable: Bool { false }

    public func restore() -> JournalImage { image.withLock { $0 } }

    public func persist(
        _ entries: [JournalEntry], receipt: JournalReceipt, mailbox: JournalMailbox
    ) -> JournalAnswer {
        image.withLock { image in
            for entry in entries { image.apply(entry) }
        }
        return .committed
    }
}

internal import WatchProto
internal import WatchTransport

/// What waits for the writer's thread.
extension JournalWriter {
    /// One batch on its way to the disk.
    struct Batch: Sendable {
        var slot: Int
        /// The entries as the file holds them.
        var bytes: [UInt8]
        var entries: [JournalEntry]
        var writes: [any StoreWrite]
        var receipt: JournalReceipt
        var mailbox: JournalMailbox
    }

    enum Item: Sendable {
        case batch(Batch)
        /// Somebody waits until everything before this is done.
        case mark(WakeDescriptor)
    }

    enum Phase {
        case running
        /// The queue is worked off, then the file is closed.
        case closing
        /// The file is closed as it is.
        case abandoned
        case ended
    }

    struct Queue {
        var items: [Item] = []
        var phase = Phase.running
        var isAsleep = false
        /// A batch came while the thread slept, and nobody has woken it yet.
        var isWakeDue = false
        /// The thread waits for work, and has tidied.
        var isResting = false
        var failure: JournalError?
        var counters = JournalCounters()
    }
}

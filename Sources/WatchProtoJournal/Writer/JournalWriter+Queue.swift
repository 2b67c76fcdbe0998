internal import Locks
internal import WatchProtoCore
internal import WatchProtoTransport

/// The work that waits for the writer's thread.
extension JournalWriter {
    /// One batch on its way to the disk.
    struct Batch: Sendable {
        var pairing: PairingID
        var entries: [JournalEntry]
        var writes: [any StoreWrite]
        var receipt: JournalReceipt
        var notifier: CommitNotifier
    }

    enum Item: Sendable {
        case batch(Batch)
        /// A caller waits until all earlier work is done.
        case mark(WakeDescriptor)
    }

    enum Phase {
        case running
        /// The queue is finished, then the file is closed.
        case closing
        /// The file is closed as it is.
        case abandoned
        case ended
    }

    struct Queue {
        var items: [Item] = []
        var phase = Phase.running
        var isAsleep = false
        /// Whether a batch arrived while the thread slept and the thread was not woken yet.
        var isWakeDue = false
        /// Whether the thread waits for work and has tidied.
        var isResting = false
        var failure: JournalError?
        /// The times that the file was opened again.
        var reopenCount = 0
        /// Pairings with a failed batch. Their later batches are refused until they are restored;
        /// otherwise a later batch would be durable without the earlier one.
        var stopped: Set<PairingID> = []
        /// Pairings with a decision that counts for nothing. Until they are restored, their batches
        /// become durable and are reported as failed.
        var restarting: Set<PairingID> = []
        var counters = JournalCounters()
    }

    /// Counts a durable group.
    func note(_ group: JournalGroup, _ batches: Int, bytes: Int) {
        queue.withLock { queue in
            queue.counters.commits += 1
            queue.counters.batches += UInt64(batches)
            queue.counters.entries += UInt64(group.entryCount)
            queue.counters.storeWrites += UInt64(group.writeCount)
            queue.counters.logBytes += UInt64(bytes)
            queue.counters.largestGroup = max(queue.counters.largestGroup, UInt64(batches))
        }
    }
}

/// The batches of journal entries given to the environment, and the work that waits for them.
///
/// Batches are numbered from 1. The rooms are told the number of the batch that holds their
/// entries, and later the highest number that is durable.
struct JournalQueue: Sendable {
    /// The number of the batch that is formed last; 0 before the first.
    private(set) var formed: UInt64 = 0
    /// The number up to which every batch is durable.
    private(set) var committed: UInt64 = 0
    /// A batch failed: nothing is accepted any more.
    private(set) var hasFailed = false

    /// Whether a batch is not durable yet.
    var isBusy: Bool { committed < formed }

    /// The receipt of the next batch.
    mutating func form() -> JournalReceipt {
        formed += 1
        return JournalReceipt(rawValue: formed)
    }

    /// A batch, and every batch before it, is durable. Returns whether that is news. A receipt that
    /// was never given out is our environment's fault and is ignored.
    mutating func commit(_ receipt: JournalReceipt) -> Bool {
        guard !hasFailed, receipt.rawValue > committed, receipt.rawValue <= formed else {
            return false
        }
        committed = receipt.rawValue
        return true
    }

    /// A batch could not be made durable. Returns whether that is news.
    mutating func fail() -> Bool {
        defer { hasFailed = true }
        return !hasFailed
    }
}

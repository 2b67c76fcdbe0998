internal import Synchronization
package import WatchProtoCore

/// Where a journal says, from any thread, that a batch became durable, or could not. The driver's
/// thread is woken and tells the peer.
package final class JournalMailbox: Sendable {
    struct Answer: Sendable {
        var receipt: JournalReceipt
        var isCommitted: Bool
    }

    private let answers = Mutex<[Answer]>([])
    /// Nil where only the observer wants to know: then nothing is kept.
    private let wake: WakeDescriptor?
    /// For those who look at the very moment of an answer, on the journal's thread.
    private let observer: (@Sendable (JournalReceipt, _ isCommitted: Bool) -> Void)?

    package init(
        wake: WakeDescriptor?,
        observer: (@Sendable (JournalReceipt, _ isCommitted: Bool) -> Void)? = nil
    ) {
        self.wake = wake
        self.observer = observer
    }

    /// The batch is durable.
    package func committed(_ receipt: JournalReceipt) {
        post(Answer(receipt: receipt, isCommitted: true))
    }

    /// The batch could not be made durable.
    package func failed(_ receipt: JournalReceipt) {
        post(Answer(receipt: receipt, isCommitted: false))
    }

    /// What became of several batches at once, in the order they were given.
    package func post(_ receipts: [JournalReceipt], isCommitted: Bool) {
        for receipt in receipts { observer?(receipt, isCommitted) }
        guard let wake else { return }
        let isFirst = answers.withLock { answers in
            defer {
                for receipt in receipts {
                    answers.append(Answer(receipt: receipt, isCommitted: isCommitted))
                }
            }
            return answers.isEmpty && !receipts.isEmpty
        }
        if isFirst { wake.signal() }
    }

    private func post(_ answer: Answer) {
        post([answer.receipt], isCommitted: answer.isCommitted)
    }

    /// Everything posted since the last call, in order.
    func take() -> [Answer] {
        answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}

internal import Locks
package import WatchProtoCore

/// Receives from a journal, on any thread, that a batch became durable or could not. It wakes the
/// driver's thread, which reports the outcome to the peer.
package final class CommitNotifier: Sendable {
    struct Answer: Sendable {
        var receipt: JournalReceipt
        var isCommitted: Bool
    }

    private let answers = Mutex<[Answer]>([])
    /// Nil if only the observer receives outcomes; then nothing is kept.
    private let wake: WakeDescriptor?
    /// Called at once with each outcome, on the journal's thread.
    private let observer: (@Sendable (JournalReceipt, _ isCommitted: Bool) -> Void)?

    package init(
        wake: WakeDescriptor?,
        observer: (@Sendable (JournalReceipt, _ isCommitted: Bool) -> Void)? = nil
    ) {
        self.wake = wake
        self.observer = observer
    }

    /// Reports that the batch is durable.
    package func committed(_ receipt: JournalReceipt) {
        post(Answer(receipt: receipt, isCommitted: true))
    }

    /// Reports that the batch could not be made durable.
    package func failed(_ receipt: JournalReceipt) {
        post(Answer(receipt: receipt, isCommitted: false))
    }

    /// Reports the outcomes of several batches at once, in the order they were given.
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

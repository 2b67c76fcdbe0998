internal import Synchronization
public import WatchProto

/// Where a journal says, from any thread, that a batch became durable, or could not. The driver's
/// thread is woken and tells the peer.
public final class JournalMailbox: Sendable {
    struct Answer: Sendable {
        var receipt: JournalReceipt
        var isCommitted: Bool
    }

    private let answers = Mutex<[Answer]>([])
    private let wake: WakeDescriptor

    package init(wake: WakeDescriptor) { self.wake = wake }

    /// The batch is durable.
    public func committed(_ receipt: JournalReceipt) {
        post(Answer(receipt: receipt, isCommitted: true))
    }

    /// The batch could not be made durable.
    public func failed(_ receipt: JournalReceipt) {
        post(Answer(receipt: receipt, isCommitted: false))
    }

    private func post(_ answer: Answer) {
        let isFirst = answers.withLock { answers in
            answers.append(answer)
            return answers.count == 1
        }
        if isFirst { wake.signal() }
    }

    /// Everything posted since the last call, in order.
    func take() -> [Answer] {
        answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}

internal import Locks
package import WatchProtoCore

/// Wraps a journal and reports the outcome of each batch at once, mostly on the journal's own
/// thread. It serves one driver.
package final class ObservedJournal<Note: Sendable>: JournalBackend {
    private struct State {
        var notes: [JournalReceipt: Note] = [:]
        var answering: CommitNotifier?
    }

    private let inner: any JournalBackend
    private let began: @Sendable ([JournalEntry]) -> Note?
    private let ended: @Sendable (Note?, _ isCommitted: Bool) -> Void
    private let state = Mutex(State())

    /// Makes the wrapper.
    ///
    /// - Parameters:
    ///   - inner: the journal that keeps the batches.
    ///   - began: called with each batch before the journal has it; returns a note.
    ///   - ended: called with that note when the batch is durable, or cannot be made so.
    package init(
        _ inner: any JournalBackend, began: @escaping @Sendable ([JournalEntry]) -> Note?,
        ended: @escaping @Sendable (Note?, _ isCommitted: Bool) -> Void
    ) {
        self.inner = inner
        self.began = began
        self.ended = ended
    }

    package var isDurable: Bool { inner.isDurable }
    package var isOpen: Bool { inner.isOpen }

    package func restore(
        _ configuration: PeerConfiguration
    ) throws(JournalFailure) -> JournalImage {
        state.withLock { $0 = State() }
        return try inner.restore(configuration)
    }

    package func persist(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer {
        observe(entries, receipt, notifier) { observing in
            inner.persist(entries, writes: writes, receipt: receipt, notifier: observing)
        }
    }

    package func queue(
        _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
        notifier: CommitNotifier
    ) -> JournalAnswer {
        observe(entries, receipt, notifier) { observing in
            inner.queue(entries, writes: writes, receipt: receipt, notifier: observing)
        }
    }

    package func start() { inner.start() }

    private func observe(
        _ entries: [JournalEntry], _ receipt: JournalReceipt, _ notifier: CommitNotifier,
        _ give: (CommitNotifier) -> JournalAnswer
    ) -> JournalAnswer {
        let note = began(entries)
        let answering = state.withLock { state -> CommitNotifier in
            if let note { state.notes[receipt] = note }
            if let made = state.answering { return made }
            let made = CommitNotifier(wake: nil) { [weak self] receipt, isCommitted in
                self?.end(receipt, isCommitted)
                if isCommitted { notifier.committed(receipt) } else { notifier.failed(receipt) }
            }
            state.answering = made
            return made
        }
        let answer = give(answering)
        if answer != .later { end(receipt, answer == .committed) }
        return answer
    }

    private func end(_ receipt: JournalReceipt, _ isCommitted: Bool) {
        ended(state.withLock { $0.notes.removeValue(forKey: receipt) }, isCommitted)
    }
}

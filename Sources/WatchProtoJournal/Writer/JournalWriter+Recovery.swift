internal import Locks
internal import WatchProtoCore

/// Changes on the caller's thread, and the recovery after a failure.
extension JournalWriter {
    /// Changes the contents on the caller's thread, between two groups. They are checked before.
    ///
    /// - Parameters:
    ///   - checking: false for a body that changes nothing and reads what any opening reads.
    ///   - body: the change.
    /// - Throws: ``JournalError``. The failure counts like one of a commit.
    func change<Value: Sendable>(
        checking: Bool = true, _ body: (JournalContents) throws -> Value
    ) throws(JournalError) -> Value {
        if let failure { throw failure }
        if checking { try check() }
        do {
            return try look(body)
        } catch let error as JournalError {
            throw error
        } catch {
            throw stop(for: error)
        }
    }

    // MARK: After a failure

    /// The state of a pairing's durable entries. Its batches are accepted again from here on.
    func restore(
        _ pairing: PairingID, beginning: [JournalEntry], _ configuration: PeerConfiguration
    ) throws(JournalError) -> JournalImage {
        try recover()
        let image = try change { contents in
            try contents.restore(pairing, beginning: beginning, configuration)
        }
        accept(pairing)
        return image
    }

    /// Accepts batches of a pairing again after a failed one. Only for one without entries.
    func accept(_ pairing: PairingID) {
        queue.withLock { queue in
            queue.stopped.remove(pairing)
            queue.restarting.remove(pairing)
        }
    }

    /// Waits until all earlier work is durable or has failed. If it has failed, opens the file
    /// again.
    func recover() throws(JournalError) {
        try settle()
        try reopening.withLock { _ throws(JournalError) in
            // A check reads the file, which an opening copies the log into.
            try checking.withLock { _ throws(JournalError) in
                if failure != nil { try reopen() }
            }
        }
    }

    /// Opens the file again. No work waits for the thread, because the failure lets nothing into
    /// the queue.
    private func reopen() throws(JournalError) {
        try checkOpen()
        let stopped = queue.withLock { $0.stopped }
        let opening = try JournalOpening(path: path, options: options)
        let failure = contents.withLock { contents -> JournalError? in
            let slots = contents?.slots ?? []
            let pending = contents?.pending
            contents = nil
            pending?.removeEmptyLog()
            do throws(JournalError) {
                let opened = try opening.reopen()
                for slot in slots where !stopped.contains(slot.pairing) {
                    opened.keep(slot.image, of: slot.pairing)
                }
                contents = opened
                return nil
            } catch {
                return error
            }
        }
        queue.withLock { queue in
            queue.failure = failure
            if failure == nil { queue.reopenCount += 1 }
        }
        if let failure { throw failure }
    }

    /// Records the failure. Nothing later may become durable, because the file would have it
    /// without the earlier batches.
    func stop(for error: any Error) -> JournalError {
        let failure: JournalError =
            switch error {
            case let error as JournalError: error
            case let error as SQLiteFailure: error.error(at: path)
            case let error as StoreFailure:
                JournalError(error.kind, path: path, "a store write failed: \(error)")
            default: JournalError(.storeWrite, path: path, "a store write failed: \(error)")
            }
        queue.withLock { queue in
            if queue.failure == nil { queue.failure = failure }
        }
        return failure
    }
}

internal import Locks
internal import WatchProtoCore
internal import WatchProtoTransport

/// Commits, and the reports about them, on the writer's thread.
extension JournalWriter {
    /// Commits the batches of a group together, and reports the result to the callers that wait.
    func work(_ group: [Item]) {
        var batches: [Batch] = []
        batches.reserveCapacity(group.count)
        for case .batch(let batch) in group { batches.append(batch) }
        let tellsEarly = options.mutants.contains(.acknowledgesBeforeCommit)
        if tellsEarly, failure == nil { post(batches, isCommitted: true) }
        if failure == nil, !batches.isEmpty {
            commit(JournalGroup(batches), batches, tellsEarly)
        } else if !tellsEarly {
            refuse(batches)
        }
        for case .mark(let done) in group { done.signal() }
    }

    private func commit(_ group: JournalGroup, _ batches: [Batch], _ wereTold: Bool) {
        var group = group
        do {
            try look { contents in
                let (bytes, undecided) = try group.commit(to: contents, mutants: options.mutants)
                if options.fileSystem == nil { try contents.database.requireInPlace(path) }
                note(group, batches.count, bytes: bytes)
                if !wereTold { post(batches, undecided) }
                group.fold(into: contents)
            }
        } catch {
            _ = stop(for: error)
            if !wereTold { refuse(batches) }
        }
    }

    private func refuse(_ batches: [Batch]) {
        queue.withLock { queue in for batch in batches { queue.stopped.insert(batch.pairing) } }
        post(batches, isCommitted: false)
    }

    /// Reports durable batches. From the first one with a decision that counts for nothing on,
    /// those of its pairing are reported as failed.
    private func post(_ batches: [Batch], _ undecided: [Int]) {
        let restarting = queue.withLock { $0.restarting }
        guard !undecided.isEmpty || !restarting.isEmpty else {
            return post(batches, isCommitted: true)
        }
        for (place, batch) in batches.enumerated() {
            let isCommitted = queue.withLock { queue in
                if undecided.contains(place) { queue.restarting.insert(batch.pairing) }
                return !queue.restarting.contains(batch.pairing)
            }
            post([batch], isCommitted: isCommitted)
        }
    }

    private func post(_ batches: [Batch], isCommitted: Bool) {
        var place = 0
        while place < batches.count {
            let notifier = batches[place].notifier
            var receipts: [JournalReceipt] = []
            while place < batches.count, batches[place].notifier === notifier {
                receipts.append(batches[place].receipt)
                place += 1
            }
            notifier.post(receipts, isCommitted: isCommitted)
        }
    }
}

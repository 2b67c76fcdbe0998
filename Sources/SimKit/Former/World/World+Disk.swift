import WatchProto

/// The disks: commits that take time, and everything that goes wrong with them.
extension World {
    func persist(_ entries: [JournalEntry], _ receipt: JournalReceipt, of node: Node<Security>) {
        guard !node.isJournalClosed else { return }
        if isHit(node, .before) { return doom(node) }
        var writes = node.unwritten
        node.unwritten = []
        for case .queued(let record) in entries {
            writes.append(.queued(record.id))
            if record.id.lane == .complication, let key = record.key {
                writes.append(.own(.complication, key, value: ContentHash.of(record.payload)))
            } else if node.synchronizing.contains(record.id) {
                takeSynchronized(record, of: node)
                // A set's value counts again where what was said after the set was refused.
                if let key = record.key {
                    let value = Payloads.fingerprint(record.kind, record.payload)
                    writes.append(.own(record.id.lane, key, value: value))
                }
            } else if let own = node.ownValues[record.id] {
                node.ownValues[record.id] = nil
                writes.append(own)
            }
        }
        for case .settled(let id, _) in entries {
            let life = node.packetLife ?? node.sessionLife
            show(.heard(id, life: life), side: node.side)
            writes.append(.heard(id, life: life))
        }
        trace.record(
            .persist, at: now, side: node.side, receipt.rawValue, UInt64(entries.count),
            "batch \(receipt.rawValue): \(entries.count) entries, \(writes.count) writes")
        let batch = VirtualDisk.Batch(
            receipt: receipt, entries: reread(entries, of: node), writes: writes)
        let range = scenario.commitNanoseconds
        let latency = Duration.nanoseconds(Int64(node.commitRandom.uniform(in: range)))
        let due = node.disk.write(batch, taking: latency, at: now)
        events.add(.commit(side: node.side, disk: node.disk.generation), at: due)
        for entry in entries {
            if case .counterpartKeyForgotten = entry { coverage.meet(.keyForgotten) }
        }
        if canary == .ackBeforeCommit, !entries.isEmpty {
            events.add(.receipt(side: node.side, life: node.life, receipt), at: now)
        }
        if isHit(node, .inside) { doom(node) }
    }

    func commit(_ node: Node<Security>, _ generation: Int) {
        guard node.disk.generation == generation else { return }
        if lies(about: node.disk.pending.first, on: node) { return }
        if node.disk.nextCommitFails() { return fail(node) }
        guard let batch = makeDurable(node) else { return }
        if isHit(node, .after) { return crash(node, downFor: .milliseconds(20), losing: .memory) }
        guard node.side != 1 || batch.receipt != liedReceipt else { return }
        guard canary != .ackBeforeCommit, !batch.entries.isEmpty else { return }
        receive(batch.receipt, node)
    }

    private func makeDurable(_ node: Node<Security>) -> VirtualDisk.Batch? {
        guard let batch = node.disk.commitFirst() else { return nil }
        trace.record(
            .commit, at: now, side: node.side, batch.receipt.rawValue, 0,
            "batch \(batch.receipt.rawValue)")
        for write in batch.writes { show(.committed(write), side: node.side) }
        for case .handshakeTaken(let number) in batch.entries {
            show(.handshakeTaken(number), side: node.side)
        }
        return batch
    }

    /// The journal's writer says that a batch is durable; a process that stands still hears later.
    func receive(_ receipt: JournalReceipt, _ node: Node<Security>) {
        if node.pausedUntil != nil {
            node.lateReceipts.append(receipt)
        } else {
            handOver(receipt, to: node)
        }
    }

    func handOver(_ receipt: JournalReceipt, to node: Node<Security>) {
        guard let process = node.process, !node.isJournalClosed else { return }
        process.peer.committed(receipt, at: now)
        drain(node)
    }

    /// Batches may have become durable although their receipts never got out.
    func keepSomePending(_ node: Node<Security>, chance: Double) {
        while !node.disk.pending.isEmpty, node.commitRandom.chance(chance) {
            guard makeDurable(node) != nil else { break }
            coverage.meet(.unreceiptedCommit)
        }
    }

    // MARK: Crashes at storage calls

    private func isHit(_ node: Node<Security>, _ moment: StorageMoment) -> Bool {
        guard let planned = node.plannedCrash, planned.moment == moment else { return false }
        guard planned.callsLeft == 0 else {
            node.plannedCrash?.callsLeft -= 1
            return false
        }
        node.plannedCrash = nil
        switch moment {
        case .before: coverage.meet(.crashBeforeWrite)
        case .inside: coverage.meet(.crashInsideWrite)
        case .after: coverage.meet(.crashAfterCommit)
        }
        return true
    }

    /// The process dies in the middle of a drain: nothing of what the drain does after this counts.
    private func doom(_ node: Node<Security>) { node.isDoomed = true }

    /// Ends a process that died while it drained.
    func endIfDoomed(_ node: Node<Security>) {
        guard node.isDoomed else { return }
        node.isDoomed = false
        crash(node, downFor: .milliseconds(20), losing: .memory, pendingChance: 0.5)
    }

    // MARK: Errors

    /// A commit fails: it, and what was to follow it, is not done, or is and nobody knows. The host
    /// tells the peer, which stops; and opens the journal, and a peer on it, again, if it can.
    private func fail(_ node: Node<Security>) {
        coverage.meet(.commitFailed)
        guard let batch = node.disk.pending.first else { return }
        trace.record(
            .commit, at: now, side: node.side, batch.receipt.rawValue, 1,
            "batch \(batch.receipt.rawValue) fails")
        if node.commitRandom.chance(0.3) {
            coverage.meet(.failedCommitDurable)
            _ = makeDurable(node)
        }
        node.disk.crash()
        node.isJournalClosed = true
        let wait: Duration = node.disk.failures == nil ? .seconds(2) : .milliseconds(5)
        events.add(.reopen(side: node.side, life: node.life), at: now.advanced(by: wait))
        guard node.pausedUntil == nil else {
            node.failsLater = batch.receipt
            return
        }
        tellFailed(batch.receipt, node)
    }

    func tellFailed(_ receipt: JournalReceipt, _ node: Node<Security>) {
        node.process?.peer.failed(receipt, at: now)
        drain(node)
    }

    /// The host opens the journal again; what the application had only in memory went with the
    /// peer, so that to the checkers this is another life.
    func reopen(_ node: Node<Security>, _ life: Int) {
        guard node.life == life, node.process != nil else { return }
        if node.disk.failures == nil, !isHealed { coverage.meet(.journalStuck) }
        crash(node, downFor: .milliseconds(1), losing: .memory)
    }
}

/// When, at a storage call, a process dies.
public enum StorageMoment: String, Hashable, Sendable, CaseIterable {
    /// Before the journal has taken the batch.
    case before
    /// While the batch is being written: it may become durable or not.
    case inside
    /// After the batch is durable, before its receipt is handed out.
    case after
}

/// A crash that waits for a storage call.
struct PlannedCrash: Sendable {
    var moment: StorageMoment
    var callsLeft: Int
}

/// What a crash takes with it.
enum CrashLoss {
    /// What was not durable.
    case memory
    /// Everything.
    case disk
    /// What was written since the last backup.
    case recentDisk
}

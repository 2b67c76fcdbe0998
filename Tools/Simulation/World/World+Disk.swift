import WatchProtoCore

/// The disks: commits that take time, and all their failures.
extension World {
    func persist(_ entries: [JournalEntry], _ receipt: JournalReceipt, of node: Node) {
        guard !node.isJournalClosed else { return }
        if isHit(node, .before) { return doom(node) }
        meet(entries, node)
        var writes = node.unwritten
        node.unwritten = []
        for entry in entries {
            switch entry {
            case .queued(let record):
                writes.append(.queued(record.id))
                showRenewal(record, node)
            case .value(let record, _, _): showRenewal(record, node)
            case .settled(let id, let outcome): writes.append(.settled(id, outcome))
            default: break
            }
        }
        trace.record(
            .persist, at: now, side: node.side, receipt.rawValue, UInt64(entries.count),
            "batch \(receipt.rawValue): \(entries.map(\.summary).joined(separator: ", "))")
        let batch = VirtualDisk.Batch(
            receipt: receipt, entries: reread(entries, of: node), writes: writes)
        let range = scenario.commitNanoseconds
        let latency = Duration.nanoseconds(Int64(node.commitRandom.uniform(in: range)))
        let due = node.disk.write(batch, taking: latency, at: now)
        events.add(.commit(side: node.side, disk: node.disk.generation), at: due)
        if mutant == .ackBeforeCommit {
            events.add(.receipt(side: node.side, life: node.life, receipt), at: now)
        }
        if isHit(node, .inside) { doom(node) }
    }

    private func showRenewal(_ record: OutboundRecord, _ node: Node) {
        guard record.id.channel.traits.order == .latestValue, let key = record.key,
            panel.ledger[record.id] == nil
        else { return }
        let value = Payloads.fingerprint(record.kind, record.payload)
        show(.renewed(record.id, key, value: value), side: node.side)
    }

    func commit(_ node: Node, _ generation: Int) {
        guard node.disk.generation == generation else { return }
        if node.disk.nextCommitFails() { return fail(node) }
        guard let batch = makeDurable(node) else { return }
        if isHit(node, .after) { return crash(node, downFor: .milliseconds(20), losing: .memory) }
        if mutant != .ackBeforeCommit { receive(batch.receipt, node) }
    }

    private func makeDurable(_ node: Node) -> VirtualDisk.Batch? {
        let shared = node.disk.image.tickets.common
        guard let batch = node.disk.commitFirst() else { return nil }
        trace.record(
            .commit, at: now, side: node.side, batch.receipt.rawValue, 0,
            "batch \(batch.receipt.rawValue)")
        for write in batch.writes { show(.committed(write), side: node.side) }
        for entry in batch.entries {
            switch entry {
            case .counters(_, let counter): show(.counterHeld(counter), side: node.side)
            case .ticketEntered(let entry):
                show(.counterHeld(entry.counterpartCounter), side: node.side)
                show(.ticketWritten(entry.ticket), side: node.side)
            case .tailLost(let epoch, let channel, let last):
                show(.tailWritten(epoch, channel, last: last), side: node.side)
            case .watermark(let epoch, let channel, let last):
                show(.settledThere(epoch, channel, last: last), side: node.side)
            case .epoch(let epoch, .closed):
                show(.settledThere(epoch, nil, last: .max), side: node.side)
            default: break
            }
        }
        if let ticket = node.disk.image.tickets.common, ticket != shared {
            show(.ticketShared(ticket), side: node.side)
        }
        return batch
    }

    /// The journal's writer says that a batch is durable; a process that stands still hears later.
    func receive(_ receipt: JournalReceipt, _ node: Node) {
        if node.pausedUntil != nil {
            node.lateReceipts.append(receipt)
        } else {
            handOver(receipt, to: node)
        }
    }

    func handOver(_ receipt: JournalReceipt, to node: Node) {
        guard let process = node.process, !node.isJournalClosed else { return }
        process.peer.committed(receipt, at: now)
        drain(node)
    }

    /// Batches may have become durable although their receipts never got out.
    func keepSomePending(_ node: Node, chance: Double) {
        while !node.disk.pending.isEmpty, node.commitRandom.chance(chance) {
            guard makeDurable(node) != nil else { break }
            coverage.meet(.unreceiptedCommit)
        }
    }

    // MARK: Crashes at storage calls

    private func isHit(_ node: Node, _ moment: StorageMoment) -> Bool {
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

    /// The process dies in the middle of a drain: the rest of the drain changes nothing.
    private func doom(_ node: Node) { node.isDoomed = true }

    /// Ends a process that died while it drained.
    func endIfDoomed(_ node: Node) {
        guard node.isDoomed else { return }
        node.isDoomed = false
        crash(node, downFor: .milliseconds(20), losing: .memory, pendingChance: 0.5)
    }

    // MARK: Errors

    /// A commit fails: it and the batches behind it are not durable, or the first is and nobody
    /// knows. The environment tells the peer, which stops; then it opens the journal, and a peer on
    /// it, again, if it can.
    private func fail(_ node: Node) {
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

    func tellFailed(_ receipt: JournalReceipt, _ node: Node) {
        node.process?.peer.failed(receipt, at: now)
        drain(node)
    }

    /// The environment opens the journal again. The application's memory went with the peer: to the
    /// checkers this is another process.
    func reopen(_ node: Node, _ life: Int) {
        guard node.life == life, node.process != nil else { return }
        if node.disk.failures == nil, !isHealed { coverage.meet(.journalStuck) }
        crash(node, downFor: .milliseconds(1), losing: .memory)
    }
}

/// When, at a storage call, a process dies.
package enum StorageMoment: String, Hashable, Sendable, CaseIterable {
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

/// The state that a crash destroys.
enum CrashLoss {
    /// Memory alone.
    case memory
    /// The disk, too.
    case disk
    /// Everything since the last backup.
    case recentDisk
    /// Nothing, but another device with the last backup takes its place.
    case device
}

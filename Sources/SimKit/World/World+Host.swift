import WatchProto

/// The host of one side's peer, while it drains.
struct VirtualHost<Security: PeerSecurity>: PeerHost {
    let world: World<Security>
    let node: Node<Security>

    mutating func transmit(_ bytes: Span<UInt8>) -> Int {
        world.transmit([UInt8](copying: bytes), from: node)
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        world.persist(entries, receipt, of: node)
    }

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        world.deliver(record, to: node)
    }

    mutating func report(_ event: PeerEvent) {
        world.report(event, from: node)
    }
}

extension World {
    /// One input has been given: drains the peer once and plans its next wake.
    func drain(_ node: Node<Security>) {
        guard let process = node.process else { return }
        var host = VirtualHost(world: self, node: node)
        process.peer.drain(into: &host)
        planWake(node)
    }

    private func planWake(_ node: Node<Security>) {
        guard let process = node.process else { return }
        let isSpinning = sabotage.contains(.spin) && node.side == 0 && now >= sabotageAt
        let deadline = isSpinning ? now : process.peer.nextDeadline
        guard deadline != node.deadline || isSpinning else { return }
        node.deadline = deadline
        node.wakeToken += 1
        guard let deadline, deadline < .distantFuture else { return }
        var at = max(deadline, now)
        let lateness = isHealed ? 0 : scenario.timerLateness.nanosecondsClamped
        if lateness > 0, deadline > now {
            let late = node.timerRandom.uniform(in: 0...UInt64(lateness))
            at = at.advanced(by: .nanoseconds(Int64(late)))
            coverage.meet(.lateTimer)
        }
        events.add(.wake(side: node.side, life: node.life, token: node.wakeToken), at: at)
    }

    func wake(_ node: Node<Security>, _ life: Int, _ token: Int) {
        guard node.life == life, node.wakeToken == token, let process = node.process else { return }
        node.deadline = nil
        countWake(node)
        guard !isOver else { return }
        trace.record(.wake, at: now, side: node.side)
        process.peer.wake(at: now)
        drain(node)
    }

    private func countWake(_ node: Node<Security>) {
        node.wakesInOneMoment = node.lastWakeAt == now ? node.wakesInOneMoment + 1 : 1
        node.lastWakeAt = now
        node.mostWakesInOneMoment = max(node.mostWakesInOneMoment, node.wakesInOneMoment)
        node.wakes.append(now)
        // Time would never move again.
        guard node.wakesInOneMoment > 4 * SpinChecker.wakesInOneMoment else { return }
        isAborted = true
        isOver = true
    }

    // MARK: The disk

    func persist(_ entries: [JournalEntry], _ receipt: JournalReceipt, of node: Node<Security>) {
        var writes = node.unwritten
        node.unwritten = []
        for case .queued(let record) in entries {
            if record.id.lane == .complication, let key = record.key {
                writes.append(.own(.complication, key, value: ContentHash.of(record.payload)))
            } else if let own = node.ownValues[record.id] {
                node.ownValues[record.id] = nil
                writes.append(own)
            }
        }
        trace.record(
            .persist, at: now, side: node.side, receipt.rawValue, UInt64(entries.count),
            "batch \(receipt.rawValue): \(entries.count) entries, \(writes.count) writes")
        let batch = VirtualDisk.Batch(receipt: receipt, entries: entries, writes: writes)
        let range = scenario.commitNanoseconds
        let latency = Duration.nanoseconds(Int64(node.commitRandom.uniform(in: range)))
        let due = node.disk.write(batch, taking: latency, at: now)
        events.add(.commit(side: node.side, disk: node.disk.generation), at: due)
    }

    func commit(_ node: Node<Security>, _ generation: Int) {
        guard node.disk.generation == generation else { return }
        if lies(about: node.disk.pending.first, on: node) { return }
        guard let batch = node.disk.commitFirst() else { return }
        trace.record(
            .commit, at: now, side: node.side, batch.receipt.rawValue, 0,
            "batch \(batch.receipt.rawValue)")
        for write in batch.writes { show(.committed(write), side: node.side) }
        guard node.side != 1 || batch.receipt != liedReceipt else { return }
        if node.pausedUntil != nil {
            node.lateReceipts.append(batch.receipt)
        } else {
            handOver(batch.receipt, to: node)
        }
    }

    func handOver(_ receipt: JournalReceipt, to node: Node<Security>) {
        guard let process = node.process else { return }
        process.peer.committed(receipt, at: now)
        drain(node)
    }
}

import WatchProto
import WatchProtoRecords

/// The host of one side's peer, while it drains.
struct VirtualHost<Security: PeerSecurity>: PeerHost {
    let world: World<Security>
    let node: Node<Security>

    mutating func transmit(_ bytes: Span<UInt8>) -> Int {
        // A process that has died in this drain does nothing more, but the drain must end.
        node.isDoomed ? bytes.count : world.transmit([UInt8](copying: bytes), from: node)
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        if !node.isDoomed { world.persist(entries, receipt, of: node) }
    }

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        node.isDoomed ? .pending : world.deliver(record, to: node)
    }

    mutating func report(_ event: PeerEvent) {
        if !node.isDoomed { world.report(event, from: node) }
    }
}

extension World {
    /// What the peer of `node` is set up with.
    func configuration(of node: Node<Security>) -> PeerConfiguration {
        var configuration = PeerConfiguration(
            role: node.side == 0 ? .phone : .watch, pairing: Self.pairing, kinds: .product)
        configuration.complicationBudget = 10_000
        configuration.overdueAge = scenario.overdueAge
        guard !scenario.isWritten else { return configuration }
        // Gaps are few here; some runs see what happens when a receipt cannot name them all.
        if scenario.seed % 4 == 1 { configuration.limits.receiptRanges = 1 }
        // A side is away for a few openings, not for as many as a greeting has room for.
        if scenario.seed % 8 == 3 { configuration.limits.epochs = 2 }
        // Some sides are of a version before.
        if scenario.seed % 8 == UInt64(5 + node.side) {
            configuration.frameVersion = 1 + UInt8(scenario.seed / 8 % 2)
        }
        // Keys are few, too, and no removal would be forgotten. Only after a restore it is missed.
        let isRestoring = scenario.faults.contains {
            if case .restore = $0.what { true } else { false }
        }
        if scenario.seed.isMultiple(of: 2), !isRestoring { configuration.limits.removals = 1 }
        return configuration
    }

    /// One input has been given: drains the peer once and plans its next wake.
    func drain(_ node: Node<Security>) {
        guard let process = node.process else { return }
        var host = VirtualHost(world: self, node: node)
        noteEarly(node)
        // What was opened comes before what the journal hears of it.
        showSealing(of: node)
        process.peer.drain(into: &host)
        showSealing(of: node)
        giveUpQueue(of: node)
        if node.isDoomed { endIfDoomed(node) } else { planWake(node) }
    }

    private func showSealing(of node: Node<Security>) {
        coverage.meet(.keyAged, times: UInt64(node.sealing.takeAgedKeys()))
        for sight in node.sealing.take() {
            show(sight, side: node.side)
            sabotagedSealing(sight, on: node)
        }
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
        node.wire.wakes += 1
        // Time would never move again.
        guard node.wakesInOneMoment > 4 * SpinChecker.wakesInOneMoment else { return }
        isAborted = true
        isOver = true
    }
}

import WatchProtoCore
import WatchProtoRecords

/// The environment of one side's peer, while it drains.
struct VirtualEnvironment: PeerEnvironment {
    let world: World
    let node: Node

    mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
        // A process that has died in this drain does nothing more, but the drain must end.
        node.isDoomed
            ? bytes.count : world.transmit([UInt8](copying: bytes), to: address, from: node)
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
    /// The configuration of the peer of `node`.
    func configuration(of node: Node) -> PeerConfiguration {
        var configuration = PeerConfiguration(
            role: node.side == 0 ? .phone : .watch, pairing: Self.pairing, kinds: .product)
        configuration.overdueAge = scenario.overdueAge
        configuration.limits = scenario.limits(of: node.side)
        configuration.shape = scenario.shape
        configuration.plant(mutant)
        return configuration
    }

    /// One input has been given: drains the peer once and plans its next wake.
    func drain(_ node: Node) {
        guard let process = node.process else { return }
        var environment = VirtualEnvironment(world: self, node: node)
        noteEarly(node)
        // The checkers hear of packets that were opened before they hear of their records.
        showSealing(of: node)
        process.peer.drain(into: &environment)
        showSealing(of: node)
        if node.isDoomed { endIfDoomed(node) } else { planWake(node) }
    }

    func showSealing(of node: Node) {
        coverage.meet(.keyAged, times: UInt64(node.sealing.takeAgedKeys()))
        for observation in node.sealing.take() { show(observation, side: node.side) }
    }

    func planWake(_ node: Node) {
        guard let process = node.process else { return }
        let isSpinning = mutant == .spin && node.side == 0 && now.nanoseconds >= 1_000_000_000
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

    func wake(_ node: Node, _ life: Int, _ token: Int) {
        guard node.life == life, node.wakeToken == token, let process = node.process else { return }
        node.deadline = nil
        countWake(node)
        guard !isOver else { return }
        trace.record(.wake, at: now, side: node.side)
        process.peer.wake(at: now)
        drain(node)
    }

    private func countWake(_ node: Node) {
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

import WatchProtoCore

extension World {
    func befall(_ fault: Scenario.Fault.What) {
        switch fault {
        case .crash(let side, let downFor):
            crash(nodes[side], downFor: downFor, losing: .memory)
        case .wipe(let side, let downFor):
            crash(nodes[side], downFor: downFor, losing: .disk)
        case .backup(let side):
            nodes[side].disk.backUp()
            trace.record(.backup, at: now, side: side)
            show(.backedUp, side: side)
        case .restore(let side, let downFor):
            crash(nodes[side], downFor: downFor, losing: .recentDisk)
        case .exchange(let side, let downFor):
            crash(nodes[side], downFor: downFor, losing: .device)
        case .storageCrash(let side, let moment, let calls):
            nodes[side].plannedCrash = PlannedCrash(moment: moment, callsLeft: calls)
        case .recoveryCrash(let side, let times, let downFor):
            nodes[side].recoveryCrashes = times
            crash(nodes[side], downFor: downFor, losing: .memory)
        case .diskError(let side, let count, let calls):
            if !isHealed { nodes[side].disk.fail(count, after: calls) }
        case .diskFull(let side, let length):
            diskFull(nodes[side], length)
        case .pause(let side, let length):
            pause(nodes[side], length)
        case .linkConditions(let conditions):
            linkConditions = conditions
            trace.record(.cut, at: now, side: 0, 4, 0, "the conditions change")
            for side in 0..<2 { directions[side].options = currentConditions(side) }
        case .cut:
            cut()
        case .replay(let side, let packets):
            replay(packets, from: nodes[side])
        case .oldMessage1(let side, let back): sendOldMessage1(of: nodes[side], back: back)
        case .forgedReset(let side): forgeReset(to: nodes[side])
        case .newcomer: visit(nodes[scenario.carrier.listener], [])
        case .newMapping(let side): mapAnew(nodes[side])
        case .partition(let side, let length):
            coverage.meet(side == nil ? .blackout : .partition)
            trace.record(
                .cut, at: now, side: side ?? 0, 2, UInt64(length.nanosecondsClamped),
                "nothing leaves \(side.map(WorldNames.side) ?? "either") for \(length)")
        case .clockJump(let side, let jump):
            let node = nodes[side]
            coverage.meet(.clockJump)
            // The time that the clock showed until now may have been enough for an expiry.
            show(.wallClock(wallClock(of: node).time), side: side)
            node.wallOffset += jump
            trace.record(.clock, at: now, side: side, 0, 0, "\(jump)")
            tellWallClock(node)
        }
    }

    private func tellWallClock(_ node: Node) {
        let clock = wallClock(of: node)
        show(.wallClock(clock.time), side: node.side)
        guard let process = node.process, node.pausedUntil == nil else { return }
        process.peer.wallClockChanged(clock, at: now)
        drain(node)
    }

    // MARK: Processes

    func crash(
        _ node: Node, downFor: Duration, losing loss: CrashLoss,
        pendingChance: Double? = nil
    ) {
        guard node.process != nil else { return }
        coverage.meet(.crash)
        if !node.disk.pending.isEmpty { coverage.meet(.crashWithPendingCommit) }
        // A batch may have become durable although its receipt never got out.
        keepSomePending(node, chance: pendingChance ?? scenario.unreceiptedCommit)
        if node.accepted.contains(where: { !panel.isPromised($0) }) { coverage.meet(.orphaned) }
        if node.accepted.contains(where: { panel.waitsForCommit($0) }) {
            coverage.meet(.waitingLost)
        }
        trace.record(.crash, at: now, side: node.side, UInt64(node.life))
        meetCounters(of: node)
        meetCrash(of: node)
        endOtherEnd(of: node, CarrierFailure(call: "read", errorNumber: 104))
        node.forget()
        show(.crashed, side: node.side)
        switch loss {
        case .memory: break
        case .disk:
            node.disk.wipe()
            coverage.meet(.wiped)
            trace.record(.wipe, at: now, side: node.side)
            show(.wiped, side: node.side)
        case .recentDisk:
            guard node.disk.restore() else { break }
            coverage.meet(.restored)
            trace.record(.wipe, at: now, side: node.side, 1, 0, "restored")
            show(.restored, side: node.side)
        case .device:
            guard node.disk.exchange() else { break }
            coverage.meet(.exchanged)
            trace.record(.wipe, at: now, side: node.side, 2, 0, "exchanged")
            show(.exchanged, side: node.side)
        }
        events.add(.start(side: node.side), at: now.advanced(by: downFor))
    }

    func start(_ node: Node) {
        guard node.process == nil else { return }
        node.life += 1
        trace.record(
            node.life == 1 ? .start : .restart, at: now, side: node.side, UInt64(node.life))
        let life = mutant == .reuseEpoch ? 1 : node.life
        let epoch = LinkDraws.mixed(scenario.seed &* 0x1_0001 &+ UInt64(life * 2 + node.side))
        let clock = wallClock(of: node)
        node.process = Process(
            Peer(
                configuration(of: node), restoring: node.disk.image,
                epoch: EpochID(rawValue: epoch | 1),
                security: makeSecurity(node.side, node.life, node.sealing), clock: clock, at: now))
        node.awakeSince = now
        recallMedications(node)
        show(.started, side: node.side)
        if let age = scenario.overdueAge { show(.overdueAge(age), side: node.side) }
        show(.wallClock(clock.time), side: node.side)
        askAfterRestart(node)
        node.process?.peer.activate(at: now)
        if node.recoveryCrashes > 0 { planRecoveryCrash(node) }
        let started = node.life
        drain(node)
        // It may have died on the way.
        guard node.life == started, node.process != nil else { return }
        resumeApplication(node)
    }

    /// The process dies while it recovers: at the first call to its journal, or a moment later.
    private func planRecoveryCrash(_ node: Node) {
        node.recoveryCrashes -= 1
        let draw = node.commitRandom.uniform(in: 0...3)
        if draw == 0 {
            node.plannedCrash = PlannedCrash(moment: .inside, callsLeft: 0)
        }
        let wait = Duration.microseconds(Int64(draw * draw * 10_000))
        events.add(.dieRecovering(side: node.side, life: node.life), at: now.advanced(by: wait))
    }

    func dieRecovering(_ node: Node, _ life: Int) {
        guard node.life == life, node.process != nil else { return }
        coverage.meet(.crashInRecovery)
        crash(node, downFor: .milliseconds(50), losing: .memory)
    }

    private func diskFull(_ node: Node, _ length: Duration) {
        guard !isHealed else { return }
        coverage.meet(.diskFull)
        node.disk.fail(nil, after: 0)
        events.add(.diskFreed(side: node.side), at: now.advanced(by: length))
    }

    /// The application goes on. A record that it had noted the peer delivers again by itself.
    private func resumeApplication(_ node: Node) {
        if node.life > 1, scenario.synchronizesAtStart[node.side] { synchronizeAgain(node) }
        attemptAgain(node)
    }

    private func pause(_ node: Node, _ length: Duration) {
        guard node.process != nil, node.pausedUntil == nil else { return }
        coverage.meet(.pause)
        let until = now.advanced(by: length)
        node.pausedUntil = until
        trace.record(
            .pause, at: now, side: node.side, until.nanoseconds, 0,
            "until \(WorldTrace.seconds(until))")
        events.add(.resume(side: node.side), at: until)
    }

    func resume(_ node: Node) {
        // A pause that a crash, or the healing, has ended is over.
        guard let until = node.pausedUntil, until <= now || isHealed else { return }
        node.pausedUntil = nil
        node.awakeSince = now
        trace.record(.resume, at: now, side: node.side, UInt64(node.deferred.count))
        tellWallClock(node)
        if let failed = node.failsLater {
            node.failsLater = nil
            tellFailed(failed, node)
        }
        let receipts = node.lateReceipts
        node.lateReceipts = []
        for receipt in receipts { handOver(receipt, to: node) }
        let deferred = node.deferred
        node.deferred = []
        for event in deferred { carryOut(event.what) }
    }

    // MARK: The link

    /// Somebody sends again what `node` sent before, in this session or in an earlier one.
    private func replay(_ packets: Int, from node: Node) {
        guard isRecorded, !isHealed, !node.sent.isEmpty else { return }
        coverage.meet(.replayed)
        trace.record(.cut, at: now, side: node.side, 3, UInt64(packets), "\(packets) come again")
        let generation = nodes[1 - node.side].link.generation ?? 0
        for _ in 0..<packets {
            let place = node.replayRandom.uniform(in: 0...UInt64(node.sent.count - 1))
            let wait = Duration.microseconds(Int64(node.replayRandom.uniform(in: 0...50_000)))
            events.add(
                .arrival(side: 1 - node.side, generation: generation, node.sent[Int(place)]),
                at: now.advanced(by: wait))
        }
    }

    /// The carrier breaks: both ends are told. A lossy carrier has no ends to tell: the hosts are
    /// told by the system that the interface went down.
    private func cut() {
        coverage.meet(.cut)
        trace.record(.cut, at: now, side: 0)
        for node in nodes {
            guard case .up(let generation) = node.link else { continue }
            let failure = CarrierFailure(call: "read", errorNumber: 104)
            if node.pausedUntil != nil {
                node.deferred.append(
                    WorldEvent(
                        at: now,
                        what: .linkEnded(side: node.side, generation: generation, failure)))
            } else {
                linkEnded(node, generation, failure)
            }
        }
    }
}

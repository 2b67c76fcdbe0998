import WatchProtoCore

/// How a run ends: crashes stop, the link heals, and the queues must drain.
extension World {
    func heal() {
        isHealed = true
        trace.record(.heal, at: now, side: 0)
        for side in 0..<2 {
            directions[side].options = directions[side].options.calm
            directions[side].options.kind = scenario.carrier.kind
        }
        for node in nodes {
            node.disk.fail(0, after: 0)
            node.plannedCrash = nil
            node.recoveryCrashes = 0
            start(node)
            resume(node)
            activate(node, node.life)
        }
    }

    /// Looks whether everything has settled, or the time is up.
    func look() {
        let start = scenario.deadDirection?.at ?? scenario.healAt
        let limit = scenario.deadDirection == nil ? scenario.settleTime : .seconds(180)
        if now >= start.advanced(by: limit) {
            isDrained = isQuiet
            isOver = true
            return
        }
        for node in nodes {
            watch(node)
        }
        lookAtFairness()
        if mayEnd, pendingActs == 0, isQuiet {
            let since = quietSince ?? now
            quietSince = since
            if since.advanced(by: .seconds(5)) <= now {
                isDrained = true
                isOver = true
                return
            }
        } else {
            quietSince = nil
        }
        events.add(.look, at: now.advanced(by: .milliseconds(500)))
    }

    /// The application looks at the alarm, where nothing can have kept it from being told.
    private func watch(_ node: Node) {
        guard node.process != nil, node.pausedUntil == nil, !node.isJournalClosed,
            node.disk.pending.isEmpty, scenario.overdueAge != nil
        else { return }
        show(
            .watched(
                awake: node.awakeSince.duration(to: now),
                lateness: scenario.timerLateness + .milliseconds(10)), side: node.side)
    }

    private var mayEnd: Bool { scenario.isWritten ? now >= scenario.healAt : isHealed }

    private var isQuiet: Bool {
        nodes.allSatisfy { node in
            node.process?.peer.outstandingTransfers.isEmpty ?? false && awaited(by: node).isEmpty
        }
    }

    /// The reasons in words why a side waits, beside its records.
    private func awaited(by node: Node) -> [String] {
        guard let process = node.process else { return ["its process"] }
        var awaited: [String] = []
        if !node.disk.pending.isEmpty { awaited.append("its disk") }
        if process.peer.outstandingTransfers.isEmpty, process.peer.unsettledCount > 0 {
            awaited.append("the end of a block")
        }
        if process.peer.isComparing { awaited.append("the end of the comparison") }
        // A statement may be under way whose loss only a time-out shows.
        if scenario.deadDirection == nil, process.peer.awaitsAcknowledgement {
            awaited.append("an acknowledgement")
        }
        if process.peer.activationState != .activated { awaited.append("a session") }
        return awaited
    }

    private var endingCarrier: EndingCarrier {
        let carrier = scenario.carrier
        guard case .stream = carrier.kind else {
            return EndingCarrier(
                isLossy: carrier.kind.isLossy, largestPacketBytes: carrier.largestDatagramBytes,
                isSealed: isSealed)
        }
        return EndingCarrier(isLossy: false, isSealed: isSealed)
    }

    private var shapedCarrier: EndingCarrier {
        var carrier = endingCarrier
        carrier.shape = scenario.shape
        return carrier
    }

    func finish() -> WorldResult {
        let quiet = Duration.seconds(scenario.deadDirection == nil ? 5 : 60)
        let quietStart = now.advanced(by: .zero - quiet)
        let sides = nodes.map { node in
            var end = SideEnding(
                isReachable: node.process?.peer.isReachable ?? false,
                outstanding: node.process?.peer.outstandingTransfers ?? [],
                quietWakes: node.wakes.filter { $0 > quietStart }.count, quietTime: quiet,
                wakesInOneMoment: node.mostWakesInOneMoment,
                wire: node.wire,
                runTime: Instant.zero.duration(to: now))
            end.awaited = awaited(by: node)
            return end
        }
        for node in nodes {
            meetCounters(of: node)
            askInTheEnd(node)
            if isDrained { lookForDecisions(node) }
        }
        var ending = Ending(
            isHealed: isHealed && !isAborted, isDrained: isDrained,
            deadDirection: scenario.deadDirection?.side,
            carrier: shapedCarrier, sides: sides)
        ending.hasTightLimits = scenario.hasTightLimits
        show(.ended(ending), side: 0)
        trace.record(.end, at: now, side: 0, isDrained ? 1 : 0)
        return WorldResult(
            digest: trace.digest, findings: panel.findings, coverage: coverage, endedAt: now,
            eventCount: trace.eventCount, isDrained: isDrained)
    }
}

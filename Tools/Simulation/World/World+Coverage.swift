import WatchProtoCore
import WatchProtoRecords

/// Which rare states a run has met.
extension World {
    func meet(_ record: InboundRecord, _ disposition: Disposition) {
        if record.id.channel == .bulk { coverage.meet(.bulkDelivered) }
        if record.kind.isRemoval { coverage.meet(.removed) }
        if record.inReplyTo != nil { coverage.meet(.replied) }
        if case .rejected = disposition { coverage.meet(.rejected) }
        if panel.wasGivenBefore(record.id) { coverage.meet(.deliveredAgainAfterCrash) }
    }

    /// Finds out whether the records that the peer of `node` is about to deliver came early.
    func noteEarly(_ node: Node) {
        guard isSealed, let process = node.process else { return }
        let received = process.peer.counters.earlyRecordsReceived
        node.bringsEarly =
            received > node.earlyReceived && process.peer.activationState != .activated
        node.earlyReceived = received
    }

    /// Whether the carrier keeps packets, so that each begins with its kind.
    var keepsPackets: Bool {
        if case .stream = scenario.carrier.kind { false } else { true }
    }

    /// A packet leaves on a carrier that keeps packets.
    func meetPacket(_ bytes: [UInt8], _ fate: PacketFate, from node: Node) {
        guard let first = bytes.first, let kind = PacketKind(rawValue: first & 0x07) else { return }
        switch kind {
        case .early where isSealed && scenario.carrier.kind.isLossy: meetEarly(fate)
        case .initiation: node.isInitiating = true
        case .response: node.isInitiating = false
        case .refusal: coverage.meet(.initiationRefused)
        default: break
        }
    }

    /// A packet arrives on a carrier that keeps packets.
    func meetArrival(_ bytes: [UInt8], at node: Node) {
        guard let first = bytes.first, let kind = PacketKind(rawValue: first & 0x07) else { return }
        switch kind {
        case .initiation where node.isInitiating: coverage.meet(.initiationsCrossed)
        case .response, .refusal: node.isInitiating = false
        default: break
        }
    }

    /// Counts the rarities among the entries that the journal of `node` is about to take.
    func meet(_ entries: [JournalEntry], _ node: Node) {
        for entry in entries {
            switch entry {
            case .ticketEntered(let entry):
                (node.hasEntered, node.isTicketPending) = (true, true)
                if entry.promotesPending { coverage.meet(.ticketPromoted) }
                if !entry.abandoned.isEmpty { coverage.meet(.ticketsAbandoned) }
            case .ticketProgress(_, _?) where node.isTicketPending:
                node.isTicketPending = false
                coverage.meet(.ticketConcluded)
            case .numbered(_, .context, _): coverage.meet(.versionsMended)
            case .removalWatermark: coverage.meet(.watermarkRaised)
            default: break
            }
        }
    }

    private func meetEarly(_ fate: PacketFate) {
        if fate.lossCause != nil { coverage.meet(.earlyLost) }
        if fate.marks.contains(.duplicated) { coverage.meet(.earlyDuplicated) }
        if fate.marks.contains(.reordered) { coverage.meet(.earlyReordered) }
    }

    /// The process of `node` dies.
    func meetCrash(of node: Node) {
        guard let counters = node.process?.peer.counters else { return }
        let known = counters.earlyPacketsTaken + counters.earlyPacketsReturned
        if counters.earlyPacketsSent > known { coverage.meet(.earlySenderCrashed) }
    }

    /// Counts the rarities that the peer of `node` has counted, when its process or the run ends.
    func meetCounters(of node: Node) {
        guard let counters = node.process?.peer.counters else { return }
        coverage.meet(.deltaSent, times: counters.deltasSent)
        coverage.meet(.baseAsked, times: counters.basesAsked)
        coverage.meet(.earlyTaken, times: counters.earlyRecordsReceived)
        if isSealed { coverage.meet(.earlyRefused, times: counters.earlyPacketsReturned) }
    }

    func meet(_ event: PeerEvent, of node: Node) {
        switch event {
        case .settled(let id, let outcome):
            meet(outcome, of: id)
            if outcome == .applied, panel.wasAnsweredByKey(id) { coverage.meet(.answeredByKey) }
        case .counterpartChanged(.restarted): coverage.meet(.counterpartRestarted)
        case .counterpartChanged(.wiped):
            coverage.meet(.counterpartWiped)
            node.learnedOfLossAt = now
        case .counterpartChanged(.cloned), .linkClosed(.cloned): coverage.meet(.copyFound)
        case .counterpartChanged(.wentBack):
            coverage.meet(.counterpartWentBack)
            node.learnedOfLossAt = now
        case .journalWentBack(let wiped):
            coverage.meet(wiped ? .ownJournalWiped : .ownJournalWentBack)
            if node.learnedOfLossAt == now { coverage.meet(.bothWentBack) }
        case .tailLost: coverage.meet(.tailLost)
        case .renumbered: coverage.meet(.renumbered)
        case .conflict: coverage.meet(.conflict)
        case .overdue: coverage.meet(.overdue)
        case .overdueEnded: coverage.meet(.overdueEnded)
        case .recovered: coverage.meet(.valueRecovered)
        case .journalFailed: coverage.meet(.journalFailed)
        case .linkClosed(.stalled): coverage.meet(.linkStalled)
        case .linkClosed(.handshakeTimedOut): coverage.meet(.handshakeTimedOut)
        case .reachability(false, let evidence) where evidence.cause == .silence:
            coverage.meet(.unreachableBySilence)
        case .activation(.activated): coverage.meet(.activated)
        case .activation where node.isActive:
            if !node.hasEntered { coverage.meet(.ticketKept) }
            node.hasEntered = false
        default: break
        }
        if case .activation(let state) = event { node.isActive = state == .activated }
    }

    private func meet(_ outcome: Outcome, of id: RecordID) {
        switch outcome {
        case .cancelled: coverage.meet(.cancelled)
        case .expired: coverage.meet(.expired)
        case .superseded: coverage.meet(.superseded)
        case .outcomeUnknown: coverage.meet(.outcomeUnknown)
        case .unknown: coverage.meet(.outcomeForgotten)
        case .applied: if panel.wasCancelAsked(id) { coverage.meet(.cancelledTooLate) }
        default: break
        }
    }
}

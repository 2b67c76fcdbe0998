import WatchProto
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

    /// What the peer of `node` is about to give out may have come early.
    func noteEarly(_ node: Node<Security>) {
        guard Security.isSealed, let process = node.process else { return }
        let received = process.peer.counters.earlyRecordsReceived
        node.bringsEarly =
            received > node.earlyReceived && process.peer.activationState != .activated
        node.earlyReceived = received
    }

    /// What became of a packet of early data on a carrier that can lose.
    func meetEarly(_ bytes: [UInt8], _ fate: PacketFate) {
        guard Security.isSealed, !scenario.carrier.isConnected, let first = bytes.first,
            first & 0x03 == PacketKind.early.rawValue
        else { return }
        if fate.lossCause != nil { coverage.meet(.earlyLost) }
        if fate.marks.contains(.duplicated) { coverage.meet(.earlyDuplicated) }
        if fate.marks.contains(.reordered) { coverage.meet(.earlyReordered) }
    }

    /// The process of `node` dies.
    func meetCrash(of node: Node<Security>) {
        guard let counters = node.process?.peer.counters else { return }
        let known = counters.earlyPacketsTaken + counters.earlyPacketsReturned
        if counters.earlyPacketsSent > known { coverage.meet(.earlySenderCrashed) }
    }

    /// What the peer of a process that ends, or of a run that ends, has counted.
    func meetCounters(of node: Node<Security>) {
        guard let counters = node.process?.peer.counters else { return }
        coverage.meet(.deltaSent, times: counters.deltasSent)
        coverage.meet(.baseAsked, times: counters.basesAsked)
        coverage.meet(.earlyTaken, times: counters.earlyRecordsReceived)
    }

    func meet(_ event: PeerEvent) {
        switch event {
        case .settled(let id, let outcome):
            meet(outcome, of: id)
            if outcome == .applied, panel.wasAnsweredByKey(id) { coverage.meet(.answeredByKey) }
        case .counterpartChanged(.restarted): coverage.meet(.counterpartRestarted)
        case .counterpartChanged(.wiped): coverage.meet(.counterpartWiped)
        case .counterpartChanged(.wentBack): coverage.meet(.counterpartWentBack)
        case .journalWentBack: coverage.meet(.ownJournalWentBack)
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
        default: break
        }
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

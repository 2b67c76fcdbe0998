import WatchProto

/// Planted mistakes that drop records: the peers do what they always do, and nobody hears of it.
extension World {
    /// Whether a planted mistake has dropped a record.
    func isSwallowed(_ id: RecordID) -> Bool {
        switch canary {
        case .dropExpiring, .holdBack: panel.hasExpiry(id)
        case .dropCancelled: panel.wasCancelAsked(id)
        case .unknownQueue, .assumeApplied: givenUp.contains(id)
        default: false
        }
    }

    /// Whether an event tells of a record that nobody is to hear of again.
    func isSwallowed(_ event: PeerEvent) -> Bool {
        switch event {
        case .progress(let id, let stage): stage > .queued && isSwallowed(id)
        case .settled(let id, _): isSwallowed(id)
        default: false
        }
    }

    /// What is said of a record that was dropped; nil of any other.
    func swallowedStatus(of id: RecordID, on node: Node<Security>) -> RecordStatus? {
        guard isSwallowed(id) else { return nil }
        switch canary {
        case .unknownQueue: return .settled(.unknown)
        case .assumeApplied: return .settled(.applied)
        case .holdBack:
            return node.heldBackIDs.contains(id) ? .underWay(.queued) : .settled(.expired)
        default: return .unknown
        }
    }

    /// What a peer says is under way, without what it is to have dropped.
    func known(_ ids: [RecordID]) -> [RecordID] {
        canary == nil ? ids : ids.filter { !isSwallowed($0) }
    }

    /// The counterpart has lost its disk: all that was promised counts as ended, or what had been
    /// committed there as applied.
    func giveUpQueue(of node: Node<Security>) {
        let isAssuming = canary == .assumeApplied
        guard isAssuming || canary == .unknownQueue, node.givesUpQueue, let process = node.process
        else { return }
        node.givesUpQueue = false
        for id in process.peer.outstandingTransfers
        where id.lane.traits.isDurable && panel.isPromised(id) && !isSwallowed(id)
            && (!isAssuming || panel.wasCommittedThere(id))
        {
            givenUp.insert(id)
            show(.event(.settled(id, isAssuming ? .applied : .unknown)), side: node.side)
        }
    }

    /// What was held back until now has expired.
    func endHeldBack(on node: Node<Security>) {
        guard canary == .holdBack, node.process != nil, node.pausedUntil == nil else { return }
        let clock = wallClock(of: node).time
        for id in node.heldBackIDs where panel.expiry(of: id).map({ $0 <= clock }) ?? true {
            node.heldBackIDs.removeAll { $0 == id }
            for other in nodes { show(.wallClock(wallClock(of: other).time), side: other.side) }
            show(.event(.settled(id, .expired)), side: node.side)
        }
    }
}

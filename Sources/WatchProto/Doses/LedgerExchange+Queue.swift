import Locks
package import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The queue of events for the other device.
extension LedgerExchange {
    /// The most own events under way at a time.
    private static let underWayLimit = 64
    /// Places among those that only new events take.
    private static let reserve = 16
    /// The most events of other devices, or of one act, that go before the backlog. A device that
    /// has met this one for the first time may bring the events of years, and so may a file.
    private static let freshLimit = 64

    /// An own record is settled. Called under the driver's lock. Returns whether it was a dose
    /// event's.
    @discardableResult
    package func settled(_ id: RecordID, _ outcome: Outcome) -> Bool {
        let (isOwn, isDue) = state.withLock { state -> (Bool, Bool) in
            guard let identity = state.underWay.removeValue(forKey: id) else {
                return (false, state.needsRoom)
            }
            switch outcome {
            case .applied: state.holds(identity)
            case .rejected: state.refused.insert(identity)
            // The other device may lack it.
            default: state.owesComparison = true
            }
            return (true, true)
        }
        if isDue { work.add { [self] in proceed() } }
        return isOwn
    }

    /// Sends events that are new in this ledger: those of one act of this device, or events of
    /// others.
    func send(_ identities: [UInt128], areOwn: Bool) {
        let isLargeAct = areOwn && identities.count > Self.freshLimit
        state.withLock { state in
            guard state.link != nil else { return }
            for identity in identities {
                if !isLargeAct, areOwn || state.fresh.count < Self.freshLimit {
                    state.fresh.append(CollectionOfOne(identity))
                } else {
                    state.backlog.append(CollectionOfOne(identity))
                }
            }
        }
        proceed()
    }

    func queueBacklog() {
        while true {
            let next = state.withLock { state -> (any LedgerLink, UInt128, isFresh: Bool)? in
                guard let link = state.link else { return nil }
                let places = Self.underWayLimit - state.underWay.count
                if places > 0, let identity = state.fresh.first() {
                    return (link, identity, isFresh: true)
                }
                guard places > Self.reserve, let identity = state.backlog.first() else {
                    return nil
                }
                return (link, identity, isFresh: false)
            }
            guard let (link, identity, isFresh) = next else { return }
            do {
                // An event that is gone belonged to another person.
                if let encoding = try store.event(identity) {
                    guard queue(identity, encoding, isFresh, link) else { return }
                }
            } catch {
                // The ledger cannot be read now.
                return work.add({ [weak self] in self?.proceed() }, after: Self.pause)
            }
            state.withLock { state in
                state.fresh.remove(identity)
                state.backlog.remove(identity)
            }
        }
    }

    /// Queues an event, which is durable already. Returns whether there was room.
    private func queue(
        _ identity: UInt128, _ encoding: [UInt8], _ isFresh: Bool, _ link: any LedgerLink
    ) -> Bool {
        let draft = RecordDraft(
            channel: isFresh ? .urgent : .background, kind: .doseEvent, payload: encoding,
            idempotencyKey: identity)
        do throws(SendRefusal) {
            try link.transfer(draft, writes: []) { id, now in
                ledger.observer?.queued(DoseEventID(rawValue: identity), encoding, as: id, at: now)
                state.withLock { state in
                    state.underWay[id] = identity
                    state.needsRoom = false
                }
            }
            return true
        } catch {
            state.withLock { $0.needsRoom = true }
            return false
        }
    }
}

import Locks
package import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The queue of events for the other device.
extension LedgerExchange {
    /// The most own events under way at a time, so that a new one soon has its turn.
    private static let underWayLimit = 64

    /// An own record is settled. Called under the driver's lock.
    package func settled(_ id: RecordID, _ outcome: Outcome) {
        let isDue = state.withLock { state in
            guard let identity = state.underWay.removeValue(forKey: id) else {
                return state.needsRoom
            }
            if outcome == .applied {
                state.comparisons = 0
                // A comparison that began before may have found it missing.
                state.backlog.remove(identity)
            }
            return true
        }
        if isDue { work.add { [self] in proceed() } }
    }

    func queueBacklog() {
        while true {
            let next = state.withLock { state -> (any LedgerLink, UInt128)? in
                guard let link = state.link, state.underWay.count < Self.underWayLimit,
                    let identity = state.backlog.first()
                else { return nil }
                return (link, identity)
            }
            guard let (link, identity) = next else { return }
            // An event that cannot be read now is found by a later comparison.
            if let encoding = try? ledger.event(identity) {
                guard queue(identity, encoding, link) else { return }
            }
            state.withLock { $0.backlog.remove(identity) }
        }
    }

    /// Queues an event, which is durable already. Returns whether there was room.
    private func queue(_ identity: UInt128, _ encoding: [UInt8], _ link: any LedgerLink) -> Bool {
        let draft = RecordDraft(
            channel: .background, kind: .doseEvent, payload: encoding, idempotencyKey: identity)
        do throws(SendRefusal) {
            try link.transfer(draft, writes: []) { id, now in
                observer?.queued(DoseEventID(rawValue: identity), encoding, as: id, at: now)
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

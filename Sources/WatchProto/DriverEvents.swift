import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

/// Receives records and events of the driver for a session. It is called under the driver's lock
/// and only forwards them.
final class DriverEvents: SessionDelegate {
    private weak let session: CompanionSession?
    /// Records delivered before the first link are repeated ones, which were not answered.
    private let hadLink = Atomic(false)

    private let counterpart: UInt128
    private let exchange: LedgerExchange
    private let links: SessionLinks

    private struct Origin { weak var driven: CompanionSession.Driven? }
    private let origin = Mutex(Origin())

    init(
        _ session: CompanionSession, _ device: PairedDevice, _ exchange: LedgerExchange,
        _ links: SessionLinks
    ) {
        self.session = session
        self.exchange = exchange
        self.links = links
        counterpart = device.counterpartNumber
    }

    /// Names the session whose events these are, before it starts.
    func belong(to driven: CompanionSession.Driven) {
        origin.withLock { $0.driven = driven }
    }

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        // An answer that nobody waits for any more is no new message.
        let isMessage = record.inReplyTo == nil
        let reported = isMessage && record.kind == .app ? session?.app.received(record) : nil
        session?.publisher.received(reported?.status, at: now, later: &later)
        if let reported, reported.isNew { session?.feeds.add(.counterpart(reported.status)) }
        if !isMessage || record.kind == .app { return .applied }
        if record.kind == .request, session?.app.request(record) == nil {
            return .rejected(code: AppRequest.unknownCapability)
        }
        if record.kind == .ledger {
            exchange.receiveQuestion(record)
            return .applied
        }
        if record.kind == .doseEvent {
            exchange.receive(record, at: now)
            return .pending
        }
        session?.inbox.add(
            PendingRecord(
                record: record, isRedelivery: !hadLink.load(ordering: .relaxed),
                driven: origin.withLock { $0.driven }))
        return .pending
    }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        guard let session else { return }
        switch event {
        case .progress(let id, let stage):
            if stage == .sent { session.publisher.departed(id, at: now, later: &later) }
            session.transfers.reach(id, stage)
        case .departed(let id): session.publisher.departed(id, at: now, later: &later)
        case .settled(let id, let outcome):
            if exchange.settled(id, outcome) { return }
            guard let outcome = TransferOutcome(outcome) else { return }
            session.transfers.settle(id, outcome)
            session.feeds.add(.settled(id, outcome))
        case .renumbered(let id, let other):
            session.transfers.rename(id, as: other)
        case .recovered(let channel, let key, let kind, let payload):
            let value = StoredValue(
                recovered: kind, payload, channel, key, from: counterpart)
            if let write = session.store.keep(value) { later.write(write) }
            session.feeds.add(.recovered(RecoveredValue(value, session)))
        case .journalFailed:
            // The journal delivers unanswered records again.
            hadLink.store(false, ordering: .relaxed)
            session.feeds.add(.journalFailed(session.store.failure ?? "the journal failed"))
        case .activation(let state):
            if state == .activated {
                session.app.opened()
                session.publisher.opened(at: now, later: &later)
            }
            session.feeds.add(.activation(state))
        case .reachability(let isReachable, _):
            exchange.reachable(isReachable)
            if isReachable { session.app.reachable(later: &later) }
            session.publisher.reachable(isReachable, at: now, later: &later)
            session.feeds.add(.reachability(isReachable))
        default:
            if let reported = Self.reported(event) { session.feeds.add(reported) }
        }
    }

    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .linkOpened: hadLink.store(true, ordering: .relaxed)
        case .linkLost(let failure), .linkNotOpened(let failure):
            guard let session else { return }
            session.feeds.add(.linkLost(links.text(of: failure)))
        case .journalReopened:
            exchange.journalReopened()
            session?.feeds.add(.journalReopened)
            // Before the journal returns further values.
            try? session?.store.reload()
            // Not under the driver's lock, which a send takes.
            Task.detached { [weak session] in session?.recoverFromFailure() }
        case .journalNotReopened(let failure): session?.feeds.add(.journalFailed("\(failure)"))
        case .connectionRefused, .datagramIgnored, .noFurtherLink: break
        }
    }

    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {
        session?.publisher.deferredSend(tag, result, at: now)
    }

    var nextDeadline: Instant? {
        switch (session?.publisher.nextDeadline, session?.pauses.nextDeadline) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    func wake(at now: Instant, later: inout DeferredInputs) {
        session?.pauses.expire(at: now)
        session?.publisher.wake(at: now, later: &later)
    }

    /// The event for an application; nil for one that only the driver acts on.
    private static func reported(_ event: PeerEvent) -> SessionEvent? {
        switch event {
        case .catchUp(let settled, let count): .catchUp(settled: settled, of: count)
        case .overdue(let id, let age): .overdue(id, age: age)
        case .overdueEnded: .overdueEnded
        case .counterpartChanged(.cloned): .pairAnew
        case .counterpartChanged(let change): .counterpartChanged(change)
        case .linkClosed(let end) where end.needsNewPairing: .pairAnew
        case .journalWentBack(let isWiped): .journalWentBack(wiped: isWiped)
        case .conflict(_, let key, let kept, let replaced):
            .conflict(key, kept: kept, replaced: replaced)
        case .activation, .journalFailed, .reachability, .linkWanted, .linkClosed, .progress,
            .departed, .settled, .renumbered, .recovered, .tailLost, .advisory, .linkQuality:
            nil
        }
    }
}

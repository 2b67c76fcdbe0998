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
    /// Whether the application was told that the journal failed, and not yet that it is open.
    private let toldFailure = Atomic(false)

    private let device: PairedDevice
    private let exchanges: DeviceExchanges
    private let links: SessionLinks
    /// Whether the device is the active one. Only then do complications hear of its session, and
    /// the application of its link.
    let isActive = Atomic(false)

    private struct Origin { weak var driven: DriverSession? }
    private let origin = Mutex(Origin())

    init(
        _ session: CompanionSession, _ device: PairedDevice, _ exchanges: DeviceExchanges,
        _ links: SessionLinks
    ) {
        self.session = session
        self.device = device
        self.exchanges = exchanges
        self.links = links
    }

    /// The session, if the device is its active one.
    private var active: CompanionSession? {
        isActive.load(ordering: .acquiring) ? session : nil
    }

    /// Names the session whose events these are, before it starts.
    func belong(to driven: DriverSession) {
        origin.withLock { $0.driven = driven }
    }

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        // An answer that nobody waits for any more is no new message.
        let isMessage = record.inReplyTo == nil
        let reported = isMessage && record.kind == .app ? exchanges.app.received(record) : nil
        active?.publisher.received(reported?.status, at: now, later: &later)
        if let reported, reported.isNew { active?.feeds.add(.counterpart(reported.status)) }
        if isMessage, record.kind == .app, let session {
            exchanges.messages.received(record, later: &later) {
                session.feeds.add(.settled($0, $1))
            }
        }
        if !isMessage || record.kind == .app { return .applied }
        if record.kind == .request, exchanges.app.request(record) == nil {
            return .rejected(code: AppRequest.unknownCapability)
        }
        if record.kind == .ledger {
            exchanges.ledger.receiveQuestion(record)
            return .applied
        }
        if record.kind == .doseEvent {
            exchanges.ledger.receive(record, at: now)
            return .pending
        }
        if record.kind == .filePart {
            exchanges.files.received(record.payload)
            return .applied
        }
        // The payload of an offer is not kept until the file is whole.
        let isFile = record.kind == .file
        let pending = PendingRecord(
            record: isFile ? record.with([]) : record,
            isRedelivery: !hadLink.load(ordering: .relaxed), pairing: device.pairing,
            driven: origin.withLock { $0.driven })
        if isFile {
            return exchanges.files.receive(record) { [weak session] whole in
                session?.inbox.add(pending.with(whole))
            }
        }
        session?.inbox.add(pending)
        return .pending
    }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        guard let session else { return }
        switch event {
        case .progress(let id, let stage):
            if stage == .sent { active?.publisher.departed(id, at: now, later: &later) }
            session.transfers.reach(id, stage)
        case .departed(let id): active?.publisher.departed(id, at: now, later: &later)
        case .settled(let id, let outcome):
            if exchanges.files.settled(id) { return }
            for write in session.files.settled(id) { later.write(write) }
            let isDose = exchanges.ledger.settled(id, outcome)
            guard let outcome = TransferOutcome(outcome) else { return }
            if isDose { return session.transfers.settle(id, outcome) }
            for write in session.messageTable.settled(id, outcome) { later.write(write) }
            session.transfers.settle(id, outcome)
            session.feeds.add(.settled(id, outcome))
        case .renumbered(let id, let other):
            session.transfers.rename(id, as: other)
            session.files.renamed(id, as: other)
        case .recovered(let channel, let key, let kind, let payload):
            let value = StoredValue(
                recovered: kind, payload, channel, key, from: device.counterpartNumber)
            if let write = session.store.keep(value) { later.write(write) }
            session.feeds.add(.recovered(RecoveredValue(value, session)))
        case .journalFailed:
            // The journal delivers unanswered records again.
            hadLink.store(false, ordering: .relaxed)
            // A session that begins anew because a statement failed has told of that.
            guard let failure = session.store.failure else { return }
            toldFailure.store(true, ordering: .relaxed)
            active?.feeds.add(.journalFailed(failure))
        case .activation(let state):
            if state == .activated {
                exchanges.connected()
                active?.publisher.opened(at: now, later: &later)
            }
            active?.feeds.add(.activation(state))
        case .reachability(let isReachable, _):
            exchanges.reachable(isReachable, later: &later)
            active?.publisher.reachable(isReachable, at: now, later: &later)
            active?.feeds.add(.reachability(isReachable))
        case .conflict(_, let key, let kept, let replaced):
            let key = key.mixed(with: kept.kind)
            session.feeds.add(.conflict(key, kept: kept, replaced: replaced))
        default:
            if case .counterpartChanged(let change) = event {
                exchanges.messages.counterpartChanged(change, later: &later)
            }
            report(event)
        }
    }

    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .linkOpened: hadLink.store(true, ordering: .relaxed)
        case .linkLost(let failure), .linkNotOpened(let failure):
            active?.feeds.add(.linkLost(links.text(of: failure)))
        case .journalReopened:
            exchanges.journalReopened()
            if toldFailure.exchange(false, ordering: .relaxed) {
                active?.feeds.add(.journalReopened)
            }
            // Before the journal returns further values.
            try? session?.store.reloadOnce()
            // Not under the driver's lock, which a send takes.
            Task.detached { [weak session, device] in session?.recover(device.pairing) }
        case .journalNotReopened(let failure):
            toldFailure.store(true, ordering: .relaxed)
            active?.feeds.add(.journalFailed("\(failure)"))
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
        let ofActive = Instant.earlier(
            active?.publisher.nextDeadline, active?.pauses.nextDeadline)
        return Instant.earlier(ofActive, exchanges.files.nextDeadline)
    }

    func wake(at now: Instant, later: inout DeferredInputs) {
        active?.pauses.expire(at: now)
        exchanges.files.wake(at: now)
        active?.publisher.wake(at: now, later: &later)
    }

    /// Passes an event on to the application: of every device, if its keys or values are concerned,
    /// and otherwise of the active one.
    private func report(_ event: PeerEvent) {
        switch event {
        case .catchUp(let settled, let count):
            active?.feeds.add(.catchUp(settled: settled, of: count))
        case .overdue(let id, let age): active?.feeds.add(.overdue(id, age: age))
        case .overdueEnded: active?.feeds.add(.overdue(nil, age: .zero))
        case .counterpartChanged(.cloned): session?.feeds.add(.pairAnew(device.pairing))
        case .counterpartChanged(let change):
            session?.feeds.add(.counterpartChanged(change, device.pairing))
        case .linkClosed(let end):
            if end.needsNewPairing { session?.feeds.add(.pairAnew(device.pairing)) }
        case .journalWentBack(let isWiped): session?.feeds.add(.journalWentBack(wiped: isWiped))
        case .linkQuality(let quality): active?.gate.admit(quality.requestsAtOnce)
        case .activation, .journalFailed, .reachability, .linkWanted, .progress, .departed,
            .settled, .renumbered, .recovered, .conflict, .tailLost, .advisory, .shapeIsOneSided:
            break
        }
    }
}

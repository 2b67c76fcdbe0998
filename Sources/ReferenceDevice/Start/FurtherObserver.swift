internal import ControlProtocol
internal import WatchProto
internal import WatchProtoTransport

/// Receives what the session with a watch reports that is not the active one. Its records count as
/// those of the active watch do. Events of its link have the pairing.
final class FurtherObserver: SessionDelegate {
    private let main: SessionObserver
    private let exchanges: DeviceExchanges
    private let pairing: PairingID

    init(
        _ main: SessionObserver, _ exchanges: DeviceExchanges, _ pairing: PairingID
    ) {
        self.main = main
        self.exchanges = exchanges
        self.pairing = pairing
    }

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        let isStatement = record.kind == .app && record.inReplyTo == nil
        if isStatement, let reported = exchanges.app.received(record), reported.isNew {
            post("watch.status", reported.status.controlMembers, at: now)
        }
        if isStatement { main.learn(record, exchanges.messages, at: now, later: &later) }
        return main.deliver(record, later: &later, exchanges, pairing)
    }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .settled(let id, let outcome):
            main.settled(id, outcome, at: now, exchanges, later: &later)
        case .reachability(let isReachable, let evidence):
            exchanges.reachable(isReachable, later: &later)
            var members = JSONValue.members(["reachable": .bool(isReachable)])
            evidence.add(to: &members)
            post("watch.reachability", .object(members), at: now)
        case .linkClosed(.notWanted): break
        case .linkClosed(let end):
            post("link.closed", end.controlValue(ownVersion: main.wireVersion), at: now)
            log("link closed: \(end.text(ownVersion: main.wireVersion))")
        // The file keeps the list, and `sync` compares it with what the watch has.
        case .recovered: break
        case .shapeIsOneSided: main.shapeIsOneSided(pairing, at: now)
        case .counterpartChanged(let change):
            exchanges.messages.counterpartChanged(change, later: &later)
            main.messages.forgetUnanswered(of: pairing)
        case .activation(.activated): exchanges.connected()
        case .activation, .linkWanted, .catchUp, .advisory, .linkQuality, .overdue, .overdueEnded:
            break
        case .progress(let id, let stage): main.trace.progress(id, stage, at: now)
        case .departed(let id): main.trace.progress(id, .sent, at: now)
        case .renumbered, .journalFailed, .journalWentBack, .tailLost, .conflict:
            main.event(event, at: now, later: &later)
        }
    }

    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .journalReopened:
            exchanges.journalReopened()
        case .linkNotOpened(let failure):
            post("link.not_opened", ["detail": .string(failure.text)], at: now)
            log("link not opened: \(failure.text)")
        case .journalNotReopened(let failure):
            log("the journal could not be opened again: \(failure)")
        case .linkOpened, .linkLost, .connectionRefused, .datagramIgnored, .noFurtherLink: break
        }
    }

    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {
        main.deferredSend(tag, result, at: now, later: &later)
    }

    var nextDeadline: Instant? { exchanges.files.nextDeadline }

    func wake(at now: Instant, later: inout DeferredInputs) { exchanges.files.wake(at: now) }

    /// Posts an event with the pairing.
    private func post(_ event: String, _ members: JSONValue, at now: Instant) {
        var members = members.object ?? JSONObject()
        members["pairing"] = .string(pairing.hex)
        main.hub.post(event, .object(members), at: now)
    }

    private func log(_ text: String) { main.log("watch \(pairing.hex.prefix(4)): \(text)") }
}

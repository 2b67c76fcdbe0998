internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The events of the peer.
extension SessionObserver {
    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .progress(let id, let stage): progress(id, stage, at: now, later: &later)
        case .departed(let id): progress(id, .sent, at: now, later: &later)
        case .settled(let id, let outcome):
            settled(id, outcome, at: now, exchanges, later: &later)
        case .renumbered(let id, let new):
            trace.renumbered(id, as: new)
            files.renamed(id, as: new)
        case .overdue(let id, let age):
            var members = id.controlMembers
            members["age_ns"] = .whole(age.nanosecondsClamped)
            hub.post("overdue", .object(members), at: now)
        case .overdueEnded: hub.post("overdue.ended", at: now)
        case .activation(let state):
            if state == .activated {
                exchanges.connected()
                publisher.opened(at: now, later: &later)
            }
            hub.post("activation", activation(state), at: now)
        case .reachability(let isReachable, let evidence):
            exchanges.reachable(isReachable, later: &later)
            publisher.reachable(isReachable, at: now, later: &later)
            application.reachable(isReachable)
            var members = JSONValue.members(["reachable": .bool(isReachable)])
            evidence.add(to: &members)
            hub.post("reachability", .object(members), at: now)
        case .linkWanted, .linkClosed(.notWanted): break
        case .linkClosed(let end): linkClosed(end, at: now)
        case .counterpartChanged(let change):
            exchanges.messages.counterpartChanged(change, later: &later)
            counterpartChanged(change, at: now)
        case .catchUp(let settled, let total):
            hub.post("synced", ["settled": .whole(settled), "of": .whole(total)], at: now)
        case .advisory(let version, let code): advisory(code, of: version, at: now)
        case .linkQuality(let quality):
            hub.post("link.quality", ["quality": .string("\(quality)")], at: now)
        case .shapeIsOneSided: shapeIsOneSided(pairing, at: now)
        case .journalFailed, .journalWentBack, .tailLost, .recovered, .conflict:
            journalEvent(event, at: now, later: &later)
        }
    }

    private func progress(
        _ id: RecordID, _ stage: Stage, at now: Instant, later: inout DeferredInputs
    ) {
        if stage == .sent { publisher.departed(id, at: now, later: &later) }
        trace.progress(id, stage, at: now)
    }

    /// Reports an event of this side's journal, such as a failure or records that are lost.
    private func journalEvent(
        _ event: PeerEvent, at now: Instant, later: inout DeferredInputs
    ) {
        switch event {
        case .journalFailed:
            hasToldFailure.store(true, ordering: .releasing)
            let detail = file?.failure?.description ?? ""
            hub.post(
                "error", ["error": ["code": "journal_failed", "detail": .string(detail)]], at: now)
            log("the journal failed, and is opened again: \(detail)")
        case .journalWentBack(let isWiped):
            hub.post("journal.went_back", ["wiped": .bool(isWiped)], at: now)
            log("the journal of this device is older than what the counterpart saw of it")
        case .tailLost(let epoch, let channel, let range):
            hub.post(
                "records.lost",
                [
                    "channel": .string(channel.controlName), "epoch": .string(epoch.hex),
                    "first": .whole(range.lowerBound), "last": .whole(range.upperBound),
                ], at: now)
        case .recovered(let channel, let key, let kind, let payload):
            recovered(
                StoredValue(recovered: kind, payload, channel, key, from: counterpart), at: now,
                later: &later)
        case .conflict(let channel, let key, let kept, let replaced):
            hub.post(
                "value.conflict",
                [
                    "channel": .string(channel.controlName), "key": .string(key.hex),
                    "kind": .whole(kept.kind.rawValue), "bytes": .whole(kept.payload.count),
                    "replaced_bytes": .whole(replaced.payload.count),
                ], at: now)
        default: break
        }
    }

    /// The members of `activation`: of several watches, whose session it is.
    func activation(_ state: ActivationState) -> JSONValue {
        [
            "state": .string(state.controlName),
            "pairing": pairing.map { .string($0.hex) } ?? .null,
        ]
    }

    func settled(
        _ id: RecordID, _ outcome: Outcome, at now: Instant, _ exchanges: DeviceExchanges,
        later: inout DeferredInputs
    ) {
        if exchanges.files.settled(id) { return }
        for write in files.settled(id) { later.write(write) }
        trace.settled(id, outcome, at: now)
        if let known = TransferOutcome(outcome) {
            for write in messageTable.settled(id, known) { later.write(write) }
        }
        // The other device tells of doses, and questions about ledgers are not the user's messages.
        let isDose = exchanges.ledger.settled(id, outcome)
        let isOwn = id.channel != .interactive || messages.settled(id, outcome)
        recovery.recordEnded()
        var wasRejected = false
        if case .rejected = outcome {
            wasRejected = true
            log(refusedThere, "records were refused by the counterpart and are missing there")
        }
        // A rejection is reported even under load: the content is missing on the counterpart.
        if wasRejected || isOwn && !isDose && !isQuiet { tell(id, outcome, at: now) }
    }

    /// Keeps a value until the application recovers it on the main thread. The write is in the
    /// transaction in which the journal counts the value again, because the counterpart returns it
    /// only once.
    private func recovered(
        _ value: StoredValue, at now: Instant, later: inout DeferredInputs
    ) {
        if application.recovers(value) {
            if let write = storage.keep(value) { later.write(write) }
            recovery.valuesCame()
        }
        hub.post(
            "value.recovered",
            [
                "channel": .string(value.channel.controlName), "key": .string(value.key.hex),
                "kind": .whole(value.kind.rawValue), "bytes": .whole(value.payload.count),
            ], at: now)
    }

    private func counterpartChanged(_ change: CounterpartChange, at now: Instant) {
        hub.post("counterpart", ["change": .string(change.controlName)], at: now)
        messages.forgetUnanswered(of: pairing)
        guard change == .wentBack || change == .wiped else { return }
        log(
            "the counterpart's journal went back or is gone; "
                + "what it had queued and not delivered is lost")
    }

    private func linkClosed(_ end: ConnectionEnd, at now: Instant) {
        hub.post("link.closed", end.controlValue(ownVersion: wireVersion), at: now)
        log("link closed: \(end.text(ownVersion: wireVersion))")
        // Nobody asked for it, so nobody else reports that none is wanted any more.
        if end.needsNewPairing { hub.post("activation", activation(.notActivated), at: now) }
    }

    /// Reports that this device has a constant shape and the one of a pairing has none.
    func shapeIsOneSided(_ pairing: PairingID?, at now: Instant) {
        hub.post(
            "shape.one_sided", ["pairing": pairing.map { .string($0.hex) } ?? .null], at: now)
        log(
            "the other device has no constant shape, so that its packets show when it says "
                + "something; start it with --constant-shape as well")
    }

    /// Advice in clear. The peer lets little of it through, so that each may be a line.
    private func advisory(_ code: CloseCode, of version: UInt8, at now: Instant) {
        var members = JSONValue.members([
            "version": .whole(version), "close_code": .whole(code.rawValue),
            "meaning": code.controlName.map { .string($0) } ?? .null,
        ])
        var text =
            "'\(code.controlName ?? "?")' (close code \(code.rawValue)) in wire version \(version)"
        if code == .incompatible, let skew = VersionSkew(own: wireVersion, other: version) {
            skew.add(to: &members)
            text = skew.text
        }
        hub.post("notice", .object(members), at: now)
        log("somebody on the link says: \(text)")
    }
}

extension CounterpartChange {
    fileprivate var controlName: String {
        switch self {
        case .first: "first"
        case .restarted: "restarted"
        case .wentBack: "went_back"
        case .wiped: "wiped"
        case .cloned: "cloned"
        }
    }
}

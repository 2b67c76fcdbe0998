internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoTransport

/// The commands of both devices.
extension Simulator {
    /// All commands of this device.
    var commands: [CommandForm] { CommandForm.both + application.commands }

    /// Refuses what needs a device to speak with where there is none.
    private func checkPaired(_ command: String) throws(ControlError) {
        let needsPairing =
            CommandForm.together.contains(command)
            || application.commands.contains { $0.name == command }
                && !application.commandsAlone.contains(command)
        guard needsPairing else { return }
        if life.withLock({ $0.coordinator != nil }) {
            throw ControlError("pairing_busy", ["expected": "'pair.cancel', or its end"])
        }
        guard isPaired else {
            throw ControlError(
                "not_paired",
                ["expected": "'pair.show' on one device and 'pair.enter' on the other"])
        }
    }

    /// Does a command.
    ///
    /// - Returns: what the reply says; nil when the reply follows later.
    /// - Throws: why it was refused.
    func perform(_ request: ControlRequest) throws(ControlError) -> JSONObject? {
        guard let form = commands.first(where: { $0.name == request.command }) else {
            throw .unknownCommand(request.command, known: commands.map(\.name))
        }
        // The members of a wait are those of its event.
        if form.name != "wait" { try request.checkFields(form.fields) }
        try checkPaired(request.command)
        switch request.command {
        case "status": return status
        case "link.open": return try openLink(request)
        case "link.close": return try closeLink(request)
        case "events": return try setEvents(request)
        case "wait": return try wait(request)
        case "load.start": return try startLoad(request)
        case "load.stop":
            load.stop()
            return JSONObject()
        case "load.progress": return trace.loadProgress()
        case "send": return try send(request)
        case "reply": return try reply(request)
        case "echo":
            let isOn = try request.flag("on", default: true)
            observer.messages.echoes.store(isOn, ordering: .relaxed)
            return JSONObject()
        case "outstanding": return try listOutstanding(request)
        case "record.status": return try recordStatus(request)
        case "dose.record": return try recordDoses(request)
        case "dose.withdraw": return try replaceDose(request, by: .withdraw)
        case "dose.correct": return try replaceDose(request, by: .correct)
        case "dose.resolve": return try replaceDose(request, by: .resolve)
        case "dose.export": return try exportDoses(request)
        case "dose.import": return try importDoses(request)
        case "clock.set": return try setClock(request)
        case "cancel": return try cancel(request)
        case "file.pause": return try changeFile(request, to: .paused)
        case "file.resume": return try changeFile(request, to: .sending)
        case "trace.dump":
            let after = try request.optionalInteger("after", in: 0...Int64(Int32.max)) ?? 0
            let limit = try request.optionalInteger("limit", in: 1...Int64.max) ?? Int64.max
            // A page never holds more, so that its line keeps to the limit of one.
            let page = Int(min(limit, Int64(Trace.pageLimit)))
            return trace.dump(after: Int(after), limit: page)
        case "trace.reset":
            trace.reset()
            return JSONObject()
        case "quit": return JSONObject()
        case let name where Self.packetCommands.contains(name): return try logPackets(request)
        case let name where Self.pairingCommands.contains(name): return try pair(request)
        case let name where Self.storeCommands.contains(name): return try ask(request)
        default: return try application.perform(request, in: self)
        }
    }

    /// Leaves out events of single records, or tells them again; gives the number of the newest.
    private func setEvents(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        if request.fields["records"] ?? .null != .null {
            let isWanted = try request.flag("records", default: true)
            observer.isAskedQuiet.store(!isWanted, ordering: .relaxed)
        }
        return JSONValue.members(["seq": .whole(hub.cursor)])
    }

    /// Waits for an event, or with `until` for a state.
    private func wait(_ request: ControlRequest) throws(ControlError) -> JSONObject? {
        guard (request.fields["until"] ?? .null).isNull else { return try waitForState(request) }
        let condition = try EventCondition(request)
        let known = EventNames.all(of: application.role)
        guard known.contains(condition.event) else {
            let other = application.role.counterpart
            let isThere = EventNames.all(of: other).contains(condition.event)
            throw .unknownEvent(
                condition.event, known: known, elsewhere: isThere ? "\(other)" : nil)
        }
        let members = EventNames.members(of: condition.event)
        try request.checkFields(["event", "after", "timeout_ms"] + members)
        try hub.wait(request.id, condition)
        return nil
    }

    private var status: JSONObject {
        let session = session
        return JSONValue.members([
            "activation": .string(session.activationState.controlName),
            "reachable": .bool(session.isReachable),
            "reachability": reachability(session.reachabilityEvidence),
            "outstanding": .whole(session.outstandingTransfers.count),
            "epoch": epoch, "sealed": .bool(options.isSealed), "paired": .bool(isPaired),
            "pairing": pairing, "link": .string(link.description),
            "complications": complications,
            "rtt_ns": session.roundTripTime.map { .whole($0.nanosecondsClamped) } ?? .null,
            "link_quality": session.linkQuality.map { .string("\($0)") } ?? .null,
            "app": counterpartApp,
            "doses": doses, "counters": counters(session.counters, session.peerCounters),
        ])
    }

    /// The evidence of whether the counterpart is reachable; times are those of the newest proofs.
    private func reachability(_ evidence: ReachabilityEvidence?) -> JSONValue {
        func time(_ proof: Instant?) -> JSONValue { proof.map { .whole($0.nanoseconds) } ?? .null }
        return [
            "evidence": evidence.map { .string($0.controlName) } ?? .null,
            "heard_ns": time(evidence?.inboundProof),
            "answered_ns": time(evidence?.outboundProof),
            "flaps": .whole(evidence?.flapCount ?? 0),
        ]
    }

    /// Opens the link with the device in use.
    func openLink() throws(ControlError) -> JSONObject {
        do throws(LinkError) {
            try activateSession()
            return JSONObject()
        } catch {
            throw ControlError("link_unavailable", ["detail": .string("\(error)")])
        }
    }

    /// Wants a session, and tells so before the driver can tell that there is one: what is told
    /// last must be what holds.
    ///
    /// - Throws: where no link can be had; then none is wanted.
    func activateSession() throws(LinkError) {
        guard !(session is NoSession) else { return tellActivation() }
        if session.activationState == .notActivated {
            hub.tellState("activation", observer.activation(.inactive))
        }
        do throws(LinkError) {
            try session.activate()
        } catch {
            tellActivation()
            throw error
        }
    }

    /// The peer tells when a session with the counterpart begins and ends, not whether one is
    /// wanted. Only for a session at rest: another's state may change before it is told.
    func tellActivation() {
        hub.tellState("activation", observer.activation(session.activationState))
    }
}

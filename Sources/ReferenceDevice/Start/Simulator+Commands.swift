internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoTransport

/// The commands of both devices.
extension Simulator {
    private static let common =
        [
            "status", "link.open", "link.close", "wait", "load.start", "load.stop",
            "load.progress", "send", "record.status", "cancel", "trace.dump", "trace.reset",
            "events", "dose.record", "dose.withdraw", "dose.correct",
            "dose.resolve", "dose.export", "dose.import", "clock.set", "quit",
        ] + packetCommands + storeCommands + pairingCommands

    /// What needs a device to speak with.
    private static let commandsTogether = [
        "link.open", "link.close", "load.start", "send", "record.status", "cancel",
    ]

    /// Refuses what needs a device to speak with where there is none.
    private func checkPaired(_ command: String) throws(ControlError) {
        let needsPairing =
            Self.commandsTogether.contains(command)
            || application.commands.contains(command)
                && !application.commandsAlone.contains(command)
        guard needsPairing else { return }
        if life.withLock({ $0.desk != nil }) {
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
        try checkPaired(request.command)
        switch request.command {
        case "status": return status
        case "link.open": return try openLink(request)
        case "link.close": return try closeLink(request)
        case "events":
            observer.isAskedQuiet.store(
                !(try request.flag("records", default: true)), ordering: .relaxed)
            return JSONObject()
        case "wait":
            let condition = try EventCondition(request)
            let known = EventNames.all(of: application.role)
            guard known.contains(condition.event) else {
                let other = application.role.counterpart
                let isThere = EventNames.all(of: other).contains(condition.event)
                throw .unknownEvent(
                    condition.event, known: known, elsewhere: isThere ? "\(other)" : nil)
            }
            try hub.wait(request.id, condition)
            return nil
        case "load.start": return try startLoad(request)
        case "load.stop":
            load.stop()
            return JSONObject()
        case "load.progress": return trace.loadProgress()
        case "send": return try send(request)
        case "record.status": return try recordStatus(request)
        case "dose.record": return try recordDoses(request)
        case "dose.withdraw": return try replaceDose(request, by: .withdraw)
        case "dose.correct": return try replaceDose(request, by: .correct)
        case "dose.resolve": return try replaceDose(request, by: .resolve)
        case "dose.export": return try exportDoses(request)
        case "dose.import": return try importDoses(request)
        case "clock.set": return try setClock(request)
        case "cancel": return try cancel(request)
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
        default:
            guard application.commands.contains(request.command) else {
                throw .unknownCommand(
                    request.command, known: Self.common + application.commands)
            }
            return try application.perform(request, in: self)
        }
    }

    private var status: JSONObject {
        let session = session
        return JSONValue.members([
            "activation": .string(session.activationState.controlName),
            "reachable": .bool(session.isReachable),
            "outstanding": .whole(session.outstandingTransfers.count),
            "epoch": epoch, "sealed": .bool(options.isSealed), "paired": .bool(isPaired),
            "pairing": pairing, "link": .string(link.description),
            "remaining_complication_transfers": .whole(session.remainingComplicationTransfers),
            "rtt_ns": session.roundTripTime.map { .whole($0.nanosecondsClamped) } ?? .null,
            "link_quality": session.linkQuality.map { .string("\($0)") } ?? .null,
            "doses": doses, "counters": counters(session.counters, session.peerCounters),
        ])
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

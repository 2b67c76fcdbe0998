public import ControlKit
internal import Synchronization
public import WatchProto
internal import WatchTransport

/// The commands of both devices.
extension Simulator {
    private static let common = [
        "status", "link.open", "link.close", "wait", "load.start", "load.stop", "send", "cancel",
        "trace.dump", "trace.reset", "events", "quit",
    ]

    /// Does a command.
    ///
    /// - Returns: what the reply says; nil when the reply follows later.
    /// - Throws: why it was refused.
    func perform(_ request: ControlRequest) throws(ControlError) -> JSONObject? {
        switch request.command {
        case "status": return status
        case "link.open": return try openLink()
        case "link.close": return try closeLink(request)
        case "events":
            ear.isAskedQuiet.store(
                !(try request.flag("records", default: true)), ordering: .relaxed)
            return JSONObject()
        case "wait":
            try hub.wait(request.id, EventCondition(request))
            return nil
        case "load.start": return try startLoad(request)
        case "load.stop":
            load.stop()
            return JSONObject()
        case "send": return try send(request)
        case "cancel": return try cancel(request)
        case "trace.dump":
            let after = try request.optionalInteger("after", in: 0...Int64(Int32.max)) ?? 0
            let limit = try request.optionalInteger("limit", in: 1...Int64(Trace.pageLimit))
            return trace.dump(after: Int(after), limit: Int(limit ?? Int64(Trace.pageLimit)))
        case "trace.reset":
            trace.reset()
            return JSONObject()
        case "quit": return JSONObject()
        default:
            guard application.commands.contains(request.command) else {
                throw .unknownCommand(
                    request.command, known: Self.common + application.commands)
            }
            return try application.perform(request, in: self)
        }
    }

    private var status: JSONObject {
        let driver = session.counters
        let peer = session.peerCounters
        return JSONValue.members([
            "activation": .string(session.activationState.controlName),
            "reachable": .bool(session.isReachable),
            "outstanding": .whole(session.outstandingTransfers.count),
            "epoch": .string(session.currentEpoch.hex),
            "link": .string(options.link.description),
            "remaining_complication_transfers": .whole(session.remainingComplicationTransfers),
            "rtt_ns": session.roundTripTime.map { .whole($0.nanosecondsClamped) } ?? .null,
            "counters": [
                "wake_ups": .whole(driver.wakeUps),
                "deadline_wake_ups": .whole(driver.deadlineWakeUps),
                "requested_wake_ups": .whole(driver.requestedWakeUps),
                "reads": .whole(driver.reads), "bytes_read": .whole(driver.bytesRead),
                "writes": .whole(driver.writes), "bytes_written": .whole(driver.bytesWritten),
                "partial_writes": .whole(driver.partialWrites),
                "links_opened": .whole(driver.linksOpened),
                "link_failures": .whole(driver.linkFailures),
                "refused_connections": .whole(driver.refusedConnections),
                "journal_batches": .whole(driver.journalBatches),
                "records_accepted": .whole(peer.recordsAccepted),
                "packets_sent": .whole(peer.packetsSent),
                "packets_received": .whole(peer.packetsReceived),
                "packets_dropped": .whole(peer.packetsDropped),
                "packets_repeated": .whole(peer.packetsRepeated),
                "frames_resent": .whole(peer.framesResent),
                "complications_gathered": .whole(peer.complicationsGathered),
                "complications_equal": .whole(peer.complicationsEqual),
            ],
        ])
    }

    private func openLink() throws(ControlError) -> JSONObject {
        do throws(LinkError) {
            try session.activate()
            tellActivation()
            return JSONObject()
        } catch {
            throw ControlError("link_unavailable", ["detail": .string("\(error)")])
        }
    }

    /// Gracefully, or (`abrupt`) as a radio that goes out of range; either way the link stays closed
    /// on this side until `link.open`.
    private func closeLink(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        if try request.flag("abrupt", default: false) { session.cutLink() }
        session.deactivate()
        tellActivation()
        return JSONObject()
    }

    /// The peer tells when a session with the counterpart begins and ends, not whether one is wanted.
    func tellActivation() {
        hub.tellState(
            "activation", ["state": .string(session.activationState.controlName)])
    }

    private func startLoad(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let plan = try LoadPlan(request, kinds: application.loadKinds, seed: options.seed)
        try application.prepareLoad(plan)
        guard !load.isRunning else { throw ControlError("load_running") }
        ear.isLoadQuiet.store(!plan.tellsEvents, ordering: .relaxed)
        let isStarted = load.start(plan) { shot throws(SendRefusal) in
            if shot.kind == "message" {
                try self.sendMessage(shot)
            } else {
                try self.application.fire(shot, in: self)
            }
        } done: { outcome in
            self.ear.isLoadQuiet.store(false, ordering: .relaxed)
            self.hub.post("load.done", outcome.value)
        }
        guard isStarted else { throw ControlError("load_running") }
        return JSONValue.members([
            "seed": .whole(plan.seed), "arrivals": .string(plan.arrivals.rawValue),
        ])
    }

    private func send(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let kinds = ["message", "user_info", "context", "complication", "file"]
        let word = try request.string("kind", expected: kinds.joined(separator: " or "))
        let payload = try request.bytes("payload_b64")
        let key = try self.key(request)
        let draft: RecordDraft
        switch word {
        case "message":
            draft = RecordDraft(
                lane: .interactive, kind: .message, payload: payload,
                expectsReply: try request.flag("expects_reply", default: true))
        case "user_info":
            draft = RecordDraft(lane: .background, kind: .userInfo, payload: payload)
        case "context":
            draft = RecordDraft(
                lane: .context, kind: .applicationContext, key: key ?? RecordKey(rawValue: 0),
                payload: payload)
        case "complication":
            draft = RecordDraft(
                lane: .complication, kind: .complication,
                key: key ?? ComplicationID.main.recordKey, payload: payload)
        case "file": draft = RecordDraft(lane: .bulk, kind: .file, payload: payload)
        default:
            throw .badField("kind", expected: kinds.joined(separator: " or "), found: word)
        }
        do throws(SendRefusal) {
            let id = try send(draft, SendOrigin(draft.kind, key: draft.key, payload: payload))
            return id.controlMembers
        } catch {
            throw error.controlError
        }
    }

    private func key(_ request: ControlRequest) throws(ControlError) -> RecordKey? {
        let expected = "up to 32 hexadecimal digits"
        guard let text = try request.optionalString("key", expected: expected) else { return nil }
        guard let value = UInt128(text, radix: 16), text.utf8.count <= 32 else {
            throw .badField("key", expected: expected, found: "another text")
        }
        return RecordKey(rawValue: value)
    }

    private func cancel(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let number = try request.integer("msg", in: 1...Int64.max)
        let lanes = Lane.allCases.map(\.description)
        let word = try request.string("lane", expected: lanes.joined(separator: " or "))
        guard let lane = Lane.allCases.first(where: { $0.description == word }) else {
            throw .badField("lane", expected: lanes.joined(separator: " or "), found: word)
        }
        var epoch = session.currentEpoch
        if let text = try request.optionalString("epoch", expected: "16 hexadecimal digits") {
            guard let value = UInt64(text, radix: 16) else {
                throw .badField("epoch", expected: "16 hexadecimal digits", found: "another text")
            }
            epoch = EpochID(rawValue: value)
        }
        session.cancel(RecordID(epoch: epoch, lane: lane, number: RecordNumber(UInt64(number))))
        return JSONObject()
    }
}

extension RecordID {
    /// A record's identity in a reply.
    public var controlMembers: JSONObject {
        JSONValue.members([
            "msg": .whole(number.rawValue), "lane": .string(lane.description),
            "epoch": .string(epoch.hex),
        ])
    }
}

extension SendRefusal {
    /// Why a record was not taken, as the reply to a command.
    public var controlError: ControlError {
        switch self {
        case .tooLarge(let bytes, let limit):
            ControlError(
                controlName, ["bytes": .whole(bytes), "limit_bytes": .whole(limit)])
        case .queueFull(let records): ControlError(controlName, ["records": .whole(records)])
        default: ControlError(controlName)
        }
    }
}

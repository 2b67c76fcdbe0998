internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoTransport

/// The ends of messages, and the command `reply`.
extension Simulator {
    /// Tells how a message ended: by its reply, or without one. An unknown outcome is durable
    /// before that.
    func ended(
        _ id: RecordID, _ result: Result<[UInt8], DeliveryFailure>, after begun: Instant,
        expectsReply: Bool
    ) async {
        let end: MessageTable.CallEnd =
            switch result {
            case .success: .reply
            case .failure(.outcomeUnknown): .unknown
            case .failure: .other
            }
        let isLearnt = await observer.messageTable.ended(id, end)
        let now = SystemClock.now
        if isLearnt { observer.tell(id, .applied, at: now) }
        var members = id.controlMembers
        switch result {
        case .success(let reply):
            // The reply may have come over a later link than that of the message.
            observer.messages.learnt(id, .applied)
            guard expectsReply else { return }
            trace.replied(to: id.number, at: now)
            members["rtt_ns"] = .whole(begun.duration(to: now).nanosecondsClamped)
            for member in ControlPayload.members(of: reply).members {
                members[member.name] = member.value
            }
            hub.post("message.replied", .object(members), at: now)
        case .failure(let failure):
            failure.add(to: &members)
            hub.post("message.failed", .object(members), at: now)
        }
    }

    /// Answers a message that `message.arrived` told, in the session that it came in.
    func reply(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let number = RecordNumber(UInt64(try request.integer("msg", in: 1...Int64.max)))
        let epoch = try request.epoch()
        let payload = try request.payload()
        guard let message = observer.messages.unanswered(number, epoch) else {
            throw ControlError(
                "no_such_message",
                ["expected": "one that expects a reply and came while 'echo' was off"])
        }
        guard let asked = session(with: message.pairing) else { throw notActive(message.pairing) }
        let draft = RecordDraft(replyTo: message.id, kind: message.kind, payload: payload)
        let origin = SendOrigin(draft.kind, payload: payload)
        do throws(SendRefusal) {
            let id = try asked.replyOverLinks(draft) { id, now in
                accepted(id, origin, at: now)
            }
            observer.messages.answered(message)
            return id.controlMembers
        } catch {
            throw error.controlError
        }
    }
}

extension DeliveryFailure {
    /// Adds the outcome and its cause to an event.
    fileprivate func add(to members: inout JSONObject) {
        let (outcome, cause) =
            switch self {
            case .notDelivered(let cause), .permanent(let cause): ("not_delivered", cause)
            case .outcomeUnknown(let cause): ("outcome_unknown", cause)
            }
        members["outcome"] = .string(outcome)
        members["cause"] = .string(cause.controlName)
        if case .rejected(let code) = cause { members["code"] = .whole(code) }
    }
}

extension DeliveryFailure.Cause {
    /// The cause in one word.
    var controlName: String {
        switch self {
        case .refused(let refusal): refusal.controlName
        case .rejected: "rejected"
        case .timedOut: "timed_out"
        case .linkLost: "link_lost"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .superseded: "superseded"
        case .sessionClosed: "session_closed"
        }
    }
}

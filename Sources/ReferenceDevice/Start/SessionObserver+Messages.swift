internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The messages of the other device, and the outcomes of own ones.
extension SessionObserver {
    /// Keeps the identity of a message, and answers it with its own bytes or keeps it for the
    /// command `reply`.
    func take(
        message: InboundRecord, _ pairing: PairingID?, later: inout DeferredInputs
    ) -> Arrival {
        if message.kind == .request, let request = try? AppRequest(message.payload),
            request.capability == PictureMessage.capability
        {
            return answer(request, message, pairing, later: &later)
        }
        let request = message.kind == .request ? exchanges.app.request(message) : nil
        if message.kind == .request, request == nil {
            return Arrival(.rejected(code: AppRequest.unknownCapability))
        }
        let content = request?.body ?? message.payload
        for write in messageTable.giving(message.id, in: pairing ?? Simulator.pairing) {
            later.write(write)
        }
        if message.expectsReply, messages.echoes.load(ordering: .relaxed) {
            later.send(
                RecordDraft(replyTo: message.id, kind: message.kind, payload: content),
                tag: Self.echoTag)
        } else if message.expectsReply {
            messages.received(
                MessageBook.Received(id: message.id, kind: message.kind, pairing: pairing))
        }
        return Arrival(.applied, event: "message.arrived") {
            var members = message.id.controlMembers
            members["expects_reply"] = .bool(message.expectsReply)
            members["capability"] = request.map { .string($0.capability) } ?? .null
            for member in ControlPayload.members(of: content).members {
                members[member.name] = member.value
            }
            return .object(members)
        }
    }

    /// Answers a message about pictures, which no client hears of.
    private func answer(
        _ request: AppRequest, _ message: InboundRecord, _ pairing: PairingID?,
        later: inout DeferredInputs
    ) -> Arrival {
        guard let asked = PictureMessage.Request(request.body), message.expectsReply,
            let reply = application.answer(asked, pairing)
        else { return Arrival(.rejected(code: AppRequest.unknownCapability)) }
        later.send(
            RecordDraft(replyTo: message.id, kind: message.kind, payload: reply.bytes),
            tag: Self.echoTag)
        return Arrival(.applied)
    }

    /// Receives a record of the other library: perhaps a question about messages, or an answer,
    /// which settles them.
    func learn(
        _ record: InboundRecord, _ exchange: MessageExchange, at now: Instant,
        later: inout DeferredInputs
    ) {
        exchange.received(record, later: &later) { id, outcome in
            if !isQuiet { tell(id, Outcome(outcome), at: now) }
        }
    }

    /// Tells the end of an own record.
    func tell(_ id: RecordID, _ outcome: Outcome, at now: Instant) {
        var members = id.controlMembers
        members["outcome"] = .string(outcome.controlName)
        if case .rejected(let code) = outcome { members["code"] = .whole(code) }
        hub.post("record.settled", .object(members), at: now)
    }
}

extension Outcome {
    /// The outcome of a message, as far as it was learnt.
    init(_ outcome: TransferOutcome) {
        self =
            switch outcome {
            case .reached: .applied
            case .notApplied(.superseded): .superseded
            case .notApplied(.cancelled): .cancelled
            case .notApplied(.expired): .expired
            case .notApplied(.rejected(let rejection)): .rejected(code: rejection.code)
            case .notApplied(.notDelivered): .notDelivered
            case .unknown: .outcomeUnknown
            }
    }
}

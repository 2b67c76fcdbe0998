internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The commands `record.status`, `cancel` and `outstanding`.
extension Simulator {
    /// The knowledge of a record.
    private struct Known {
        var status: RecordStatus
        /// The session that it is in; nil where there is none.
        var session: (any SimulatorSession)?
        /// The watch that it was sent to, where that is not the active one.
        var pairing: PairingID?

        /// The members of a reply.
        var members: JSONObject {
            var object = status.controlMembers
            if let pairing { object["pairing"] = .string(pairing.hex) }
            return object
        }
    }

    func recordStatus(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        try known(try recordID(request)).members
    }

    /// Cancels a record that does not count yet. The reply says what is known of it then.
    func cancel(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let id = try recordID(request)
        let before = try known(id)
        guard case .underWay = before.status else { return before.members }
        guard let session = before.session else { throw notActive(before.pairing) }
        if cancel(id, in: session) { try keep() }
        return try known(id).members
    }

    /// The knowledge of a record: of the messages that have an outcome, of the session, of those
    /// with other watches, of messages without an outcome, and of the journals of watches without a
    /// session.
    private func known(_ id: RecordID) throws(ControlError) -> Known {
        let (session, active, further) = life.withLock {
            ($0.session, $0.device?.pairing, $0.further)
        }
        let kept = observer.messageTable.outcome(of: id).map { Outcome($0) }
        let ended = [observer.messages.outcome(of: id), kept].compactMap(\.self)
        // The session that lost a message with its link does not hear of its later end.
        if let learnt = ended.first(where: { $0 != .outcomeUnknown && $0 != .unknown }) {
            return Known(status: .settled(learnt))
        }
        let status = session.status(of: id)
        if status != .unknown { return Known(status: status, session: session) }
        for (pairing, other) in further {
            let status = other.session.status(of: id)
            if status != .unknown {
                return Known(status: status, session: other.session, pairing: pairing)
            }
        }
        if let outcome = ended.first { return Known(status: .settled(outcome)) }
        do {
            for device in options.isSealed ? try storage.paired() : [] {
                let pairing = device.pairing
                guard pairing != active, further[pairing] == nil else { continue }
                let status = try storage.statuses(of: [id], under: pairing)[0]
                if status != .unknown { return Known(status: status, pairing: pairing) }
            }
        } catch {
            throw .journalFailed("\(error)", outcome: "nothing")
        }
        throw ControlError(
            "no_such_record",
            ["expected": "a record that this side sent, and knows still; 'epoch' names its opening"]
        )
    }

    /// A page of the records that are not settled, channel by channel, oldest first.
    func listOutstanding(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let after = Int(try request.optionalInteger("after", in: 0...Int64(Int32.max)) ?? 0)
        let limit = Int(try request.optionalInteger("limit", in: 1...1000) ?? 1000)
        let (open, pairing) = try sessionNamed(request)
        let ids: [RecordID]
        do {
            ids =
                try open?.outstandingTransfers
                ?? storage.undelivered(to: pairing ?? Self.unpaired).map(\.id)
        } catch {
            throw .journalFailed("\(error)", outcome: "nothing")
        }
        let page = ids.dropFirst(after).prefix(limit).map { id -> JSONValue in
            var members = id.controlMembers
            // A record that only the journal holds is queued.
            let status = open?.status(of: id) ?? .underWay(.queued)
            for member in status.controlMembers.members { members[member.name] = member.value }
            return .object(members)
        }
        return JSONValue.members([
            "count": .whole(ids.count), "records": .array(page),
            "next": after + limit < ids.count ? .whole(after + limit) : .null,
        ])
    }

    /// The session with the watch that a command names, or with the active device; nil where a
    /// watch has none.
    private func sessionNamed(
        _ request: ControlRequest
    ) throws(ControlError) -> (session: (any SimulatorSession)?, pairing: PairingID?) {
        guard let device = try namedWatch(request) else { return (session, nil) }
        return (session(with: device.pairing), device.pairing)
    }

    /// The session of a pairing, or without sealing the only one; nil where a watch has none.
    func session(with pairing: PairingID?) -> (any SimulatorSession)? {
        life.withLock { life in
            if life.device?.pairing == pairing { return life.session }
            return pairing.flatMap { life.further[$0]?.session }
        }
    }

    /// A command needs a session with a watch that has none.
    func notActive(_ pairing: PairingID?) -> ControlError {
        ControlError(
            "not_active",
            [
                "expected": "a link with its watch: 'pair.activate' or 'link.open'",
                "pairing": pairing.map { .string($0.hex) } ?? .null,
            ])
    }
}

extension RecordStatus {
    /// The status of a record, in a reply: whether the other application took it over, and beside
    /// that how far it is, or how it ended.
    var controlMembers: JSONObject {
        var object = JSONObject()
        object["applied"] = .string(isApplied.map { $0 ? "yes" : "no" } ?? "unknown")
        switch self {
        case .underWay(let stage): object["stage"] = .string(stage.controlName)
        case .settled(let outcome):
            object["outcome"] = .string(outcome.controlName)
            if case .rejected(let code) = outcome { object["code"] = .whole(code) }
        case .lostSince: object["lost_since"] = true
        case .unknown: break
        }
        return object
    }

    /// Whether the counterpart's application took the record over; nil where nobody knows.
    private var isApplied: Bool? {
        switch self {
        case .underWay(let stage): stage == .applied ? true : nil
        case .settled(.applied): true
        case .settled(.superseded), .settled(.unknown), .settled(.outcomeUnknown), .lostSince,
            .unknown:
            nil
        case .settled: false
        }
    }
}

extension ControlRequest {
    /// The epoch that a command names; nil if it names none.
    func epoch() throws(ControlError) -> EpochID? {
        let expected = "16 hexadecimal digits"
        guard let text = try optionalString("epoch", expected: expected) else { return nil }
        guard let value = UInt64(text, radix: 16) else {
            throw .badField("epoch", expected: expected, found: "another text")
        }
        return EpochID(rawValue: value)
    }
}

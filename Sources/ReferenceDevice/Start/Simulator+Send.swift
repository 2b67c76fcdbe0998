package import ControlProtocol
package import WatchProto
internal import WatchProtoTransport

/// The commands `send`, `record.status` and `cancel`.
extension Simulator {
    func send(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let kinds = ["message", "user_info", "context", "complication", "file"]
        let word = try request.string("kind", expected: kinds.joined(separator: " or "))
        let payload = try request.bytes("payload_b64")
        let key = try self.key(request)
        var draft: RecordDraft
        switch word {
        case "message":
            draft = RecordDraft(
                channel: .interactive, kind: .message, payload: payload,
                expectsReply: try request.flag("expects_reply", default: true))
        case "user_info":
            draft = RecordDraft(channel: .background, kind: .userInfo, payload: payload)
        case "context":
            draft = RecordDraft(
                channel: .context, kind: .applicationContext, key: key ?? RecordKey(rawValue: 0),
                payload: payload)
        case "complication":
            draft = RecordDraft(
                channel: .complication, kind: .complication,
                key: key ?? ComplicationID.main.recordKey, payload: payload)
        case "file": draft = RecordDraft(channel: .bulk, kind: .file, payload: payload)
        default:
            throw .badField("kind", expected: kinds.joined(separator: " or "), found: word)
        }
        draft.expiresAt = try expiry(request)
        let count = Int(try request.optionalInteger("count", in: 1...5000) ?? 1)
        let origin = SendOrigin(draft.kind, key: draft.key, payload: payload)
        let id: RecordID
        var sent = 1
        do throws(SendRefusal) {
            var newest = try send(draft, origin)
            while sent < count, let next = try? send(draft, origin) {
                newest = next
                sent += 1
            }
            id = newest
        } catch {
            throw error.controlError
        }
        if draft.channel.traits.isDurable { try keep() }
        var object = id.controlMembers
        if count > 1 { object["sent"] = .whole(sent) }
        if let moment = draft.expiresAt { object["expires_at_ms"] = .whole(moment.milliseconds) }
        return object
    }

    /// When the record loses its worth; never without the field.
    private func expiry(_ request: ControlRequest) throws(ControlError) -> WallTime? {
        let longest: Int64 = 10 * 366 * 86_400_000
        guard let wait = try request.optionalInteger("expires_in_ms", in: 1...longest) else {
            return nil
        }
        return WallTime(milliseconds: SystemClock.wall.time.milliseconds + wait)
    }

    private func key(_ request: ControlRequest) throws(ControlError) -> RecordKey? {
        let expected = "up to 32 hexadecimal digits"
        guard let text = try request.optionalString("key", expected: expected) else { return nil }
        guard let value = UInt128(text, radix: 16), text.utf8.count <= 32 else {
            throw .badField("key", expected: expected, found: "another text")
        }
        return RecordKey(rawValue: value)
    }

    func cancel(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        session.cancel(try recordID(request))
        return JSONObject()
    }

    func recordStatus(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        session.status(of: try recordID(request)).controlMembers
    }

    /// A record of this side; without an epoch, of this opening.
    private func recordID(_ request: ControlRequest) throws(ControlError) -> RecordID {
        let number = try request.integer("msg", in: 1...Int64.max)
        let names = Channel.allCases.map(\.controlName)
        let word = try request.string("lane", expected: names.joined(separator: " or "))
        guard let channel = Channel.allCases.first(where: { $0.controlName == word }) else {
            throw .badField("lane", expected: names.joined(separator: " or "), found: word)
        }
        var epoch = session.currentEpoch
        if let text = try request.optionalString("epoch", expected: "16 hexadecimal digits") {
            guard let value = UInt64(text, radix: 16) else {
                throw .badField("epoch", expected: "16 hexadecimal digits", found: "another text")
            }
            epoch = EpochID(rawValue: value)
        }
        return RecordID(epoch: epoch, channel: channel, number: RecordNumber(UInt64(number)))
    }
}

extension RecordID {
    /// A record's identity in a reply.
    package var controlMembers: JSONObject {
        JSONValue.members([
            "msg": .whole(number.rawValue), "lane": .string(channel.controlName),
            "epoch": .string(epoch.hex),
        ])
    }
}

extension RecordStatus {
    /// What became of a record, in a reply: whether the other application took it over, and beside
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

extension SendRefusal {
    /// Why a record was not taken, as the reply to a command.
    package var controlError: ControlError {
        switch self {
        case .tooLarge(let bytes, let limit):
            ControlError(
                controlName, ["bytes": .whole(bytes), "limit_bytes": .whole(limit)])
        case .setTooLarge(let limit):
            ControlError(controlName, ["limit_bytes": .whole(limit)])
        case .tooManyKeys(let limit): ControlError(controlName, ["limit": .whole(limit)])
        case .queueFull(let records): ControlError(controlName, ["records": .whole(records)])
        default: ControlError(controlName)
        }
    }
}

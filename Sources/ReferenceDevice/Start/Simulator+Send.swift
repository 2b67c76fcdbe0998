package import ControlProtocol
internal import Locks
package import WatchProto
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The command `send`.
extension Simulator {
    private static let kinds = ["message", "user_info", "context", "complication", "file"]

    /// The time that a message waits for its reply where none is given.
    private static let usualTimeout: Int64 = 10_000

    func send(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let kinds = Self.kinds.joined(separator: " or ")
        let kind = try request.string("kind", expected: kinds)
        guard Self.kinds.contains(kind) else {
            throw .badField("kind", expected: kinds, found: kind)
        }
        if kind == "file" { return try sendFile(request) }
        guard (request.fields["path"] ?? .null).isNull else {
            throw .badField("path", expected: "kind 'file'", found: "kind '\(kind)'")
        }
        var draft = try draft(request, kind)
        draft.expiresAt = try expiry(request)
        draft.idempotencyKey = try key("idempotency_key", request)?.rawValue
        let count = Int(try request.optionalInteger("count", in: 1...5000) ?? 1)
        guard count == 1 || draft.idempotencyKey == nil else {
            throw .badField(
                "count", expected: "1 beside 'idempotency_key'", found: "\(count)")
        }
        let isPartial = try request.flag("partial", default: false)
        let timeout = try timeout(request, draft)
        // The record of this idempotency key, where one is under way.
        let former = draft.idempotencyKey == nil ? [] : Set(session.outstandingTransfers)
        let batch = send(draft, count, isPartial, timeout, former)
        guard let id = batch.accepted.last else {
            throw (batch.refusal ?? .notReachable).controlError
        }
        if draft.channel.traits.isDurable {
            do throws(ControlError) {
                try keep()
            } catch {
                throw error.naming(id)
            }
        }
        var object = id.controlMembers
        if count > 1 { object["sent"] = .whole(batch.accepted.count) }
        if isPartial {
            object["records"] = .array(batch.accepted.map { .object($0.controlMembers) })
        }
        if former.contains(id) { object["repeated"] = true }
        if let moment = draft.expiresAt { object["expires_at_ms"] = .whole(moment.milliseconds) }
        return object
    }

    /// The record that the fields `priority`, `key` and the content ask for.
    private func draft(
        _ request: ControlRequest, _ word: String
    ) throws(ControlError) -> RecordDraft {
        let payload = try request.payload()
        let key = try key("key", request)
        let priority = try priority(request, word)
        switch word {
        case "message":
            let capability = try capability(request)
            return RecordDraft(
                channel: .interactive, kind: capability == nil ? .message : .request,
                payload: capability.map { AppRequest(to: $0, payload).bytes } ?? payload,
                expectsReply: try request.flag("expects_reply", default: true))
        case "user_info":
            return RecordDraft(
                channel: priority.orderedChannel, kind: .userInfo, payload: payload,
                isUrgent: priority == .high)
        case "context":
            return RecordDraft(
                channel: .context, kind: .applicationContext, key: key ?? RecordKey(rawValue: 0),
                payload: payload, isUrgent: priority == .high)
        default:
            return RecordDraft(
                channel: .complication, kind: .complication,
                key: key ?? ComplicationID.main.recordKey, payload: payload)
        }
    }

    /// The capability that a message asks for.
    private func capability(_ request: ControlRequest) throws(ControlError) -> String? {
        guard let name = try request.optionalString("capability") else { return nil }
        let known = app.theirs?.capabilities ?? []
        guard known.contains(name) else {
            throw ControlError(
                "no_such_capability",
                ["got": .string(name), "known": .array(known.sorted().map { .string($0) })])
        }
        return name
    }

    /// How soon the record leaves. One of low priority goes into the bulk channel.
    private func priority(
        _ request: ControlRequest, _ kind: String
    ) throws(ControlError) -> TransferPriority {
        let expected = "'normal', for context and user_info 'high', or for user_info 'low'"
        let word = try request.optionalString("priority", expected: expected) ?? "normal"
        switch word {
        case "normal": return .normal
        case "high" where ["context", "user_info"].contains(kind): return .high
        case "low" where kind == "user_info": return .low
        default: throw .badField("priority", expected: expected, found: word)
        }
    }

    private func timeout(
        _ request: ControlRequest, _ draft: RecordDraft
    ) throws(ControlError) -> Duration {
        let longest = EventCondition.longestMilliseconds
        let asked = try request.optionalInteger("timeout_ms", in: 1...longest)
        guard asked == nil || draft.channel == .interactive else {
            throw .badField(
                "timeout_ms", expected: "a message; other records have 'expires_in_ms'",
                found: "another kind")
        }
        return .milliseconds(asked ?? Self.usualTimeout)
    }

    /// When the record loses its worth; never without a field.
    func expiry(_ request: ControlRequest) throws(ControlError) -> WallTime? {
        let longest: Int64 = 10 * 366 * 86_400_000
        let wait = try request.optionalInteger("expires_in_ms", in: 1...longest)
        let moment = try request.optionalInteger("expires_at_ms", in: 0...Int64.max)
        guard let wait else { return moment.map { WallTime(milliseconds: $0) } }
        guard moment == nil else {
            throw .badField(
                "expires_at_ms", expected: "'expires_in_ms' or 'expires_at_ms'", found: "both")
        }
        return WallTime(milliseconds: SystemClock.wall.time.milliseconds + wait)
    }

    func key(
        _ field: String, _ request: ControlRequest
    ) throws(ControlError) -> RecordKey? {
        let expected = "up to 32 hexadecimal digits"
        guard let text = try request.optionalString(field, expected: expected) else { return nil }
        guard let value = UInt128(text, radix: 16), text.utf8.count <= 32 else {
            throw .badField(field, expected: expected, found: "another text")
        }
        return RecordKey(rawValue: value)
    }

    /// Sends equal records; the end of a message is told in an event.
    private func send(
        _ draft: RecordDraft, _ count: Int, _ isPartial: Bool, _ timeout: Duration,
        _ former: Set<RecordID>
    ) -> TransferBatch {
        let drafts = Array(repeating: draft, count: count)
        let origin = SendOrigin(draft.kind, key: draft.key, payload: draft.payload)
        let accepted = { [self] (_: Int, id: RecordID, now: Instant) in
            if !former.contains(id) { self.accepted(id, origin, at: now) }
        }
        guard draft.channel == .interactive else {
            return session.transfer(
                drafts, isPartial: isPartial, writes: { _ in [] }, accepted: accepted)
        }
        let begun = SystemClock.now
        let (active, pairing) = life.withLock { life in
            (life.session, life.device?.pairing ?? Self.pairing)
        }
        let receiver = active.counterpartEpoch
        return active.messages(
            drafts, isPartial: isPartial, timeout: timeout, outlivesLink: true,
            accepted: { place, id, now in
                if !former.contains(id) {
                    observer.messageTable.accepted(id, in: pairing, to: receiver)
                }
                accepted(place, id, now)
            },
            ended: { [self] id, result in
                await ended(id, result, after: begun, expectsReply: draft.expectsReply)
            })
    }
}

extension Simulator {
    /// A record of this side; without an epoch, of this opening.
    func recordID(_ request: ControlRequest) throws(ControlError) -> RecordID {
        let number = try request.integer("msg", in: 1...Int64.max)
        let names = Channel.allCases.map(\.controlName)
        let word = try request.string("channel", expected: names.joined(separator: " or "))
        guard let channel = Channel.allCases.first(where: { $0.controlName == word }) else {
            throw .badField("channel", expected: names.joined(separator: " or "), found: word)
        }
        let epoch = try request.epoch() ?? session.currentEpoch
        return RecordID(epoch: epoch, channel: channel, number: RecordNumber(UInt64(number)))
    }
}

extension RecordID {
    /// A record's identity in a reply.
    package var controlMembers: JSONObject {
        JSONValue.members([
            "msg": .whole(number.rawValue), "channel": .string(channel.controlName),
            "epoch": .string(epoch.hex),
        ])
    }

    /// The names of these members.
    static let controlNames = ["msg", Channel.controlField, "epoch"]
}

extension Channel {
    /// The name of a channel's field.
    static let controlField = "channel"
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
        case .journalFailed: ControlError(controlName, ["outcome": "nothing"])
        default: ControlError(controlName)
        }
    }
}

import WatchProtoCore
import WatchProtoRecords

/// The applications: their requests to their peers, and their answers to records.
extension World {
    // MARK: Acts

    func act(_ act: Scenario.Act) {
        pendingActs -= 1
        let node = nodes[act.side]
        guard node.process != nil else { return }
        switch act.what {
        case .send(let channel, let bytes, let key, let expiresAfter):
            var draft = RecordDraft(
                channel: channel, kind: kind(of: channel),
                key: key.map { RecordKey(rawValue: UInt128($0)) },
                payload: payload(bytes))
            if let expiresAfter {
                let millis = expiresAfter.nanosecondsClamped / 1_000_000
                let time = wallClock(of: node).time.milliseconds + millis
                draft.expiresAt = WallTime(milliseconds: time)
            }
            draft.waitsForCommit = act.waitsForCommit
            send(draft, from: node)
        case .message(let bytes, let expectsReply):
            send(
                RecordDraft(
                    channel: .interactive, kind: .message, payload: payload(bytes),
                    expectsReply: expectsReply), from: node)
        case .complication(let key, let value):
            send(
                RecordDraft(
                    channel: .complication, kind: .complication,
                    key: RecordKey(rawValue: UInt128(key)),
                    payload: Payloads.complication(value)), from: node)
        case .medication(let number, let change):
            changeMedication(number, by: change, on: node, act)
        case .remove(let number): removeMedication(number, on: node, act)
        case .synchronize(let numbers, let changed): synchronize(numbers, changed, on: node)
        case .once(let channel, let bytes, let key):
            var draft = RecordDraft(
                channel: channel, kind: kind(of: channel), payload: payload(bytes))
            draft.idempotencyKey = UInt128(key)
            draft.waitsForCommit = act.waitsForCommit
            node.intents.append(Intent(key: key, draft: draft))
            attempt(node.intents.count - 1, on: node)
        case .again(let key):
            guard let index = node.intents.firstIndex(where: { $0.key == key }) else { return }
            attempt(index, on: node)
        case .cancel(let back):
            guard back < node.accepted.count else { return }
            let id = node.accepted[node.accepted.count - 1 - back]
            trace.record(.cancel, at: now, side: node.side, id.number.rawValue, 0, "\(id)")
            show(.cancelAsked(id), side: node.side)
            node.process?.peer.cancel(id, at: now)
            drain(node)
        case .suspend(let length):
            suspend(node, length)
        }
    }

    /// Asks for something to be done, for the first time or again.
    private func attempt(_ index: Int, on node: Node) {
        guard let id = send(node.intents[index].draft, from: node) else { return }
        if !node.intents[index].ids.contains(id) { node.intents[index].ids.append(id) }
    }

    /// After a restart the person asks again for what has not been said to be over.
    func attemptAgain(_ node: Node) {
        let life = node.life
        for index in node.intents.indices where !node.intents[index].isOver {
            guard node.life == life, node.process != nil else { return }
            attempt(index, on: node)
        }
    }

    /// The application hears how a record ended.
    func hear(_ outcome: Outcome, of id: RecordID, on node: Node) {
        switch outcome {
        case .unknown, .outcomeUnknown, .notDelivered: return
        default: break
        }
        for index in node.intents.indices where node.intents[index].ids.contains(id) {
            node.intents[index].isOver = true
        }
    }

    @discardableResult
    func send(_ draft: RecordDraft, from node: Node) -> RecordID? {
        guard let process = node.process else { return nil }
        var accepted: RecordID?
        do {
            let former = draft.key.flatMap { process.peer.newestValue(draft.channel, $0)?.id }
            let id = try process.peer.send(mutated(draft, on: node), at: now)
            accepted = id
            if id == former {
                // Equal to the newest value of its key, it is that one.
                coverage.meet(.equalValue)
            } else if panel.isUnderWay(id, as: draft, of: node.side) {
                coverage.meet(.joinedByKey)
                show(.acceptedAgain(id, draft), side: node.side)
            } else {
                if draft.payload.isEmpty { coverage.meet(.emptyPayload) }
                if draft.waitsForCommit, process.peer.activationState == .activated {
                    coverage.meet(.waitedForCommit)
                }
                noteAccepted(id, draft, by: node)
            }
        } catch {
            if error == .notReachable { coverage.meet(.refusedNotReachable) }
            if error == .journalFailed { coverage.meet(.refusedJournalFailed) }
            trace.record(
                .refuse, at: now, side: node.side, UInt64(draft.channel.rawValue), 0,
                "\(draft.channel): \(error)")
            show(.refused(draft.channel, error), side: node.side)
        }
        drain(node)
        return accepted
    }

    /// The application hears that a record was accepted.
    func noteAccepted(_ id: RecordID, _ draft: RecordDraft, by node: Node) {
        node.accepted.append(id)
        if let key = draft.key { noteMedication(key, draft.kind, draft.payload, of: node) }
        trace.record(
            .accept, at: now, side: node.side, id.number.rawValue,
            UInt64(draft.channel.rawValue) << 32 | UInt64(draft.payload.count),
            "\(id.text), \(draft.payload.count) B\(draft.key.map { ", key \($0.rawValue)" } ?? "")")
        show(.accepted(id, draft), side: node.side)
    }

    private func suspend(_ node: Node, _ length: Duration) {
        guard !node.isSuspended else { return }
        node.isSuspended = true
        coverage.meet(.suspended)
        trace.record(.pause, at: now, side: node.side, 1, 0, "suspends")
        node.process?.peer.deactivate(.suspending, at: now)
        drain(node)
        events.add(.activate(side: node.side, life: node.life), at: now.advanced(by: length))
    }

    func activate(_ node: Node, _ life: Int) {
        guard node.life == life, node.isSuspended, let process = node.process else { return }
        node.isSuspended = false
        trace.record(.resume, at: now, side: node.side, 1, 0, "activates")
        process.peer.activate(at: now)
        drain(node)
    }

    func reply(_ node: Node, _ life: Int, _ number: RecordNumber) {
        guard node.life == life else { return }
        send(
            RecordDraft(
                channel: .interactive, kind: .message, payload: payload(24), inReplyTo: number),
            from: node)
    }

    // MARK: Payloads

    private func payload(_ count: Int) -> [UInt8] {
        payloadCount += 1
        return Payloads.numbered(payloadCount, count: count)
    }

    private func kind(of channel: Channel) -> ContentKind {
        switch channel {
        case .urgent: .doseEvent
        case .interactive: .message
        case .complication: .complication
        case .background, .bulk: .userInfo
        case .context: .applicationContext
        case .block: .opaque
        }
    }

    func wallClock(of node: Node) -> WallClock {
        let offset = (node.wallOffset.nanosecondsClamped + Int64(now.nanoseconds)) / 1_000_000
        return WallClock(time: WallTime(milliseconds: 1_800_000_000_000 + offset))
    }
}

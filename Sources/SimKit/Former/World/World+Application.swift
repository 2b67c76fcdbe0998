import WatchProto
import WatchProtoRecords

/// The applications: what they ask of their peers, and how they answer what they are given.
extension World {
    // MARK: Acts

    func act(_ act: Scenario.Act) {
        pendingActs -= 1
        let node = nodes[act.side]
        guard node.process != nil else { return }
        switch act.what {
        case .send(let lane, let bytes, let key, let expiresAfter):
            var draft = RecordDraft(
                lane: lane, kind: kind(of: lane), key: key.map { RecordKey(rawValue: UInt128($0)) },
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
                    lane: .interactive, kind: .message, payload: payload(bytes),
                    expectsReply: expectsReply), from: node)
        case .complication(let key, let value):
            update(RecordKey(rawValue: UInt128(key)), Payloads.complication(value), from: node)
        case .medication(let number, let change):
            changeMedication(number, by: change, on: node, act)
        case .remove(let number): removeMedication(number, on: node, act)
        case .synchronize(let numbers, let changed): synchronize(numbers, changed, on: node)
        case .once(let lane, let bytes, let key):
            var draft = RecordDraft(lane: lane, kind: kind(of: lane), payload: payload(bytes))
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
            // What a set that waits says of a key would count again; no application wants that.
            guard !node.isComparing || id.lane != .context else { return }
            trace.record(.cancel, at: now, side: node.side, id.number.rawValue, 0, "\(id)")
            show(.cancelAsked(id), side: node.side)
            node.process?.peer.cancel(id, at: now)
            drain(node)
        case .suspend(let length):
            suspend(node, length)
        }
    }

    /// Asks for something to be done, for the first time or again.
    private func attempt(_ index: Int, on node: Node<Security>) {
        guard let id = send(node.intents[index].draft, from: node) else { return }
        if !node.intents[index].ids.contains(id) { node.intents[index].ids.append(id) }
    }

    /// After a restart the person asks again for what has not been said to be over.
    func attemptAgain(_ node: Node<Security>) {
        let life = node.life
        for index in node.intents.indices where !node.intents[index].isOver {
            guard node.life == life, node.process != nil else { return }
            attempt(index, on: node)
        }
    }

    /// The application hears how a record ended.
    func hear(_ outcome: Outcome, of id: RecordID, on node: Node<Security>) {
        switch outcome {
        case .unknown, .outcomeUnknown, .notDelivered: return
        default: break
        }
        for index in node.intents.indices where node.intents[index].ids.contains(id) {
            node.intents[index].isOver = true
        }
    }

    @discardableResult
    func send(_ draft: RecordDraft, from node: Node<Security>) -> RecordID? {
        guard let process = node.process else { return nil }
        var accepted: RecordID?
        do {
            let id = try process.peer.send(sabotagedDraft(draft, on: node), at: now)
            accepted = id
            if panel.isUnderWay(id, under: draft, of: node.side) {
                coverage.meet(.joinedByKey)
                show(.acceptedAgain(id, draft), side: node.side)
                drain(node)
                return id
            }
            if draft.payload.isEmpty { coverage.meet(.emptyPayload) }
            if draft.waitsForCommit, process.peer.activationState == .activated {
                coverage.meet(.waitedForCommit)
            }
            if let key = draft.key {
                noteMedication(key, draft.kind, draft.payload, of: node)
                node.ownValues[id] = .own(
                    draft.lane, key, value: Payloads.fingerprint(draft.kind, draft.payload))
            }
            noteAccepted(id, draft, by: node)
        } catch {
            if error == .notReachable { coverage.meet(.refusedNotReachable) }
            if error == .journalFailed { coverage.meet(.refusedJournalFailed) }
            trace.record(
                .refuse, at: now, side: node.side, UInt64(draft.lane.rawValue), 0,
                "\(draft.lane): \(error)")
            show(.refused(draft.lane, error), side: node.side)
        }
        drain(node)
        return accepted
    }

    /// The application hears that a record was accepted.
    func noteAccepted(_ id: RecordID, _ draft: RecordDraft, by node: Node<Security>) {
        node.accepted.append(id)
        if canary == .holdBack, draft.expiresAt != nil { node.heldBackIDs.append(id) }
        trace.record(
            .accept, at: now, side: node.side, id.number.rawValue,
            UInt64(draft.lane.rawValue) << 32 | UInt64(draft.payload.count),
            "\(id), \(draft.payload.count) B\(draft.key.map { ", key \($0.rawValue)" } ?? "")")
        show(.accepted(id, draft), side: node.side)
    }

    func update(_ key: RecordKey, _ state: [UInt8], from node: Node<Security>) {
        guard let process = node.process else { return }
        do {
            try process.peer.updateComplication(key, state, at: now)
            trace.record(
                .accept, at: now, side: node.side, UInt64(truncatingIfNeeded: key.rawValue),
                ContentHash.of(state), "complication \(key.rawValue) := \(ContentHash.of(state))")
            show(.complicationAccepted(key, state), side: node.side)
        } catch {
            trace.record(.refuse, at: now, side: node.side, 1, 0, "complication: \(error)")
            show(.refused(.complication, error), side: node.side)
        }
        drain(node)
    }

    private func suspend(_ node: Node<Security>, _ length: Duration) {
        guard !node.isSuspended else { return }
        node.isSuspended = true
        coverage.meet(.suspended)
        trace.record(.pause, at: now, side: node.side, 1, 0, "suspends")
        node.process?.peer.deactivate(.suspending, at: now)
        drain(node)
        events.add(.activate(side: node.side, life: node.life), at: now.advanced(by: length))
    }

    func activate(_ node: Node<Security>, _ life: Int) {
        guard node.life == life, node.isSuspended, let process = node.process else { return }
        node.isSuspended = false
        trace.record(.resume, at: now, side: node.side, 1, 0, "activates")
        process.peer.activate(at: now)
        drain(node)
    }

    func reply(_ node: Node<Security>, _ life: Int, _ number: RecordNumber) {
        guard node.life == life else { return }
        send(
            RecordDraft(
                lane: .interactive, kind: .message, payload: payload(24), inReplyTo: number),
            from: node)
    }

    // MARK: Deliveries

    /// What the host of `node` does when its peer delivers.
    func deliver(_ record: InboundRecord, to node: Node<Security>) -> Disposition {
        if isSwallowed(record.id) { return .applied }
        return sabotagedDelivery(record, to: node)
            ?? show(withWrongBase(record, on: node), to: node)
    }

    /// The application sees `record` and answers.
    func show(_ record: InboundRecord, to node: Node<Security>) -> Disposition {
        let choice = LinkDraws.mixed(
            scenario.seed ^ ContentHash.of(record.payload) ^ record.id.number.rawValue)
        let disposition =
            scenario.isWritten
            ? Disposition.applied : Payloads.disposition(of: record, choice: choice)
        trace.record(
            .deliver, at: now, side: node.side, record.id.number.rawValue,
            ContentHash.of(record.payload) ^ UInt64(record.id.lane.rawValue),
            "\(record.id), \(record.payload.count) B: \(disposition)")
        meet(record, disposition)
        if node.bringsEarly { coverage.meet(.earlyBeforeActivation) }
        if plants(.takeUnopened) { show(.arrival(isOver: false), side: node.side) }
        show(.delivered(record, disposition), side: node.side)
        guard record.id.lane.traits.isDurable else {
            answer(record, disposition, node)
            return disposition
        }
        let value = sabotagedEffect(of: record, on: node)
        switch disposition {
        case .applied:
            node.unwritten.append(.effect(record.id, record.key, value: value))
        case .pending:
            // What is pending is given again after a restart; the disk may hold the note already.
            if !node.disk.application.undecided.contains(where: { $0.id == record.id }) {
                node.unwritten.append(.noted(record.id, record.key, value: value))
            }
            planDecision(
                ApplicationState.Note(id: record.id, key: record.key, value: value), node)
        case .rejected(let code):
            node.unwritten.append(.refusal(record.id, code: code))
        }
        answer(record, disposition, node)
        return disposition
    }

    private func answer(
        _ record: InboundRecord, _ disposition: Disposition, _ node: Node<Security>
    ) {
        guard record.expectsReply, disposition == .applied else { return }
        let wait = Duration.microseconds(Int64(record.id.number.rawValue % 50) * 1_000)
        events.add(
            .reply(side: node.side, life: node.life, record.id.number),
            at: now.advanced(by: wait))
    }

    func planDecision(_ note: ApplicationState.Note, _ node: Node<Security>) {
        let wait = Duration.milliseconds(
            Int64(LinkDraws.mixed(note.id.number.rawValue ^ scenario.seed) % 2_000))
        events.add(
            .decide(side: node.side, life: node.life, note), at: now.advanced(by: wait))
    }

    func decide(_ node: Node<Security>, _ life: Int, _ note: ApplicationState.Note) {
        let id = note.id
        guard node.life == life, let process = node.process else { return }
        let draw = LinkDraws.mixed(id.number.rawValue &+ scenario.seed)
        // A removal is never refused.
        let isApplied = note.value == 0 || draw % 5 > 0
        let disposition: Disposition = isApplied ? .applied : .rejected(code: 7)
        trace.record(
            .decide, at: now, side: node.side, id.number.rawValue, isApplied ? 1 : 0,
            "\(id): \(disposition)")
        coverage.meet(.appliedLater)
        show(.decided(id, disposition), side: node.side)
        if isApplied {
            node.unwritten.append(.effect(id, note.key, value: note.value))
            process.peer.applied(id, at: now)
        } else {
            node.unwritten.append(.refusal(id, code: 7))
            process.peer.rejected(id, code: 7, at: now)
        }
        drain(node)
    }

    // MARK: Events

    /// What the host of `node` does when its peer reports.
    func report(_ event: PeerEvent, from node: Node<Security>) {
        if isSwallowed(event) { return }
        trace.record(
            .event, at: now, side: node.side, Self.fingerprint(event), 0, "\(event)")
        meet(event)
        if case .progress(let id, .applied) = event {
            show(.heard(id, life: node.packetLife ?? node.sessionLife), side: node.side)
        }
        if case .settled(_, .expired) = event {
            for other in nodes { show(.wallClock(wallClock(of: other).time), side: other.side) }
        }
        if case .overdue = event, plants(.muteAlarm) { return }
        show(.event(event), side: node.side)
        if !sabotage.isEmpty { sabotagedReports(after: event, on: node) }
        switch event {
        case .linkWanted: wantLink(node)
        case .linkClosed: closeLink(node)
        case .settled(let id, let outcome): hear(outcome, of: id, on: node)
        case .handedBack(let lane, let key, let kind, let payload):
            // The application takes it over, in the transaction of the journal entry.
            noteMedication(key, kind, payload, of: node)
            node.unwritten.append(.own(lane, key, value: Payloads.fingerprint(kind, payload)))
        case .synchronized(.context, let result): synchronized(result, node)
        case .activation(let state):
            node.activations += 1
            if state == .activated { node.sessionLife = node.packetLife ?? node.sessionLife }
            if plants(.blameCounterpart) {
                show(.event(.counterpartChanged(.lostItsState)), side: node.side)
            }
        case .counterpartChanged(.lostItsState): node.givesUpQueue = true
        default: break
        }
    }

    /// A number for the digest: which event, of which record.
    private static func fingerprint(_ event: PeerEvent) -> UInt64 {
        func of(_ id: RecordID, _ kind: UInt64) -> UInt64 {
            LinkDraws.mixed(
                id.epoch.rawValue ^ id.number.rawValue &* 31 ^ UInt64(id.lane.rawValue) << 40
                    ^ kind << 48)
        }
        switch event {
        case .linkWanted: return 1
        case .linkClosed: return 2
        case .activation(let state): return 0x100 + UInt64(state.rawValue)
        case .reachability(let isReachable, let evidence):
            return 0x200 + UInt64(evidence.rawValue) * 2 + (isReachable ? 1 : 0)
        case .progress(let id, let stage): return of(id, 1 + UInt64(stage.rawValue))
        case .settled(let id, let outcome): return of(id, 16 + number(outcome))
        case .counterpartChanged(let change): return 0x300 + UInt64(change.rawValue)
        case .catchUp(let settled, let total): return 0x400 + UInt64(settled) << 32 + UInt64(total)
        case .remainingComplicationTransfers(let count): return 0x500 + UInt64(count)
        case .linkQuality(let quality): return 0x600 + UInt64(quality.rawValue)
        case .journalFailed: return 3
        case .overdue(let id, _): return of(id, 8)
        case .overdueEnded: return 4
        case .handedBack(let lane, let key, _, let payload):
            return LinkDraws.mixed(
                ContentHash.of(payload) ^ UInt64(truncatingIfNeeded: key.rawValue)
                    ^ UInt64(lane.rawValue) << 48)
        case .synchronized(let lane, let result):
            return 0x700 + UInt64(lane.rawValue) << 16 + UInt64(result.queued.count)
        case .synchronizeRefused(let lane, _): return 0x800 + UInt64(lane.rawValue)
        case .notice(let version, let code):
            return 0x600 + UInt64(version) << 8 + UInt64(code.rawValue)
        }
    }

    private static func number(_ outcome: Outcome) -> UInt64 {
        switch outcome {
        case .applied: 0
        case .superseded: 1
        case .cancelled: 2
        case .expired: 3
        case .rejected(let code): 16 + UInt64(code)
        case .unknown: 4
        case .outcomeUnknown: 5
        case .notDelivered: 6
        }
    }

    // MARK: Payloads

    private func payload(_ count: Int) -> [UInt8] {
        payloadCount += 1
        return Payloads.numbered(payloadCount, count: count)
    }

    private func kind(of lane: Lane) -> ContentKind {
        switch lane {
        case .interactive: .message
        case .complication: .complication
        case .background: .userInfo
        case .context: .applicationContext
        case .bulk: .file
        }
    }

    func wallClock(of node: Node<Security>) -> WallClock {
        let offset = (node.wallOffset.nanosecondsClamped + Int64(now.nanoseconds)) / 1_000_000
        // Numbers can come again only where openings do not differ by their stamps.
        let start: Int64 = canary == .numberReuse ? -1_000_000_000_000 : 1_800_000_000_000
        return WallClock(time: WallTime(milliseconds: start + offset))
    }
}

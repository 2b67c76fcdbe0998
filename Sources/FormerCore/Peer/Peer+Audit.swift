/// After a greeting whose digest cannot be explained, one of the two sides was wiped or restored
/// from a backup. The values are compared key by key, and the newer one wins, whichever side holds
/// it.
extension Peer {
    /// Looks at the counterpart's digests; call when a session begins.
    mutating func auditValues(_ greeting: Greeting) {
        audit.beginSession()
        for lane in Lane.allCases where lane.traits.order == .newestPerKey {
            let index = Int(lane.rawValue)
            let digest = greeting.heldDigests[index]
            let explanation = outbox.explanation(
                lane, digest, known: greeting.knownEpochs.map { $0.id })
            guard !explanation.isFound || explanation.isDoubtful else { continue }
            // A set that waits to be compared says by itself what the counterpart is to hold, but
            // not of values of other kinds, and of those that were accepted after it: what was
            // confirmed of them since may be lost there.
            guard comparison.wanted[index] == nil else {
                if !outbox.lanes[index].keys.isEmpty { outbox.lanes[index].needsAudit = true }
                continue
            }
            outbox.resetBases(lane)
            // Who knows nothing of this side has lost its values. Whoever knows something may have
            // been told to remove them, by records that a restored backup here does not hold.
            if digest == 0, !explanation.isFound, greeting.epochsKnownBefore.isEmpty {
                let former = outbox.lanes[index].keys
                for draft in outbox.valuesToSendAgain(lane) where (try? accept(draft)) == nil {
                    guard let key = draft.key else { continue }
                    outbox.putBack(lane, key, former[key])
                }
            } else {
                audit.lanes[index] = SetAudit.LaneAudit()
            }
        }
    }

    /// The counterpart has taken records of a first flight that is none of this session's: somebody
    /// sent an old one again, and it had forgotten that it knew it. Its greeting need not tell what
    /// it holds since.
    mutating func auditAfterOldFlight() {
        for lane in Lane.allCases
        where lane.traits.order == .newestPerKey && !outbox.lanes[Int(lane.rawValue)].keys.isEmpty {
            outbox.lanes[Int(lane.rawValue)].needsAudit = true
        }
    }

    /// A lane is audited once nothing of it is under way: until then the two differ anyway.
    mutating func startAudits() {
        guard link.state == .active else { return }
        for lane in Lane.allCases {
            let index = Int(lane.rawValue)
            guard comparison.wanted[index] == nil else { continue }
            // One that has asked already began before the doubt: another follows it.
            if outbox.lanes[index].needsAudit, audit.lanes[index]?.isAsked != true {
                outbox.lanes[index].needsAudit = false
                outbox.resetBases(lane)
                if audit.lanes[index] == nil { audit.lanes[index] = SetAudit.LaneAudit() }
            }
            guard let waiting = audit.lanes[index], !waiting.isAsked, outbox.isSettled(lane) else {
                continue
            }
            audit.lanes[index]?.isAsked = true
            comparison.ask(lane)
        }
    }

    /// The listing of a lane under audit, or a part of it.
    mutating func audit(_ frame: HeldFrame) {
        guard let told = audit.receive(frame) else { return }
        audit.begin(frame.lane, outbox.differingKeys(frame.lane, told))
    }

    /// A value that was asked for, or a part of it.
    /// The values the counterpart says it holds may be as many as this side can have sent; one that
    /// goes beyond is at fault.
    mutating func receive(_ frame: ValueFrame) throws(WireError) {
        let (isWhole, value) = audit.receive(frame)
        guard isWhole else { return }
        var theirs: Outbox.TheirValue?
        if let value, let id = value.id {
            theirs = Outbox.TheirValue(id: id, kind: value.kind, payload: value.bytes)
        }
        let former = outbox.lanes[Int(frame.lane.rawValue)].keys[frame.key]
        switch outbox.reconcile(frame.lane, frame.key, theirs) {
        case .settled: break
        case .sendAgain(let draft):
            // A queue that is full now will not be when the lane has settled.
            if (try? accept(draft)) == nil { outbox.putBack(frame.lane, frame.key, former) }
        case .refused:
            throw WireError(
                .outOfRange, at: 0, expected: "no more values than two sets of the lane hold",
                found: UInt64(theirs?.payload.count ?? 0))
        case .adopted(let value):
            if frame.lane == .complication {
                batcher.restore(frame.key, lastQueued: value.payload, isUnderWay: false)
            }
            events.append(
                .handedBack(frame.lane, frame.key, value.kind, payload: value.payload))
        }
    }

    // MARK: Frames

    /// Whether the counterpart owes an answer on what it holds. (Also where nothing loses: of a
    /// packet that was damaged on a stream nobody hears until the next one comes.)
    var isAwaitingValues: Bool {
        audit.lanes.contains { $0?.isAsked == true } || comparison.wanted.contains { $0 != nil }
    }

    var hasAuditFrames: Bool { !audit.queriesDue.isEmpty || !audit.answersDue.isEmpty }

    mutating func writeAudits(
        to writer: inout WireWriter, _ references: inout [FrameReference], capacity: Int
    ) {
        while let query = audit.queriesDue.first,
            writer.count + ValueQueryFrame.largestBytes <= capacity
        {
            audit.queriesDue.removeFirst()
            ValueQueryFrame(lane: query.lane, key: query.key, offset: query.offset)
                .write(to: &writer)
            references.append(.valueQuery(query.lane, query.key, offset: query.offset))
        }
        while let query = audit.answersDue.first {
            let held = inbox.lanes[Int(query.lane.rawValue)].keys[query.key]?.held
            let total = held?.payload.count ?? 0
            let offset = min(query.offset, total)
            let room = capacity - writer.count - ValueFrame.overheadBytes
            guard room >= min(total - offset, 32) else { return }
            audit.answersDue.removeFirst()
            let end = min(total, offset + room)
            ValueFrame(
                lane: query.lane, key: query.key, epoch: held?.epoch, number: held?.number ?? 0,
                kind: held?.kind ?? .opaque, totalBytes: total, offset: offset,
                bytes: Array(held?.payload[offset..<end] ?? [])
            ).write(to: &writer)
            references.append(.value(query.lane, query.key, offset: query.offset))
        }
    }

    /// A lost question is asked again, a lost answer given again.
    mutating func repeatAudit(_ reference: FrameReference) {
        switch reference {
        case .valueQuery(let lane, let key, let offset):
            audit.ask(SetAudit.Query(lane: lane, key: key, offset: offset))
        case .value(let lane, let key, let offset):
            audit.answer(SetAudit.Query(lane: lane, key: key, offset: offset))
        default: break
        }
    }

    // MARK: The counterpart's past

    /// The first packet of a session authenticates: now the greeting counts.
    mutating func takeLineage() {
        guard let found = lineage else { return }
        lineage = nil
        if found.isCloned || found.isOutdated {
            if found.isCloned { inbox.noteRefused(found) }
            events.append(.counterpartChanged(found.isCloned ? .cloned : .outdated))
            closeLink(found.isCloned ? .cloned : .outdated, telling: .pairAnew)
            link.receive(.deactivate)
            timers[.reopen] = nil
            return
        }
        inbox.noteJudged(found)
        outbox.noteMet()
        if found.isRolledBack { events.append(.counterpartChanged(.rolledBack)) }
    }
}

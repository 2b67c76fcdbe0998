/// A floor that becomes durable with a batch of the journal.
struct FloorMark: Sendable {
    var lane: Lane
    var epoch: EpochID
    var floor: UInt64
}

/// Records of this side on their way out: acceptance, offers, receipts, settlement.
///
/// A record's way through it is a table in the article *State machines*; a test holds it against
/// this code.
struct Outbox: Sendable {
    /// One opening of this side's journal.
    struct Epoch: Sendable {
        var id: EpochID
        var parent: EpochID?
        var parentHighest: [UInt64]
        /// The next number of each lane.
        var next: [UInt64]
        /// The journal knows of it.
        var isOpened: Bool
    }

    let limits: Limits
    let kinds: RecordKinds
    /// How much of the past the journal remembers.
    let bounds: JournalBounds
    /// Oldest first; the last is the one new records get.
    var epochs: [Epoch]
    var lanes: [OutboundLane]
    /// Journal entries to persist, in order.
    var entries: [JournalEntry] = []
    /// What happened to records, for the application and the rooms above.
    var changes: [DeliveryChange] = []
    /// Expiry moments of records that have one.
    var expiries = ExpiryQueue()
    /// The newest epoch in which the counterpart confirmed something.
    var lastConfirmedEpoch: EpochID?
    /// The same as it was when the session began.
    var confirmedAtBegin: EpochID?
    /// All epochs, those included that were lost; the last is the fresh one.
    var lineage: OwnLineage
    /// The record that the counterpart says is superseded, while that is taken in.
    var supersededThere: RecordID?
    /// Epochs of which only the counterpart knew, and this opening heard: the past it lacks, not
    /// that of an earlier one.
    var lostHere: [EpochID] = []
    /// Records settled whose settlement the journal does not hold yet.
    var settling = RecordRuns<Stage>()
    /// Settlements since the last batch was given to the journal.
    var settledSinceBatch: [(id: RecordID, outcome: Outcome)] = []
    /// How recently settled records ended, for ``status(of:)``.
    var outcomes = OutcomeLog()
    /// Records under way that have an idempotency key and were not taken back.
    var namedRecords = OrderedTable<IdempotencyName, RecordID>()
    /// Durable records that the counterpart may not have committed, oldest first from the head on.
    var waiting: [Waiting] = []
    var waitingHead = 0
    /// The session's carrier never loses, so that what was sent is known to arrive.
    var isLossless = true
    /// Whether the counterpart knows parts that leave out the length of their record.
    var knowsFurtherParts = false
    var isInSession = false
    /// Records leave behind a first flight, before the counterpart has greeted.
    var isEarly = false
    /// Records that leave with the next packets, before the local journal holds them.
    var departures: [RecordID] = []
    /// Records that left as deltas since the peer was opened.
    var deltasSent: UInt64 = 0
    /// Records settled since the session began.
    var settledInSession = 0
    /// The newest openings before this one that had a session, oldest first.
    let formerOpenings: [EpochID]
    /// This opening had a session.
    var isMet = false
    /// How many of the epochs, oldest first, this session's greeting had room for.
    var listedEpochs = 0
    /// Some values may wait for successors that the greeting of the last session did not list.
    var hasUnlistedSuccessors = false
    /// The floors this session's greeting gave for them, by epoch and lane. It may have been made
    /// long before the session began.
    var toldFloors: [[UInt64]] = []

    init(
        limits: Limits, kinds: RecordKinds = RecordKinds(), freshEpoch: EpochID,
        image: JournalImage, clock: WallTime = WallTime(milliseconds: 0)
    ) {
        self.limits = limits
        self.kinds = kinds
        bounds = image.bounds
        formerOpenings = image.formerOpenings
        lineage = image.lineage
        let freshEpoch = lineage.next(freshEpoch, at: clock)
        lineage.open(freshEpoch, bound: .max) { _ in true }
        epochs = image.ownEpochs.map { stored in
            Epoch(
                id: stored.id, parent: stored.parent, parentHighest: stored.parentHighest,
                next: stored.next, isOpened: true)
        }
        epochs.append(
            Epoch(
                id: freshEpoch, parent: image.newestEpoch?.id,
                parentHighest: image.newestEpoch.map { $0.next.map { $0 - 1 } }
                    ?? Array(repeating: 0, count: Lane.count),
                next: Array(repeating: 1, count: Lane.count), isOpened: false))
        lanes = Lane.allCases.map { OutboundLane(lane: $0) }
        lastConfirmedEpoch = image.lastConfirmedEpoch
        outcomes = image.outcomes
        restore(image)
    }

    private mutating func restore(_ image: JournalImage) {
        for lane in lanes.indices {
            for epoch in epochs.indices {
                // Numbers settled before the restart are left out record by record below.
                let isFresh = epoch == epochs.count - 1
                lanes[lane].segments.append(
                    OutboundSegment(floor: isFresh ? 1 : image.floor(epoch, lane)))
            }
        }
        for stored in image.outboundInOrder() {
            guard let index = epochs.firstIndex(where: { $0.id == stored.record.id.epoch }) else {
                continue
            }
            let lane = Int(stored.record.id.lane.rawValue)
            let address = RecordAddress(
                epochIndex: index, number: stored.record.id.number.rawValue)
            var item = OutboundItem(record: stored.record, isDurableHere: true)
            item.stage = stored.stage
            item.reported = stored.stage
            item.isHeldThere = stored.stage >= .committed
            // The journal does not say whether it had left: it may have.
            item.wasTransmitted = true
            item.withdrawal = stored.withdrawal
            lanes[lane].segments[index].skip(to: address.number)
            lanes[lane].segments[index].append(item)
            lanes[lane].queuedRecords += 1
            lanes[lane].queuedBytes += stored.record.payload.count
            if let expiresAt = stored.record.expiresAt { noteExpiry(expiresAt, stored.record.id) }
            if let name = stored.record.idempotencyName, item.withdrawal == nil {
                namedRecords[name] = stored.record.id
            }
            if let key = stored.record.key { supersedeAndNote(key, stored.record, at: address) }
        }
        for lane in lanes.indices {
            for (index, epoch) in epochs.enumerated() {
                lanes[lane].segments[index].skip(to: epoch.next[lane])
            }
        }
        for value in image.ownValuesInOrder() {
            let lane = Int(value.lane.rawValue)
            lanes[lane].keys.update(
                value.key,
                default: OutboundLane.KeyState(
                    newestID: value.id, newestKind: value.kind, newestPayload: value.payload)
            ) { state in
                state.held = OutboundLane.Held(
                    id: value.id, kind: value.kind, payload: value.payload)
                // Which record brought a value that was only compared is not known.
                guard value.id.number.rawValue > 0 else { return }
                state.base = OutboundLane.Base(
                    numberLow: UInt8(truncatingIfNeeded: value.id.number.rawValue),
                    fingerprintLow: UInt16(truncatingIfNeeded: ContentHash.of(value.payload)),
                    payload: value.payload)
            }
            lanes[lane].heldDigest.insert(value.key, value.kind, value.payload)
            if lanes[lane].keys[value.key]?.isRemoved == true {
                lanes[lane].removedKeys.append(value.key)
            }
        }
        changes = []
        entries = []
    }

    // MARK: Acceptance

    /// Accepts a record, or says why not; nothing has changed then.
    mutating func accept(
        _ draft: RecordDraft, isReachable: Bool, clock: WallTime
    ) throws(SendRefusal) -> RecordID {
        let traits = draft.lane.traits
        let index = Int(draft.lane.rawValue)
        if traits.needsReachability, !isReachable { throw .notReachable }
        guard draft.payload.count <= traits.recordByteLimit else {
            throw .tooLarge(bytes: draft.payload.count, limit: traits.recordByteLimit)
        }
        guard (draft.key != nil) == (traits.order == .newestPerKey) else { throw .keyMismatch }
        guard draft.lane == .interactive || (!draft.expectsReply && draft.inReplyTo == nil) else {
            throw .replyOutsideInteractiveLane
        }
        guard draft.idempotencyKey == nil || traits.order == .ordered else {
            throw .idempotencyKeyInNewestLane
        }
        if let expiresAt = draft.expiresAt, expiresAt <= clock { throw .alreadyExpired }
        guard lanes[index].queuedRecords < limits.queuedRecords,
            lanes[index].queuedBytes + draft.payload.count <= limits.queuedBytes
        else { throw .queueFull(records: lanes[index].queuedRecords) }
        if let key = draft.key {
            guard lanes[index].keys[key] != nil || makeKeyRoom(index) else {
                throw .tooManyKeys(limit: limits.keys)
            }
            guard draft.kind.removesKey || lanes[index].hasRoom(for: draft.payload, of: key) else {
                throw .setTooLarge(limit: traits.setByteLimit)
            }
        }
        return enqueue(draft, index, clock)
    }

    /// A record that is over, or being taken back, stands for nothing accepted from now on.
    private mutating func releaseName(of record: OutboundRecord) {
        guard let name = record.idempotencyName, namedRecords[name] == record.id else { return }
        namedRecords[name] = nil
    }

    private mutating func enqueue(
        _ draft: RecordDraft, _ index: Int, _ clock: WallTime
    ) -> RecordID {
        let last = epochs.count - 1
        if draft.lane.traits.isDurable { openEpoch() }
        let number = epochs[last].next[index]
        epochs[last].next[index] += 1
        let id = RecordID(epoch: epochs[last].id, lane: draft.lane, number: RecordNumber(number))
        let record = OutboundRecord(id: id, draft: draft, acceptedAt: clock)
        if let name = record.idempotencyName { namedRecords[name] = id }
        let isDurable = draft.lane.traits.isDurable
        var item = OutboundItem(record: record, isDurableHere: !isDurable)
        if !isDurable { item.reported = .queued }
        item.waitsForCommit = draft.waitsForCommit
        lanes[index].segments[last].append(item)
        lanes[index].queuedRecords += 1
        lanes[index].queuedBytes += draft.payload.count
        if isDurable { entries.append(.queued(record)) }
        if let expiresAt = draft.expiresAt { noteExpiry(expiresAt, id) }
        if let key = draft.key {
            supersedeAndNote(key, record, at: RecordAddress(epochIndex: last, number: number))
        }
        return id
    }

    /// Makes `record` the newest of its key: if the one before has not left yet it is needless now;
    /// if it has, it waits for the newer one's receipt. Those before that gave way when it came:
    /// where a counterpart settles nothing they may be thousands.
    private mutating func supersedeAndNote(
        _ key: RecordKey, _ record: OutboundRecord, at address: RecordAddress
    ) {
        let index = Int(record.id.lane.rawValue)
        var former: RecordAddress?
        lanes[index].keys.update(
            key,
            default: OutboundLane.KeyState(
                newestID: record.id, newestKind: record.kind, newestPayload: record.payload)
        ) { state in
            former = state.live.last
            state.isSaidAgain = false
            state.live.append(address)
            state.newestID = record.id
            state.newestKind = record.kind
            state.newestPayload = record.payload
        }
        guard let former,
            let item = lanes[index].segments[former.epochIndex][former.number]
        else { return }
        if item.wasTransmitted || !item.isDurableHere {
            // What this session did not list cannot settle anything in it.
            let isUnlisted =
                isInSession && address.epochIndex >= listedEpochs
                && former.epochIndex < listedEpochs
            lanes[index].segments[former.epochIndex].modify(former.number) { item in
                item.isSuperseded = !isUnlisted
            }
        } else {
            settle(record.id.lane, former, .superseded)
        }
    }

    // MARK: Taking back

    /// Takes a record back, or notes that its time ran out.
    mutating func withdraw(_ id: RecordID, as outcome: Outcome) {
        let lane = Int(id.lane.rawValue)
        guard let address = address(of: id),
            let item = lanes[lane].segments[address.epochIndex][address.number],
            item.withdrawal == nil, item.heldOutcome == nil
        else { return }
        if !item.wasTransmitted {
            // Its own entry may be durable before this side hears of it and can settle it.
            if !item.isDurableHere { entries.append(.withdrawalAsked(id, outcome)) }
            settle(id.lane, address, outcome)
        } else if item.stage < .committed {
            if id.lane.traits.isDurable { entries.append(.withdrawalAsked(id, outcome)) }
            releaseName(of: item.record)
            lanes[lane].segments[address.epochIndex].modify(address.number) { item in
                item.withdrawal = outcome
            }
            lanes[lane].scheduleWithdrawal(address)
            forgetExpiries()
        }
    }

    /// Withdraws every record whose time has run out at `clock`.
    mutating func expire(at clock: WallTime) {
        for id in expiries.takeDue(at: clock) { withdraw(id, as: .expired) }
    }

    // MARK: Settlement

    /// The local journal holds this record now.
    mutating func queuedIsDurable(_ id: RecordID) {
        guard let address = address(of: id) else { return }
        let lane = Int(id.lane.rawValue)
        var needless = false
        var heldOutcome: Outcome?
        lanes[lane].segments[address.epochIndex].modify(address.number) { item in
            item.isDurableHere = true
            needless = item.isSuperseded && !item.wasTransmitted
            heldOutcome = item.heldOutcome
        }
        report(id.lane, address)
        if let heldOutcome {
            settle(id.lane, address, heldOutcome)
        } else if needless {
            settle(id.lane, address, .superseded)
        }
    }

    /// Tells the application of the stages reached since it was last told.
    mutating func report(_ lane: Lane, _ address: RecordAddress) {
        let id = RecordID(
            epoch: epochs[address.epochIndex].id, lane: lane,
            number: RecordNumber(address.number))
        let news = lanes[Int(lane.rawValue)].segments[address.epochIndex].modify(address.number) {
            item -> Range<UInt8> in
            guard item.isDurableHere else { return 0..<0 }
            let first = item.reported.map { $0.rawValue + 1 } ?? 0
            let end = max(first, item.stage.rawValue + 1)
            item.reported = max(item.reported ?? item.stage, item.stage)
            return first..<end
        }
        for code in news ?? 0..<0 {
            if let stage = Stage(rawValue: code) { changes.append(.progress(id, stage)) }
        }
    }

    /// Ends a record, and the older ones of its key that a receipt for it covers.
    mutating func settle(_ lane: Lane, _ address: RecordAddress, _ outcome: Outcome) {
        let index = Int(lane.rawValue)
        guard let item = lanes[index].segments[address.epochIndex][address.number] else { return }
        releaseName(of: item.record)
        guard item.isDurableHere else {
            // What the application is told follows the commits, not the sends.
            lanes[index].segments[address.epochIndex].modify(address.number) { item in
                item.heldOutcome = outcome
            }
            return
        }
        if item.isOffered, item.stage < .received, outcome != .applied {
            // It may never have arrived, and then the receiver will not make up for it.
            var offered = item
            lanes[index].refund(&offered)
        } else if item.isInFlight {
            lanes[index].inFlight -= 1
        }
        lanes[index].sentWithdrawals[address] = nil
        lanes[index].arrivedBefore[address] = nil
        if outcome == .applied {
            lanes[index].segments[address.epochIndex].modify(address.number) { item in
                item.stage = .applied
            }
            report(lane, address)
        }
        lanes[index].segments[address.epochIndex].remove(address.number)
        lanes[index].queuedRecords -= 1
        lanes[index].queuedBytes -= item.record.payload.count
        if item.record.expiresAt != nil { forgetExpiries() }
        if outcome != .applied {
            let hole = max(
                lanes[index].segments[address.epochIndex].highestHole, address.number)
            lanes[index].segments[address.epochIndex].highestHole = hole
        }
        if !lane.traits.isDurable {
            let floor = lanes[index].segments[address.epochIndex].floor
            lanes[index].segments[address.epochIndex].settlementsAreDurable(below: floor)
            lanes[index].noteFloor(address.epochIndex)
        }
        if lane.traits.isDurable { entries.append(.settled(item.record.id, outcome)) }
        settledInSession += 1
        if lane.traits.isDurable {
            // Told when the journal holds it: a crash before would make the record live again.
            settling.set(item.record.id, outcome == .applied ? .applied : item.stage)
            if lanes[index].traits.order == .ordered {
                // What the receiver had said of it, it may have lost until it greets.
                noteSettling(item.record.id, isUnheard: !item.wasTransmitted || isEarly)
            }
            settledSinceBatch.append((item.record.id, outcome))
        } else {
            settlementIsDurable(item.record.id, outcome)
        }
        if let key = item.record.key { settleKey(lane, key, item, address, outcome) }
    }

    private mutating func settleKey(
        _ lane: Lane, _ key: RecordKey, _ item: OutboundItem, _ address: RecordAddress,
        _ outcome: Outcome
    ) {
        let index = Int(lane.rawValue)
        // The list is taken out while it changes: it may be long, and is not to be copied.
        var live: [RecordAddress] = []
        lanes[index].keys.modify(key) { swap(&$0.live, &live) }
        guard var state = lanes[index].keys[key] else { return }
        var older: [RecordAddress] = []
        let place = live.partitioningIndex { $0 >= address }
        if place < live.count, live[place] == address { live.remove(at: place) }
        if state.marked == address { state.marked = nil }
        // By a value that this side does not know (any more).
        let isForgotten = supersededThere == item.record.id && state.newestID == item.record.id
        if isForgotten {
            noteEnded(item.record.id.epoch)
            entries.append(
                .adopted(
                    JournalImage.OwnValue(
                        lane: lane, key: key, id: item.record.id, kind: item.record.kind,
                        payload: item.record.payload)))
        }
        if isForgotten || outcome == .unknown { lanes[index].needsAudit = true }
        if outcome == .applied || outcome == .unknown || isForgotten {
            // Otherwise than applied: this side was restored from a backup. The value stays its own
            // until the counterpart has said what it holds.
            older = Array(live[..<place])
            live.removeFirst(place)
            let former = state.held
            if former.map({ !lineage.isNewer($0.id, than: item.record.id) }) ?? true {
                if let former {
                    lanes[index].heldDigest.remove(key, former.kind, former.payload)
                }
                state.held = OutboundLane.Held(
                    id: item.record.id, kind: item.record.kind, payload: item.record.payload)
                lanes[index].heldDigest.insert(key, item.record.kind, item.record.payload)
            }
        }
        swap(&state.live, &live)
        lanes[index].keys[key] = state
        for former in older { settle(lane, former, .superseded) }
        let counts = outcome == .applied || outcome == .unknown || isForgotten
        if !counts { giveWay(lane, key, item) }
        if lanes[index].keys[key]?.isRemoved == true { noteRemoved(index, key) }
        if outcome != .superseded {
            changes.append(
                .confirmed(lane, key, payload: item.record.payload, counts: counts))
        }
    }

    /// How a record ended is durable: now it may be told.
    mutating func settlementIsDurable(_ id: RecordID, _ outcome: Outcome) {
        settling.remove(id)
        lanes[Int(id.lane.rawValue)].settling.remove(id)
        outcomes.note(id, outcome)
        changes.append(.settled(id, outcome))
    }

    // MARK: Durable floors

    /// The floors that the batch now given to the journal makes durable.
    mutating func takeFloors() -> [FloorMark] {
        var marks: [FloorMark] = []
        for index in lanes.indices where lanes[index].traits.isDurable {
            for epoch in lanes[index].segments.indices {
                let floor = lanes[index].segments[epoch].floor
                guard floor > lanes[index].segments[epoch].persistedFloor else { continue }
                lanes[index].segments[epoch].persistedFloor = floor
                marks.append(
                    FloorMark(
                        lane: lanes[index].lane, epoch: epochs[epoch].id, floor: floor))
            }
        }
        return marks
    }

    /// The batch that held these settlements is durable.
    mutating func floorIsDurable(_ mark: FloorMark) {
        let index = Int(mark.lane.rawValue)
        guard let epoch = epochs.firstIndex(where: { $0.id == mark.epoch }) else { return }
        lanes[index].segments[epoch].settlementsAreDurable(below: mark.floor)
        lanes[index].noteFloor(epoch)
    }
}

/// The counterpart's records on their way in: deduplication, order, bases, receipts.
///
/// A record's way through it is a table in the article *State machines*; a test holds it against
/// this code.
struct Inbox: Sendable {
    /// Something that becomes true when the journal holds it.
    enum CommitAction: Sendable {
        case disposed(RecordID, Disposition)
        case withdrawn(RecordID, Outcome)
        /// A record that used the credit of its lane.
        case taken(Lane, bytes: Int)
        /// A floor.
        case floor(FloorPlace)
    }

    let limits: Limits
    let kinds: RecordKinds
    /// Oldest first. Where nothing durable has arrived in one, its place says how old it is, and
    /// its rank is that of the newest known one below it.
    var epochs: [InboundEpoch]
    var lanes: [InboundLane]
    /// The counterpart's epochs as this session's frames name them.
    var sessionEpochs: [EpochID] = []
    /// The next number of each of them and each lane, as the greeting gave it.
    var sessionNext: [[UInt64]] = []
    /// Of each of them and each lane, whether an epoch that is over shows that its records were
    /// passed.
    var sessionPassed: [[Bool]] = []
    /// Records that arrived since the session began.
    var arrivedInSession = 0
    /// Records to give to the application, in order.
    var deliveries: [InboundRecord] = []
    var entries: [JournalEntry] = []
    /// One for each entry that waits for the next commit.
    var commitActions: [CommitAction] = []
    /// Floors whose entries the journal does not hold yet.
    var floorsUnderWay = OrderedTable<FloorPlace, FloorUnderWay>()
    /// Records the application has not taken over yet.
    var pending = OrderedTable<RecordID, InboundRecord>()
    /// The idempotency keys of records that the application was given.
    var keys: IdempotencyWindow
    /// Records that wait for the word on the first one under their key, by that one.
    var followers: OrderedTable<RecordID, [RecordID]>
    /// Epochs whose first sight the journal knows.
    var journaledEpochs: [EpochID]
    /// Every epoch that was ever used.
    var lineage: CounterpartLineage
    /// How much of the past the journal remembers.
    let bounds: JournalBounds
    /// Epochs that stood in a greeting whose judgement counted. One that was only listed, in a
    /// session that ended before its first packet, is judged again.
    var judged: [EpochID]
    /// The openings of the counterpart that had a session.
    var metOpenings: MetOpenings
    /// What this side held of the counterpart's epochs before early data began a session: its
    /// greeting tells that, and what it had lost by then, which that flight's floors settle.
    var knownBeforeEarly: [Greeting.KnownEpoch]?
    /// Epochs of this session that were retired here before: all of them is settled.
    var retired: [EpochID] = []

    init(limits: Limits, kinds: RecordKinds = RecordKinds(), image: JournalImage) {
        self.limits = limits
        self.kinds = kinds
        epochs = image.counterpartEpochs
        journaledEpochs = image.counterpartEpochs.map { $0.id }
        lineage = image.counterpartLineage
        bounds = image.bounds
        judged = image.counterpartEpochs.map { $0.id }
        keys = image.keys
        metOpenings = image.metOpenings
        followers = image.followers
        lanes = Lane.allCases.map { InboundLane(lane: $0, limits: limits) }
        for candidates in image.valueCandidates {
            guard let value = candidates.last else { continue }
            let index = Int(value.lane.rawValue)
            let state = InboundLane.KeyState(
                rank: value.rank,
                newest: InboundLane.Value(number: value.number, payload: value.payload),
                candidates: candidates.map {
                    InboundLane.HeldValue(
                        key: $0.key, epoch: $0.epoch, number: $0.number, kind: $0.kind,
                        payload: $0.payload)
                })
            lanes[index].store(state, for: value.key)
            lanes[index].heldDigest.insert(value.key, value.kind, value.payload)
        }
        for record in image.pending {
            pending[record.id] = record
            deliveries.append(record)
        }
    }

    // MARK: Sessions

    /// What this side holds of the counterpart's epochs, as a greeting tells it. Where they are too
    /// many, those count that the counterpart listed last: it has records in them that are open.
    var knownEpochs: [Greeting.KnownEpoch] {
        var used = epochs.filter { $0.isUsed }
        while used.count > limits.epochs {
            used.remove(at: used.firstIndex { !sessionEpochs.contains($0.id) } ?? 0)
        }
        return used.map { epoch in
            Greeting.KnownEpoch(
                id: epoch.id, receivedThrough: epoch.lanes.map { $0.receivedThrough })
        }
    }

    /// Begins a session with a counterpart that greeted so.
    mutating func begin(_ greeting: Greeting) {
        sessionEpochs = greeting.ownEpochs.map { $0.id }
        sessionNext = greeting.ownEpochs.map { $0.next }
        arrivedInSession = 0
        retired.removeAll { !sessionEpochs.contains($0) }
        rankEpochs(greeting)
        let newestUsed = epochs.last { $0.isUsed }?.id
        let listed = sessionEpochs
        // A greeting that was too long lists the oldest: what is newer than those is not over.
        let newestListed = epochs.lastIndex { listed.contains($0.id) } ?? 0
        let passes = passes(greeting)
        sessionPassed = passes.passed
        let over = epochs.prefix(newestListed).filter {
            !listed.contains($0.id) && $0.id != newestUsed && !passes.by.contains($0.id)
        }
        for epoch in over where journaledEpochs.contains(epoch.id) {
            entries.append(.counterpartEpochRetired(epoch.id))
            journaledEpochs.removeAll { $0 == epoch.id }
        }
        epochs.removeAll { epoch in over.contains { $0.id == epoch.id } }
        for index in lanes.indices { lanes[index].beginSession() }
        heed(greeting)
    }

    /// The session that began on early data goes on with another greeting of the same opening.
    mutating func goOn(_ greeting: Greeting) {
        sessionNext = greeting.ownEpochs.map { $0.next }
        for index in lanes.indices {
            lanes[index].outcomesDue.removeAll()
            lanes[index].beginCredit()
        }
        heed(greeting)
    }

    /// What a greeting says of the counterpart's records, and what this side owes to say of them.
    private mutating func heed(_ greeting: Greeting) {
        answerUnknown(greeting)
        for index in lanes.indices {
            for (epochIndex, own) in greeting.ownEpochs.enumerated() {
                let floor = own.floors[index]
                if settle(lanes[index].lane, epochIndex, below: floor) {
                    releaseHeld(index, after: epochIndex, 1...(floor - 1))
                }
                guard let epoch = position(epochIndex) else { continue }
                let numbers = epochs[epoch].lanes[index]
                if !numbers.arrived.isEmpty { lanes[index].receiptIsDue(epochIndex) }
                for exception in numbers.exceptions {
                    lanes[index].outcomesDue.append(
                        RecordAddress(epochIndex: epochIndex, number: exception.number))
                }
            }
            forgetIdleKeys(index, butRemovals: limits.removals)
        }
    }

    /// Where an epoch of the session stands in ``epochs``.
    func position(_ epochIndex: Int) -> Int? {
        guard epochIndex < sessionEpochs.count else { return nil }
        let id = sessionEpochs[epochIndex]
        return epochs.firstIndex { $0.id == id }
    }

    func checkedPosition(_ address: RecordAddress) throws(WireError) -> Int {
        guard let position = position(address.epochIndex) else {
            throw WireError(
                .outOfRange, at: 0, expected: "epoch of the greeting",
                found: UInt64(address.epochIndex))
        }
        return position
    }

    // MARK: Arrival

    /// Takes a record frame.
    mutating func receive(_ frame: RecordFrame) throws(WireError) {
        try receive(frame, isAssembled: false)
    }

    mutating func receive(_ frame: RecordFrame, isAssembled: Bool) throws(WireError) {
        let head = frame.head
        let index = Int(head.lane.rawValue)
        let epoch = try checkedPosition(head.address)
        if let predecessor = head.predecessor { _ = try checkedPosition(predecessor) }
        var key = head.key
        if let handle = head.handle { key = try resolve(index, handle, key) }
        if head.lane.traits.order == .newestPerKey, key == nil {
            // The frame that told what the handle stands for was lost.
            try needBase(index, head.address)
            return
        }
        let numbers = epochs[epoch].lanes[index]
        let isKnown =
            numbers.arrived.contains(head.address.number)
            || lanes[index].held.contains(head.address)
        if isKnown {
            lanes[index].consume(
                offers: 1, bytes: isAssembled ? 0 : payloadBytes(index, key, frame) ?? 0)
            lanes[index].receiptIsDue(
                head.address.epochIndex, head.address.number...head.address.number)
            if numbers.exception(head.address.number) != nil {
                lanes[index].outcomesDue.append(head.address)
            }
            return
        }
        // What is below has arrived, or it would be known.
        guard head.address.number - numbers.receivedThrough < limits.numberSpan else {
            try turnAway(index, head.address)
            return
        }
        try checkScatter(index, epoch, head.address.number)
        guard !head.lane.traits.isDurable || lanes[index].hasCommitRoom else {
            try turnAway(index, head.address)
            return
        }
        guard let payload = try payload(index, key, frame) else {
            try needBase(index, head.address)
            return
        }
        let record = InboundRecord(
            id: RecordID(
                epoch: epochs[epoch].id, lane: head.lane,
                number: RecordNumber(head.address.number)),
            kind: head.kind, key: key, payload: payload, expectsReply: head.expectsReply,
            inReplyTo: head.inReplyTo, idempotencyKey: head.idempotencyKey)
        let charge = isAssembled ? 0 : payload.count
        if head.lane.traits.order == .newestPerKey {
            take(index, record, charge: charge)
            receiveNewest(index, epoch, head, record)
        } else if isPassed(index, head.address) {
            take(index, record, charge: charge)
            pass(index, epoch, head.address, record.id)
        } else if let predecessor = head.predecessor, !isSatisfied(index, predecessor) {
            try hold(index, head.address, predecessor, record)
        } else {
            take(index, record, charge: charge)
            deliver(index, head.address, record)
            let number = head.address.number
            releaseHeld(index, after: head.address.epochIndex, number...number)
        }
    }

    /// A record finds its end here, or its way to the application. What the journal is to hold
    /// keeps its credit until it does.
    private mutating func take(_ index: Int, _ record: InboundRecord, charge: Int) {
        if lanes[index].traits.isDurable {
            let bytes = record.payload.count
            lanes[index].awaitCommit(bytes: bytes)
            commitActions.append(.taken(record.id.lane, bytes: bytes))
        }
        lanes[index].consume(offers: 1, bytes: charge)
    }

    private mutating func needBase(
        _ index: Int, _ address: RecordAddress
    ) throws(WireError) {
        lanes[index].basesNeeded.append(address)
        try checkRequests(lanes[index].basesNeeded)
    }

    mutating func turnAway(
        _ index: Int, _ address: RecordAddress
    ) throws(WireError) {
        lanes[index].owesRaise = true
        guard !lanes[index].mustTryLater.contains(address) else { return }
        lanes[index].mustTryLater.append(address)
        try checkRequests(lanes[index].mustTryLater)
        lanes[index].turnedAway.append((address, lanes[index].grantedOffers))
    }

    // MARK: Ordered lanes

    /// Whether a record that has not arrived was passed: a later one of its lane was given to the
    /// application, so that its sender had settled it by then.
    private func isPassed(_ index: Int, _ address: RecordAddress) -> Bool {
        guard lanes[index].traits.isDurable else { return false }
        for epochIndex in address.epochIndex..<sessionEpochs.count {
            guard let epoch = position(epochIndex) else { continue }
            let isOwn = epochIndex == address.epochIndex
            let numbers = epochs[epoch].lanes[index]
            if numbers.wasGiven(from: isOwn ? address.number + 1 : 1) { return true }
        }
        return sessionPassed[address.epochIndex][index]
    }

    /// Ends a record that was passed: its sender was restored from a backup and offers again what
    /// it had taken back since. Its place is gone, and whether it was given to the application
    /// before this side was wiped or restored itself is not known.
    private mutating func pass(
        _ index: Int, _ epoch: Int, _ address: RecordAddress, _ id: RecordID
    ) {
        epochs[epoch].lanes[index].withdrawn.insert(address.number)
        end(id, epoch, .unknown)
        releaseHeld(index, after: address.epochIndex, address.number...address.number)
    }

    private func isSatisfied(_ index: Int, _ predecessor: RecordAddress) -> Bool {
        guard let epoch = position(predecessor.epochIndex) else { return true }
        let numbers = epochs[epoch].lanes[index]
        guard numbers.arrived.contains(predecessor.number) else { return false }
        guard numbers.withdrawn.contains(predecessor.number) else { return true }
        // It was taken back, not delivered: it says nothing about those before it.
        return numbers.receivedThrough > predecessor.number
            && isComplete(index, before: predecessor.epochIndex)
    }

    /// Whether everything of the session's epochs before `epochIndex` has arrived or is settled.
    private func isComplete(_ index: Int, before epochIndex: Int) -> Bool {
        (0..<epochIndex).allSatisfy { older in
            guard let epoch = position(older) else { return true }
            return epochs[epoch].lanes[index].receivedThrough >= sessionNext[older][index]
        }
    }

    private mutating func hold(
        _ index: Int, _ address: RecordAddress, _ predecessor: RecordAddress,
        _ record: InboundRecord
    ) throws(WireError) {
        guard lanes[index].held.count < limits.reorderRecords,
            lanes[index].held.bytes + record.payload.count <= limits.reorderBytes
                || lanes[index].held.isEmpty
        else {
            try turnAway(index, address)
            return
        }
        let held = InboundLane.Held(address: address, predecessor: predecessor, record: record)
        lanes[index].held.insert(held)
        guard let epoch = position(predecessor.epochIndex),
            epochs[epoch].lanes[index].arrived.contains(predecessor.number)
        else { return }
        // It was taken back before.
        let number = predecessor.number
        releaseHeld(index, after: predecessor.epochIndex, number...number)
    }

    /// These have arrived, or are over: delivers what waited for them, lowest address first.
    mutating func releaseHeld(
        _ index: Int, after epochIndex: Int, _ numbers: ClosedRange<UInt64>
    ) {
        guard !lanes[index].held.isEmpty else { return }
        // Highest address first.
        var due = lanes[index].held.takeWaiting(on: epochIndex, numbers)
        due.sort(by: >)
        while true {
            if let withdrawn = lanes[index].held.lowestWithdrawn, isSatisfied(index, withdrawn) {
                Self.insert(lanes[index].held.takeBehindLowestWithdrawn(), into: &due)
                continue
            }
            guard let address = due.popLast() else { return }
            guard let held = lanes[index].held[address] else { continue }
            guard isSatisfied(index, held.predecessor) else {
                lanes[index].held.waitBehindWithdrawn(held)
                continue
            }
            lanes[index].held.remove(address)
            take(index, held.record, charge: held.record.payload.count)
            deliver(index, address, held.record)
            let number = address.number
            let next = lanes[index].held.takeWaiting(on: address.epochIndex, number...number)
            for address in next { Self.insert(address, into: &due) }
        }
    }

    private static func insert(_ address: RecordAddress, into due: inout [RecordAddress]) {
        let place = due.lastIndex { $0 > address }.map { $0 + 1 } ?? 0
        due.insert(address, at: place)
    }

    private mutating func deliver(_ index: Int, _ address: RecordAddress, _ record: InboundRecord) {
        guard let epoch = position(address.epochIndex) else { return }
        epochs[epoch].lanes[index].arrived.insert(address.number)
        if lanes[index].traits.isDurable { epochs[epoch].isUsed = true }
        arrivedInSession += 1
        deliveries.append(record)
    }

    // MARK: Newest-per-key lanes

    private mutating func receiveNewest(
        _ index: Int, _ epoch: Int, _ head: RecordHead, _ record: InboundRecord
    ) {
        guard let key = record.key else { return }
        // Whatever becomes of the record, the journal hears of its epoch.
        noteJournaled(epoch)
        let rank = epochs[epoch].rank
        let value = InboundLane.Value(number: head.address.number, payload: record.payload)
        var state = lanes[index].keys[key]
        lanes[index].arrivalsSinceSweep += 1
        if let known = state, (known.rank, known.newest.number) > (rank, head.address.number) {
            // Usually the newer one's receipt settles it; not when the newer one was refused.
            end(record.id, epoch, .superseded)
            return
        }
        // A delta that names the marked value makes it the base.
        if case .delta(let low, _) = head.form, let marked = state?.marked,
            UInt8(truncatingIfNeeded: marked.number) == low
        {
            state?.base = marked
            state?.marked = nil
        }
        var next = state ?? InboundLane.KeyState(rank: rank, newest: value)
        next.rank = rank
        next.newest = value
        if head.marksBase {
            // The sender marks anew only when the value it marked before is its base, or is over.
            if let marked = next.marked { next.base = marked }
            next.marked = value
        }
        next.isAsked = true
        if !lanes[index].hasBaseRoom(for: next, of: key) { next.dropBases() }
        if !lanes[index].hasRoom(for: next, of: key) { sweep(index) }
        guard lanes[index].hasRoom(for: next, of: key) else {
            end(record.id, epoch, .rejected(code: Outcome.noRoomCode))
            return
        }
        lanes[index].store(next, for: key)
        if lanes[index].traits.skipsEqual, isHeld(record, index, key) {
            // A side that was wiped or restored cannot know what is shown here, and says it again.
            epochs[epoch].lanes[index].arrived.insert(head.address.number)
            epochs[epoch].isUsed = true
            arrivedInSession += 1
            disposed(record, .applied)
            return
        }
        deliver(index, head.address, record)
    }

    /// Whether the application holds this very value, and no other is about to be given to it.
    private func isHeld(_ record: InboundRecord, _ index: Int, _ key: RecordKey) -> Bool {
        guard let state = lanes[index].keys[key], state.candidates.count == 1,
            let held = state.held
        else { return false }
        return held.kind == record.kind && held.payload == record.payload
            && !deliveries.contains { $0.key == key && $0.id.lane == record.id.lane }
    }

    /// Ends a record that the application is not asked about.
    private mutating func end(_ id: RecordID, _ epoch: Int, _ outcome: Outcome) {
        epochs[epoch].lanes[Int(id.lane.rawValue)].arrived.insert(id.number.rawValue)
        epochs[epoch].isUsed = true
        journalEnd(id, epoch, outcome)
    }
}

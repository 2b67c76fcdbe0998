/// What a journal amounts to: its entries, folded. The host keeps it; a peer starts from it.
public struct JournalImage: Equatable, Sendable {
    /// An epoch of this side that may hold unsettled records.
    public struct OwnEpoch: Hashable, Sendable {
        /// Which epoch it is.
        public var id: EpochID
        /// The epoch of this side before it; nil for the first.
        public var parent: EpochID?
        /// The highest number used in the parent, by the lane's raw value.
        public var parentHighest: [UInt64]
        /// The next number of each lane.
        public var next: [UInt64]
    }

    /// An unsettled record of this side.
    public struct StoredOutbound: Hashable, Sendable {
        /// The record, with its full value.
        public var record: OutboundRecord
        /// How far it came, as far as the counterpart reported.
        public var stage: Stage
    }

    /// The value of one of this side's keys that the counterpart holds.
    public struct OwnValue: Hashable, Sendable {
        /// The lane of the key.
        public var lane: Lane
        /// What it is the value of.
        public var key: RecordKey
        /// The record that brought it.
        public var id: RecordID
        /// What the payload is.
        public var kind: ContentKind
        /// The value itself.
        public var payload: [UInt8]

        /// Makes the value that record `id` brought.
        public init(
            lane: Lane, key: RecordKey, id: RecordID, kind: ContentKind, payload: [UInt8]
        ) {
            self.lane = lane
            self.key = key
            self.id = id
            self.kind = kind
            self.payload = payload
        }
    }

    /// The newest value of one of the counterpart's keys.
    public struct CounterpartValue: Hashable, Sendable {
        /// The lane of the key.
        public var lane: Lane
        /// What it is the value of.
        public var key: RecordKey
        /// The epoch of the counterpart that it came in.
        public var epoch: EpochID
        /// The rank of that epoch.
        public var rank: UInt32
        /// The number of the record that brought it, in that epoch and lane.
        public var number: UInt64
        /// What the payload is.
        public var kind: ContentKind
        /// The value itself.
        public var payload: [UInt8]
    }

    /// An epoch of the counterpart in which something arrived, also when it is retired.
    public struct CounterpartEpoch: Hashable, Sendable {
        /// Which epoch it is.
        public var id: EpochID
        /// Its rank among the counterpart's epochs.
        public var rank: UInt32
        /// The epoch before it, as the counterpart said.
        public var parent: EpochID?
        /// The counterpart went on from before it.
        public var isAbandoned = false
    }

    struct LaneKey: Hashable, Sendable {
        var lane: Lane
        var key: RecordKey
    }

    /// Epochs of this side that are not retired, oldest first.
    public internal(set) var ownEpochs: [OwnEpoch] = []
    /// The epoch opened last, also when it is retired.
    public internal(set) var newestEpoch: OwnEpoch?
    /// The newest epoch of this side in which the counterpart confirmed a record; nil before any.
    public internal(set) var lastConfirmedEpoch: EpochID?
    /// Epochs of this side that are settled through, the newest ones, oldest first.
    public internal(set) var retiredEpochs: [EpochID] = []
    /// All epochs of this side, the newest ones, oldest first, those that were lost included.
    public internal(set) var lineage: [EpochID] = []
    /// Epochs of this side of which only the counterpart knew.
    public internal(set) var lostEpochs: [EpochID] = []
    /// How this side's recently settled records ended.
    public internal(set) var outcomes = OutcomeLog()
    var outbound = OrderedTable<RecordID, StoredOutbound>()
    var ownValues = OrderedTable<LaneKey, OwnValue>()
    /// The counterpart's epochs, lowest rank first.
    public internal(set) var counterpartEpochs: [InboundEpoch] = []
    /// The epochs of the counterpart that were ever used, the newest ones, lowest rank first.
    public internal(set) var counterpartLineage: [CounterpartEpoch] = []
    /// Oldest first; all but the first are still pending, and each may yet be refused.
    var counterpartValues = OrderedTable<LaneKey, [CounterpartValue]>()
    /// Records given to the application that it has not taken over yet, oldest first.
    public internal(set) var pending: [InboundRecord] = []

    /// How many retired epochs are remembered.
    static let retiredEpochLimit = 64
    /// How many epochs of a lineage are remembered.
    static let lineageLimit = 1024

    /// The image of an empty journal.
    public init() {}

    /// The newest values of the counterpart's keys, as this side's application last saw them.
    public var values: [CounterpartValue] { counterpartValues.values.compactMap(\.last) }

    /// The same with those that they replace if they are refused yet; oldest first.
    var valueCandidates: [[CounterpartValue]] { counterpartValues.values }

    /// Unsettled records of this side in the order they were accepted, epoch by epoch.
    public func outboundInOrder() -> [StoredOutbound] {
        var places = OrderedTable<EpochID, Int>()
        for (index, epoch) in ownEpochs.enumerated() { places[epoch.id] = index }
        return outbound.values.sorted { left, right in
            let leftEpoch = places[left.record.id.epoch] ?? 0
            let rightEpoch = places[right.record.id.epoch] ?? 0
            return (leftEpoch, left.record.id.lane.rawValue, left.record.id.number.rawValue)
                < (rightEpoch, right.record.id.lane.rawValue, right.record.id.number.rawValue)
        }
    }

    /// Values of this side's keys that the counterpart holds.
    public func ownValuesInOrder() -> [OwnValue] { ownValues.values }

    /// The lowest unsettled number of an epoch and lane, or the next one to be given.
    func floor(_ epoch: Int, _ lane: Int) -> UInt64 {
        let id = ownEpochs[epoch].id
        var floor = ownEpochs[epoch].next[lane]
        for stored in outbound.values
        where stored.record.id.epoch == id && Int(stored.record.id.lane.rawValue) == lane {
            floor = min(floor, stored.record.id.number.rawValue)
        }
        return floor
    }

    /// Folds one more durable entry in.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .epochOpened(let id, let parent, let parentHighest):
            let epoch = OwnEpoch(
                id: id, parent: parent, parentHighest: parentHighest.map { $0.rawValue },
                next: Array(repeating: 1, count: Lane.count))
            ownEpochs.append(epoch)
            newestEpoch = epoch
            lineage.append(id)
            if lineage.count > Self.lineageLimit { lineage.removeFirst() }
        case .queued(let record):
            outbound[record.id] = StoredOutbound(record: record, stage: .queued)
            if let index = ownEpochs.firstIndex(where: { $0.id == record.id.epoch }) {
                let lane = Int(record.id.lane.rawValue)
                ownEpochs[index].next[lane] = max(
                    ownEpochs[index].next[lane], record.id.number.rawValue + 1)
                if newestEpoch?.id == record.id.epoch { newestEpoch = ownEpochs[index] }
            }
        case .reached(let id, let stage):
            outbound.modify(id) { stored in stored.stage = max(stored.stage, stage) }
            lastConfirmedEpoch = newer(lastConfirmedEpoch, id.epoch)
        case .settled(let id, let outcome):
            if let stored = outbound[id], outcome == .applied || outcome == .unknown,
                let key = stored.record.key
            {
                note(
                    OwnValue(
                        lane: id.lane, key: key, id: id, kind: stored.record.kind,
                        payload: stored.record.payload))
            }
            if outcome == .applied { lastConfirmedEpoch = newer(lastConfirmedEpoch, id.epoch) }
            outbound[id] = nil
            outcomes.note(id, outcome)
        case .epochRetired(let id):
            ownEpochs.removeAll { $0.id == id }
            retiredEpochs.append(id)
            if retiredEpochs.count > Self.retiredEpochLimit { retiredEpochs.removeFirst() }
        case .epochLost(let id, let after):
            Self.insertLost(id, after: after, into: &lineage)
            lostEpochs.removeAll { $0 == id }
            lostEpochs.append(id)
            if lostEpochs.count > Self.lineageLimit { lostEpochs.removeFirst() }
        case .adopted(let value):
            ownValues[LaneKey(lane: value.lane, key: value.key)] = value
        case .counterpartEpoch(let id, let rank, let parent):
            guard !counterpartEpochs.contains(where: { $0.id == id }) else { return }
            counterpartEpochs.append(InboundEpoch(id: id, rank: rank, parent: parent))
            counterpartEpochs.sort { $0.rank < $1.rank }
            Self.insert(
                CounterpartEpoch(id: id, rank: rank, parent: parent), into: &counterpartLineage)
        case .counterpartEpochRetired(let id):
            counterpartEpochs.removeAll { $0.id == id }
        case .counterpartEpochAbandoned(let id):
            for index in counterpartLineage.indices where counterpartLineage[index].id == id {
                counterpartLineage[index].isAbandoned = true
            }
        case .received(let record, let disposition):
            receive(record, disposition)
        case .disposed(let id, let disposition):
            if let key = pending.first(where: { $0.id == id })?.key {
                decide(LaneKey(lane: id.lane, key: key), id, disposition)
            }
            pending.removeAll { $0.id == id }
            modifyNumbers(of: id) { $0.dispose(id.number.rawValue, disposition) }
        case .withdrawn(let id, let outcome):
            modifyNumbers(of: id) { $0.withdraw(id.number.rawValue, outcome) }
        case .counterpartKeyForgotten(let lane, let key):
            counterpartValues[LaneKey(lane: lane, key: key)] = nil
        case .counterpartFloor(let epoch, let lane, let floor):
            let id = RecordID(epoch: epoch, lane: lane, number: floor)
            modifyNumbers(of: id, isArrival: false) { $0.settle(below: floor.rawValue) }
        }
    }

    /// A value that was applied, or of which only the counterpart can say what became of it; an
    /// older one of its key says nothing any more.
    private mutating func note(_ value: OwnValue) {
        let key = LaneKey(lane: value.lane, key: value.key)
        if let former = ownValues[key]?.id, isNewer(former, than: value.id) { return }
        ownValues[key] = value
    }

    private func isNewer(_ left: RecordID, than right: RecordID) -> Bool {
        let leftPlace = lineage.firstIndex(of: left.epoch) ?? -1
        let rightPlace = lineage.firstIndex(of: right.epoch) ?? -1
        return (leftPlace, left.number.rawValue) > (rightPlace, right.number.rawValue)
    }

    private mutating func receive(_ record: InboundRecord, _ disposition: Disposition) {
        modifyNumbers(of: record.id) { numbers in
            numbers.arrived.insert(record.id.number.rawValue)
            numbers.committed.insert(record.id.number.rawValue)
            numbers.dispose(record.id.number.rawValue, disposition)
        }
        if disposition == .pending { pending.append(record) }
        if let key = record.key, !disposition.isRejection,
            let epoch = counterpartEpochs.first(where: { $0.id == record.id.epoch })
        {
            let value = CounterpartValue(
                lane: record.id.lane, key: key, epoch: epoch.id, rank: epoch.rank,
                number: record.id.number.rawValue, kind: record.kind, payload: record.payload)
            counterpartValues.update(LaneKey(lane: record.id.lane, key: key), default: []) {
                $0 = disposition == .pending ? Self.candidates($0, and: value) : [value]
            }
        }
    }

    /// How many values of a key are remembered until the application has decided on them.
    static let candidateLimit = 8

    /// Adds a value that is pending; of too many, the oldest one that is pending is not remembered.
    static func candidates<Value>(_ former: [Value], and value: Value) -> [Value] {
        var candidates = former
        if candidates.count >= candidateLimit { candidates.remove(at: 1) }
        return candidates + [value]
    }

    /// A value that was pending is taken over, and those before it are over; or it is refused, and
    /// gives way to the one before it.
    private mutating func decide(_ key: LaneKey, _ id: RecordID, _ disposition: Disposition) {
        counterpartValues.modify(key) { values in
            guard
                let place = values.firstIndex(where: {
                    $0.epoch == id.epoch && $0.number == id.number.rawValue
                })
            else { return }
            if disposition.isRejection {
                values.remove(at: place)
            } else {
                values.removeFirst(place)
            }
        }
        if counterpartValues[key]?.isEmpty == true { counterpartValues[key] = nil }
    }

    /// Puts a lost epoch in its place in a lineage, or in another one.
    static func insertLost(_ id: EpochID, after: EpochID?, into lineage: inout [EpochID]) {
        lineage.removeAll { $0 == id }
        let place = after.flatMap { lineage.firstIndex(of: $0) }
        lineage.insert(id, at: place.map { $0 + 1 } ?? 0)
    }

    /// Puts an epoch of the counterpart in its place in a lineage.
    static func insert(_ epoch: CounterpartEpoch, into lineage: inout [CounterpartEpoch]) {
        guard !lineage.contains(where: { $0.id == epoch.id }) else { return }
        let place = lineage.firstIndex { $0.rank > epoch.rank } ?? lineage.count
        lineage.insert(epoch, at: place)
        if lineage.count > lineageLimit { lineage.removeFirst() }
    }

    private mutating func modifyNumbers(
        of id: RecordID, isArrival: Bool = true, _ change: (inout InboundNumbers) -> Void
    ) {
        guard let index = counterpartEpochs.firstIndex(where: { $0.id == id.epoch }) else { return }
        change(&counterpartEpochs[index].lanes[Int(id.lane.rawValue)])
        counterpartEpochs[index].isUsed = counterpartEpochs[index].isUsed || isArrival
    }

    private func newer(_ former: EpochID?, _ candidate: EpochID) -> EpochID {
        guard let former, let old = ownEpochs.firstIndex(where: { $0.id == former }),
            let new = ownEpochs.firstIndex(where: { $0.id == candidate })
        else { return candidate }
        return new >= old ? candidate : former
    }
}

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
        /// What it is to be taken back as; nil while it is to be delivered.
        public var withdrawal: Outcome?
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
        public var rank: UInt64
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
        public var rank: UInt64
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
    /// All epochs of this side, those that were lost included.
    var lineage = OwnLineage()
    /// How this side's recently settled records ended.
    public internal(set) var outcomes = OutcomeLog()
    var outbound = RecordTable<StoredOutbound>()
    var ownValues = OrderedTable<LaneKey, OwnValue>()
    /// The counterpart's epochs, lowest rank first.
    public internal(set) var counterpartEpochs: [InboundEpoch] = []
    /// The epochs of the counterpart that were ever used.
    var counterpartLineage = CounterpartLineage()
    /// Oldest first; all but the first are still pending, and each may yet be refused.
    var counterpartValues = OrderedTable<LaneKey, [CounterpartValue]>()
    /// Records given to the application that it has not taken over yet, oldest first.
    public internal(set) var pending: [InboundRecord] = []

    /// First flights of this side may have borne numbers below this one.
    public internal(set) var handshakesReserved: UInt64 = 0
    /// The highest number of the counterpart's first flights that brought early data.
    public internal(set) var handshakeTaken: UInt64 = 0
    /// The newest openings of this side that had a session, oldest first.
    var formerOpenings: [EpochID] = []
    /// The counterpart's openings that had one.
    var metOpenings = MetOpenings()
    /// What was last measured of the path to the counterpart; nil before anything was.
    public internal(set) var path: PathMemory?
    /// The idempotency keys of the counterpart's records.
    public internal(set) var keys = IdempotencyWindow()
    /// Records that wait for the word on the first one under their idempotency key, by that one.
    var followers = OrderedTable<RecordID, [RecordID]>()

    /// How much of the past is remembered; not part of what is written down.
    package var bounds = JournalBounds()

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
        let next = ownEpochs[epoch].next[lane]
        let lowest = Lane(rawValue: UInt8(lane)).flatMap { outbound.lowest(id, $0) }
        return min(lowest ?? next, next)
    }
}

/// One lane on its way out.
struct OutboundLane: Sendable {
    /// What the sender remembers of a key of a newest-per-key lane.
    struct KeyState: Sendable {
        /// Unsettled records of the key, oldest first.
        var live: [RecordAddress] = []
        /// The value accepted last.
        var newestID: RecordID
        var newestKind: ContentKind
        var newestPayload: [UInt8]
        /// The value the receiver is known to hold.
        var held: Held?
        /// The value deltas are formed against: committed by the receiver.
        var base: Base?
        /// The record that becomes the next base when the receiver has committed it.
        var marked: RecordAddress?
        /// The application said the held value again in this opening, and no record says so.
        var isSaidAgain = false
        /// Stands for the key in this session.
        var handle: UInt64?
        /// The receiver is known to know the handle.
        var isHandleKnown = false
        /// The receiver has applied its removal, and that is the last word.
        var isRemoved: Bool {
            live.isEmpty && newestKind.removesKey && held?.kind.removesKey ?? false
        }
        /// It has a value, and that is this side's.
        var isOfSet: Bool { !newestKind.removesKey && newestKind != .notKnown }
        /// What it counts against the bytes of its lane.
        var setBytes: Int { (isOfSet ? Lane.keyBytes : 0) + newestPayload.count }
    }

    struct Held: Sendable {
        /// The record that brought it there; number 0 where that is not known.
        var id: RecordID
        var kind: ContentKind
        var payload: [UInt8]
    }

    struct Base: Sendable {
        var numberLow: UInt8
        var fingerprintLow: UInt16
        var payload: [UInt8]
    }

    let lane: Lane
    let traits: LaneTraits
    /// One per epoch of the outbox, in the same order.
    var segments: [OutboundSegment] = []
    /// Records to leave again, in order.
    var resend: [RecordAddress] = []
    /// Records from here on were not yet offered in this session.
    var cursor = RecordAddress(epochIndex: 0, number: 0)
    /// The record whose parts are leaving.
    var inParts: RecordAddress?
    /// Epochs this session's greeting lists.
    var listedEpochs = 0
    var queuedRecords = 0
    var queuedBytes = 0
    /// Records and bytes offered in this session, and how many may be.
    var offered: UInt64 = 0
    var offeredBytes: UInt64 = 0
    var creditOffers: UInt64 = 0
    var creditBytes: UInt64 = 0
    /// The receiver had no room when this was the credit in offers; 0 if it always had.
    var pausedAtOffers: UInt64 = 0
    /// The lowest of the records it had no room for then.
    var pausedFrom = RecordAddress(epochIndex: 0, number: 0)
    /// Whether a record may not be offered anew until the credit is raised. One below all that were
    /// turned away may: the receiver makes room for it, and may be unable to raise the credit
    /// before it is whole.
    func isPaused(_ address: RecordAddress) -> Bool {
        pausedAtOffers >= creditOffers && pausedAtOffers > 0 && address >= pausedFrom
    }
    /// Something settled otherwise than in order: the receiver must hear of the floor.
    var floorIsDue = false
    /// Records offered in this session whose commit was not yet reported.
    var inFlight = 0
    /// Withdrawals to send, lowest address first, and those that await their answer.
    var withdrawals: [RecordAddress] = []
    var sentWithdrawals = OrderedTable<RecordAddress, Bool>()
    /// Durable records that the counterpart's greeting shows to have arrived, and whose commit it
    /// has not told: it owes a receipt for them, though nothing of them left in this session.
    var arrivedBefore = OrderedTable<RecordAddress, Bool>()
    /// Of a durable ordered lane: what of this opening the counterpart said it has committed.
    var confirmed = NumberRanges()
    /// Of an ordered lane: records settled whose settlement the journal does not hold yet.
    var settling = UnheardQueue()
    /// Numbers below these were announced as settled, per epoch.
    var announcedFloors: [UInt64] = []
    var keys = OrderedTable<RecordKey, KeyState>()
    /// Keys whose removal the receiver has applied, the oldest first; some may have a value again.
    var removedKeys: [RecordKey] = []
    /// An answer showed that the receiver does not hold what this side believes.
    var needsAudit = false
    /// The fingerprint of what the receiver is known to hold.
    var heldDigest = SetDigest()
    var nextHandle: UInt64 = 0
    /// What the newest values count at most; nil when it has to be counted.
    var setBytes: Int?

    init(lane: Lane) {
        self.lane = lane
        traits = lane.traits
    }

    /// Puts a record among those to leave again, in its place.
    mutating func scheduleResend(_ address: RecordAddress) { Self.insert(address, into: &resend) }

    /// Puts a record among those to take back, in its place.
    mutating func scheduleWithdrawal(_ address: RecordAddress) {
        Self.insert(address, into: &withdrawals)
    }

    private static func insert(_ address: RecordAddress, into list: inout [RecordAddress]) {
        let place = list.partitioningIndex { $0 >= address }
        if place < list.count, list[place] == address { return }
        list.insert(address, at: place)
    }

    // MARK: What the receiver can take

    /// Whether a record may leave, or be taken back, without the receiver having to remember more
    /// of the lane than it can. What the receiver was not told to be settled counts.
    func isWithin(_ span: UInt64, _ address: RecordAddress) -> Bool {
        guard address.epochIndex < listedEpochs else { return false }
        var before = address.number - min(address.number, segments[address.epochIndex].knownFloor)
        for segment in segments[..<address.epochIndex] {
            before += segment.end - min(segment.end, segment.knownFloor)
        }
        return before < span
    }

    /// Whether a value fits into the largest set that a receiver has to hold, or into so many of
    /// them. One that takes no more than the one before it always does.
    mutating func hasRoom(for payload: [UInt8], of key: RecordKey, inSets sets: Int = 1) -> Bool {
        let bytes = Lane.keyBytes + payload.count
        let former = keys[key]?.setBytes ?? 0
        if bytes <= former { return true }
        let limit = sets * traits.setByteLimit
        if let setBytes, setBytes - former + bytes <= limit {
            // Too much where a value was removed; counting tells when it matters.
            self.setBytes = setBytes - former + bytes
            return true
        }
        var others = 0
        for (other, state) in zip(keys.keys, keys.values) where other != key {
            others += state.setBytes
        }
        guard others + bytes <= limit else { return false }
        setBytes = others + bytes
        return true
    }

    /// The first record that is under way and has lost parts.
    mutating func nextLostPart() -> RecordAddress? {
        resend.first { address in
            guard let item = segments[address.epochIndex][address.number] else { return false }
            return item.isOffered && item.parts?.lost.isEmpty == false
        }
    }

    /// The next record to offer: what was lost first, then what is new. Nil when there is none.
    mutating func nextAddress() -> RecordAddress? {
        if let inParts {
            if let item = segments[inParts.epochIndex][inParts.number], item.isOffered,
                item.withdrawal == nil, item.stage < .received
            {
                return inParts
            }
            self.inParts = nil
        }
        while let first = resend.first {
            if let item = segments[first.epochIndex][first.number],
                isReady(item)
            {
                return first
            }
            resend.removeFirst()
        }
        while cursor.epochIndex < listedEpochs {
            let segment = segments[cursor.epochIndex]
            cursor.number = max(cursor.number, segment.floor)
            while cursor.number < segment.end {
                if let item = segment[cursor.number] {
                    if isReady(item) { return cursor }
                    // Its commit is under way; those behind it were committed no earlier.
                    if item.isWaiting { return nil }
                }
                cursor.number += 1
            }
            guard cursor.epochIndex + 1 < listedEpochs else { return nil }
            cursor = RecordAddress(epochIndex: cursor.epochIndex + 1, number: 0)
        }
        return nil
    }

    /// Whether a record may leave. A newest value leaves only when it is durable here: if a crash
    /// undid it, the counterpart would go on showing what this side no longer knows. But for the
    /// face: an application makes its state anew when it starts, and it is in a hurry. A record of
    /// an ordered lane leaves before, unless its draft said otherwise.
    private func isReady(_ item: OutboundItem) -> Bool {
        let mayOverlap = traits.order == .ordered || lane == .complication
        return item.isWaiting && (item.isDurableHere || (mayOverlap && !item.waitsForCommit))
    }

    /// The nearest unsettled record before `address`, in its own epoch or an older one.
    func livePredecessor(of address: RecordAddress) -> RecordAddress? {
        if let number = segments[address.epochIndex].liveNumber(before: address.number) {
            return RecordAddress(epochIndex: address.epochIndex, number: number)
        }
        var index = address.epochIndex
        while index > 0 {
            index -= 1
            if let number = segments[index].liveNumber(before: segments[index].end) {
                return RecordAddress(epochIndex: index, number: number)
            }
        }
        return nil
    }

    /// A floor that has moved is told when a record it passes, or is to pass, was not applied.
    mutating func noteFloor(_ epochIndex: Int) {
        guard epochIndex < announcedFloors.count else { return }
        let announced = announcedFloors[epochIndex]
        let segment = segments[epochIndex]
        if segment.highestHole >= announced, segment.durableFloor > announced {
            floorIsDue = true
        }
    }

    /// Gives back the credit of an offer that did not arrive.
    mutating func refund(_ item: inout OutboundItem) {
        if item.isInFlight { inFlight -= 1 }
        item.isOffered = false
        guard !item.isUncharged else {
            item.isUncharged = false
            return
        }
        offered = offered > 0 ? offered - 1 : 0
        let bytes = UInt64(item.chargedBytes)
        offeredBytes = offeredBytes > bytes ? offeredBytes - bytes : 0
        item.chargedBytes = 0
    }
}

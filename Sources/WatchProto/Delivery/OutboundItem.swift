/// A record on its way out, and how far it is.
struct OutboundItem: Sendable {
    var record: OutboundRecord
    /// The furthest stage known, reported or not.
    var stage: Stage = .queued
    /// Stages up to this one were reported; nil before the local commit.
    var reported: Stage?
    /// When it was accepted, in nanoseconds on the peer's monotonic clock; before that clock's
    /// origin, if an earlier process accepted it.
    var acceptedAt: Int64 = 0
    /// The counterpart reported it committed, and nothing shows that it has lost it since. (Its
    /// stage falls back in a new session also where a greeting merely cannot say so much.)
    var isHeldThere = false
    /// The local journal holds it.
    var isDurableHere: Bool
    /// It was given to a carrier at some time, in this process or perhaps in an earlier one.
    var wasTransmitted = false
    /// It is under way in this session.
    var isOffered = false
    /// A newer value of its key was accepted after it had been transmitted.
    var isSuperseded = false
    /// It is being taken back: as expired, or as cancelled.
    var withdrawal: Outcome?
    /// The receiver asked for the value whole.
    var needsWhole = false
    /// In this session it was sent with its key *and* a handle for it.
    var definedHandle = false
    /// What the counterpart said of it before the local commit ended.
    var heldOutcome: Outcome?
    /// The credit in offers that stood when it was offered, to tell a late refusal of an earlier
    /// offer from one of this.
    var offeredAtCredit: UInt64 = 0
    /// Payload bytes charged against the credit of this session.
    var chargedBytes = 0
    /// The head all its parts were cut with, once the first has left.
    var partHead: [UInt8] = []
    /// How often its parts were begun anew in this session.
    var cut = 0
    /// Bytes of the parts that have left, from the start.
    var sentThrough = 0
    /// Pieces that were lost and must leave again.
    var lostParts: [Range<Int>] = []

    init(record: OutboundRecord, isDurableHere: Bool) {
        self.record = record
        self.isDurableHere = isDurableHere
    }

    /// Whether it may leave (again) in this session.
    var isWaiting: Bool {
        stage < .received && !isOffered && !isSuperseded && withdrawal == nil && heldOutcome == nil
    }

    /// Whether an answer is owed for it in this session.
    var isInFlight: Bool { isOffered && stage < .committed }

    /// Forgets what only one session knew.
    mutating func endSession() {
        isOffered = false
        needsWhole = false
        definedHandle = false
        chargedBytes = 0
        partHead = []
        sentThrough = 0
        lostParts = []
        // Received but not committed may be gone with the receiver's memory.
        if stage == .received { stage = .sent }
    }
}

/// The unsettled records of one epoch and lane, found by number in O(1).
struct OutboundSegment: Sendable {
    /// The number of the record at the front; every lower one is settled.
    private(set) var floor: UInt64
    private var items: [OutboundItem?] = []
    private var head = 0
    /// Records in the segment that are not settled.
    private(set) var count = 0
    /// The number below which the local journal holds every settlement: what may be announced.
    /// Announcing more, the receiver would forget what a crash here makes us ask again.
    private(set) var durableFloor: UInt64
    /// The floor up to which settlements were given to the journal.
    var persistedFloor: UInt64
    /// The highest number settled otherwise than by being applied; 0 if there is none. The receiver
    /// must hear of a floor beyond it.
    var highestHole: UInt64 = 0
    /// The numbers that receipts of this session named, by the stage's raw value.
    private var reached = Array(repeating: NumberRanges(), count: Stage.allCases.count)

    init(floor: UInt64) {
        self.floor = floor
        durableFloor = floor
        persistedFloor = floor
    }

    /// The journal holds every settlement below `floor`.
    mutating func settlementsAreDurable(below floor: UInt64) {
        durableFloor = max(durableFloor, floor)
    }

    /// The floor as the receiver knows it, or learns with the next packet: what was applied it
    /// knows by itself, of what ended otherwise it must be told.
    var knownFloor: UInt64 { highestHole < durableFloor ? floor : durableFloor }

    /// Whether nothing of it is unsettled, as the local journal knows.
    var isDurablySettled: Bool { count == 0 && durableFloor == floor }

    /// The number after the last record.
    var end: UInt64 { floor + UInt64(items.count - head) }

    subscript(number: UInt64) -> OutboundItem? {
        get {
            guard number >= floor, number < end else { return nil }
            return items[head + Int(number - floor)]
        }
    }

    /// Whether the record of this number is unsettled and has not come as far as `stage`.
    func isBelow(_ stage: Stage, _ number: UInt64) -> Bool {
        guard number >= floor, number < end, let reached = items[head + Int(number - floor)]?.stage
        else { return false }
        return reached < stage
    }

    /// A receipt says that these came as far as `stage`: gives those of which this session heard
    /// that for the first time.
    mutating func reach(_ stage: Stage, _ numbers: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        let first = max(numbers.lowerBound, floor)
        let end = min(numbers.upperBound + 1, self.end)
        guard first < end else { return [] }
        let index = Int(stage.rawValue)
        reached[index].removeAll(below: floor)
        let news = reached[index].gaps(in: first...(end - 1))
        if !news.isEmpty { reached[index].insert(first...(end - 1)) }
        return news
    }

    /// A session begins: what had been reached may be so no more.
    mutating func forgetReached() {
        for index in reached.indices { reached[index] = NumberRanges() }
    }

    /// The numbers of the unsettled records among these, lowest first.
    func liveNumbers(in numbers: ClosedRange<UInt64>) -> [UInt64] {
        let first = max(numbers.lowerBound, floor)
        let end = min(numbers.upperBound + 1, self.end)
        guard first < end else { return [] }
        return (first..<end).filter { items[head + Int($0 - floor)] != nil }
    }

    /// Appends the record of number ``end``.
    mutating func append(_ item: OutboundItem) {
        items.append(item)
        count += 1
    }

    /// Leaves numbers out that are settled already (when restoring), up to `number`.
    mutating func skip(to number: UInt64) {
        if count == 0 {
            items.removeAll()
            head = 0
            floor = max(floor, number)
            durableFloor = floor
            persistedFloor = floor
            return
        }
        while end < number {
            // How it ended is not known here any more: perhaps the receiver never heard of it.
            highestHole = max(highestHole, end)
            items.append(nil)
        }
    }

    /// Changes a record in place; nil when it is settled or not of this segment.
    @discardableResult
    mutating func modify<Result>(
        _ number: UInt64, _ change: (inout OutboundItem) -> Result
    ) -> Result? {
        guard number >= floor, number < end else { return nil }
        let index = head + Int(number - floor)
        guard items[index] != nil else { return nil }
        return change(&items[index]!)
    }

    /// What is settled above the floor counts as unheard from `bound` on: the receiver has
    /// forgotten it.
    mutating func noteHoles(from bound: UInt64) {
        var number = end
        while number > max(bound, floor) {
            number -= 1
            if items[head + Int(number - floor)] == nil {
                highestHole = max(highestHole, number)
                return
            }
        }
    }

    /// Takes a settled record out and moves the floor past it if it stood there.
    mutating func remove(_ number: UInt64) -> OutboundItem? {
        guard number >= floor, number < end else { return nil }
        let index = head + Int(number - floor)
        guard let item = items[index] else { return nil }
        items[index] = nil
        count -= 1
        while head < items.count, items[head] == nil {
            head += 1
            floor += 1
        }
        if head > 64, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// The last unsettled record before `number` in this segment.
    func liveNumber(before number: UInt64) -> UInt64? {
        var candidate = min(number, end)
        while candidate > floor {
            candidate -= 1
            if items[head + Int(candidate - floor)] != nil { return candidate }
        }
        return nil
    }

    /// Visits every unsettled record, lowest number first.
    mutating func modifyAll(_ change: (UInt64, inout OutboundItem) -> Void) {
        var number = floor
        for index in head..<items.count {
            if items[index] != nil { change(number, &items[index]!) }
            number += 1
        }
    }
}

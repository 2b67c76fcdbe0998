/// The unsettled records of one epoch and lane, found by number in O(1).
struct OutboundSegment: Sendable {
    /// The number of the record at the front; every lower one is settled.
    private(set) var floor: UInt64
    private(set) var items: [OutboundItem?] = []
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

    /// Whether all that is unsettled is committed there, and waits for the application's word.
    var isAllHeldThere: Bool { items[head...].allSatisfy { $0.map(\.isHeldThere) ?? true } }

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

    /// Whether the record of this number is under way in this session; nil when it is settled.
    func isOffered(_ number: UInt64) -> Bool? {
        guard number >= floor, number < end else { return nil }
        return items[head + Int(number - floor)]?.isOffered
    }

    /// Whether the record of this number has content. False when it is settled.
    func hasPayload(_ number: UInt64) -> Bool {
        guard number >= floor, number < end else { return false }
        return items[head + Int(number - floor)]?.record.payload.isEmpty == false
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

    /// What is settled counts as unheard from `bound` on: the receiver has forgotten it.
    mutating func noteHoles(from bound: UInt64) {
        if bound < floor { highestHole = max(highestHole, floor - 1) }
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
    mutating func remove(_ number: UInt64) {
        guard number >= floor, number < end else { return }
        let index = head + Int(number - floor)
        guard items[index] != nil else { return }
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

/// One epoch of the counterpart: its rank among its epochs, and what arrived in each lane.
public struct InboundEpoch: Hashable, Sendable {
    /// Which epoch it is.
    public var id: EpochID
    /// A newer epoch ranks higher; (rank, number) orders values of one key.
    public var rank: UInt64
    /// The epoch before it, as the counterpart said.
    public var parent: EpochID?
    /// What arrived, by the lane's raw value.
    public var lanes: [InboundNumbers]
    /// Whether a durable record of this epoch ever arrived. (What its floors settle did not.)
    public var isUsed = false

    init(id: EpochID, rank: UInt64, parent: EpochID?) {
        self.id = id
        self.rank = rank
        self.parent = parent
        lanes = Lane.allCases.map { _ in InboundNumbers() }
    }
}

/// What became of the counterpart's records of one epoch and lane. A set that begins with 1 has a
/// floor: everything below the end of its first range is in.
public struct InboundNumbers: Hashable, Sendable {
    /// Given to the application, or over in another way: never to be given to it again.
    public var arrived = NumberRanges()
    /// Durable here, and neither refused nor withdrawn.
    public var committed = NumberRanges()
    /// Taken over by the application, durably.
    public var applied = NumberRanges()
    /// Settled by the sender, one by one or by a floor, before they were delivered.
    public var withdrawn = NumberRanges()
    /// Records that ended otherwise, lowest number first, until the sender's floor passes them.
    public var exceptions: [Exception] = []
    /// Below it the sender has settled everything; how is not remembered here.
    public var floor: UInt64 = 1
    /// The sender asks about numbers below this one although it had settled them once: it was
    /// restored from a backup. What is not remembered is answered as unknown.
    var unknownBelow: UInt64 = 1

    /// A record that was not applied, and why.
    public struct Exception: Hashable, Sendable {
        /// The record's number in its epoch and lane.
        public var number: UInt64
        /// How it ended.
        public var outcome: Outcome
    }

    init() {}

    /// Notes what the application said of a record that has arrived.
    mutating func dispose(_ number: UInt64, _ disposition: Disposition) {
        switch disposition {
        case .applied: applied.insert(number)
        case .pending: break
        case .rejected(let code): except(number, .rejected(code: code))
        }
    }

    /// Notes that the sender took a record back before it was delivered.
    mutating func withdraw(_ number: UInt64, _ outcome: Outcome) {
        arrived.insert(number)
        withdrawn.insert(number)
        except(number, outcome)
    }

    /// Notes that the sender has settled everything below `floor`.
    mutating func settle(below floor: UInt64) {
        guard floor > 1 else { return }
        self.floor = max(self.floor, floor)
        for range in arrived.gaps(in: 1...(floor - 1)) { withdrawn.insert(range) }
        arrived.insert(1...(floor - 1))
        committed.insert(1...(floor - 1))
        applied.insert(1...(floor - 1))
        // A floor says nothing of older epochs, so who follows a withdrawn record still waits for
        // those; records that much older are not under way any more.
        withdrawn.keepNewest(64, below: floor)
        let passed = place(of: floor)
        if passed > 0 { exceptions.removeFirst(passed) }
    }

    /// How an exceptional record ended.
    func exception(_ number: UInt64) -> Outcome? {
        if number < unknownBelow { return .unknown }
        let index = place(of: number)
        guard index < exceptions.count, exceptions[index].number == number else { return nil }
        return exceptions[index].outcome
    }

    /// How many numbers right after this one are unknown, if this one is.
    func unknown(after number: UInt64) -> UInt64 {
        number < unknownBelow ? unknownBelow - 1 - number : 0
    }

    /// Takes out what is not remembered well enough for a receipt.
    mutating func forgetUnknown() {
        arrived.removeAll(below: unknownBelow)
        committed.removeAll(below: unknownBelow)
        applied.removeAll(below: unknownBelow)
    }

    private mutating func except(_ number: UInt64, _ outcome: Outcome) {
        let index = place(of: number)
        guard index == exceptions.count || exceptions[index].number != number else { return }
        exceptions.insert(Exception(number: number, outcome: outcome), at: index)
    }

    /// Where the first exception of this number or a higher one stands, or would.
    private func place(of number: UInt64) -> Int {
        guard let last = exceptions.last, number <= last.number else { return exceptions.count }
        return exceptions.partitioningIndex { $0.number >= number }
    }

    /// Whether a record of this number or a higher one was given to the application. (What was
    /// taken back was not, and neither is what a floor alone tells of.)
    func wasGiven(from number: UInt64) -> Bool {
        let bound = max(number, floor)
        for range in arrived.ranges.reversed() {
            guard range.upperBound >= bound else { return false }
            if !withdrawn.covers(max(range.lowerBound, bound)...range.upperBound) { return true }
        }
        return false
    }

    /// Whether taking a number in would open a gap, or a second side of one.
    func scatters(_ number: UInt64) -> Bool {
        number != receivedThrough && !arrived.contains(number - 1)
            && !arrived.contains(number + 1)
    }

    /// The number up to which, exclusive, everything has arrived or is over.
    var receivedThrough: UInt64 {
        guard let first = arrived.ranges.first, first.lowerBound <= 1 else { return 1 }
        return first.upperBound + 1
    }
}

extension Disposition {
    var isRejection: Bool {
        if case .rejected = self { return true }
        return false
    }
}

/// Values by the identity of records. Identities come in ascending numbers and mostly go in that
/// order, too: no hashing, and both ends in O(1). Elsewhere a removal is a binary search, and an
/// insertion moves what stands behind it.
struct RecordTable<Value: Sendable>: Sendable {
    /// The records of one epoch and channel.
    private struct Group: Sendable {
        let epoch: EpochID
        let channel: Channel
        /// Ascending; those before `head` are gone.
        var numbers: [UInt64] = []
        /// Nil where the record was taken out.
        var values: [Value?] = []
        var head = 0
        var count = 0

        /// The first place from ``head`` on whose number is not below `number`.
        func place(of number: UInt64) -> Int {
            if head < numbers.count, numbers[head] >= number { return head }
            if let last = numbers.last, last < number { return numbers.count }
            var low = head
            var high = numbers.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// The place of a record that is there.
        func find(_ number: UInt64) -> Int? {
            let place = place(of: number)
            guard place < numbers.count, numbers[place] == number, values[place] != nil else {
                return nil
            }
            return place
        }

        mutating func set(_ number: UInt64, _ value: Value) {
            let place = place(of: number)
            if place < numbers.count, numbers[place] == number {
                if values[place] == nil { count += 1 }
                values[place] = value
                return
            }
            count += 1
            guard place < numbers.count else {
                numbers.append(number)
                values.append(value)
                return
            }
            numbers.insert(number, at: place)
            values.insert(value, at: place)
        }

        mutating func remove(_ number: UInt64) -> Value? {
            guard let place = find(number) else { return nil }
            let value = values[place]
            values[place] = nil
            count -= 1
            while head < values.count, values[head] == nil { head += 1 }
            if values.count > 64, count * 2 < values.count { sweep() }
            return value
        }

        var livePlaces: [Int] { (head..<values.count).filter { values[$0] != nil } }
        var liveNumbers: [UInt64] { livePlaces.map { numbers[$0] } }
        var liveValues: [Value] { values[head...].compactMap { $0 } }

        /// Leaves out what is gone.
        private mutating func sweep() {
            numbers = liveNumbers
            // The conversion of a whole array is a cast, which Embedded Swift does not have.
            values = liveValues.map { Optional($0) }
            head = 0
        }
    }

    /// In an order that what they hold decides alone: equal tables have equal lists.
    private var groups: [Group] = []

    /// Whether no record has a value.
    var isEmpty: Bool { groups.isEmpty }

    /// The values, epoch by epoch and channel by channel, the lowest number first. (Which epoch is
    /// the older one is not known here.)
    var values: [Value] { groups.flatMap { $0.liveValues } }

    /// The value of a record.
    subscript(id: RecordID) -> Value? {
        guard let group = group(of: id), let place = groups[group].find(id.number.rawValue) else {
            return nil
        }
        return groups[group].values[place]
    }

    /// Gives a record a value, in place of the one that it may have.
    mutating func set(_ id: RecordID, _ value: Value) {
        if let group = group(of: id) { return groups[group].set(id.number.rawValue, value) }
        let order = (id.epoch.rawValue, id.channel.rawValue)
        let place = groups.firstIndex { ($0.epoch.rawValue, $0.channel.rawValue) > order }
        groups.insert(Group(epoch: id.epoch, channel: id.channel), at: place ?? groups.count)
        groups[place ?? groups.count - 1].set(id.number.rawValue, value)
    }

    /// Changes the value of a record where it has one.
    mutating func modify(_ id: RecordID, _ change: (inout Value) -> Void) {
        guard let group = group(of: id), let place = groups[group].find(id.number.rawValue) else {
            return
        }
        change(&groups[group].values[place]!)
    }

    /// Takes a record out, and gives its value.
    @discardableResult
    mutating func remove(_ id: RecordID) -> Value? {
        guard let group = group(of: id) else { return nil }
        let value = groups[group].remove(id.number.rawValue)
        if groups[group].count == 0 { groups.remove(at: group) }
        return value
    }

    /// The lowest number of an epoch's records in a channel.
    func lowest(_ epoch: EpochID, _ channel: Channel) -> UInt64? {
        groups.first { $0.epoch == epoch && $0.channel == channel }.map { $0.numbers[$0.head] }
    }

    /// Few epochs hold records at a time, and mostly the newest is meant.
    private func group(of id: RecordID) -> Int? {
        groups.lastIndex { $0.epoch == id.epoch && $0.channel == id.channel }
    }
}

/// Two tables are equal when they hold the same.
extension RecordTable: Equatable where Value: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.groups.elementsEqual(right.groups) { group, other in
            group.epoch == other.epoch && group.channel == other.channel
                && group.liveNumbers == other.liveNumbers && group.liveValues == other.liveValues
        }
    }
}

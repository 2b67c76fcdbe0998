/// Small values by the identity of records, as runs of numbers with equal ones: records mostly end
/// in the order they were numbered, and alike, and then a thousand of them are one run.
struct RecordRuns<Value: Equatable & Sendable>: Sendable {
    /// Consecutive numbers with one value.
    private struct Run: Sendable {
        var first: UInt64
        var last: UInt64
        var value: Value
    }

    /// The records of one epoch and channel.
    private struct Group: Sendable {
        let epoch: EpochID
        let channel: Channel
        /// Ascending, and apart from each other where the value is the same.
        var runs: [Run] = []
        var count = 0

        /// The first run that does not end before `number`.
        func place(of number: UInt64) -> Int {
            if let last = runs.last, last.last < number { return runs.count }
            if let first = runs.first, number <= first.last { return 0 }
            var low = 0
            var high = runs.count
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].last < number { low = middle + 1 } else { high = middle }
            }
            return low
        }

        func value(of number: UInt64) -> Value? {
            let place = place(of: number)
            return place < runs.count && runs[place].first <= number ? runs[place].value : nil
        }

        /// The number has no value yet.
        mutating func add(_ number: UInt64, _ value: Value) {
            count += 1
            let place = place(of: number)
            let follows =
                place > 0 && runs[place - 1].last + 1 == number && runs[place - 1].value == value
            let precedes =
                place < runs.count && runs[place].first == number + 1 && runs[place].value == value
            if follows && precedes {
                runs[place - 1].last = runs[place].last
                runs.remove(at: place)
            } else if follows {
                runs[place - 1].last = number
            } else if precedes {
                runs[place].first = number
            } else {
                runs.insert(Run(first: number, last: number, value: value), at: place)
            }
        }

        mutating func remove(_ number: UInt64) {
            let place = place(of: number)
            guard place < runs.count, runs[place].first <= number else { return }
            count -= 1
            let run = runs[place]
            if run.first == run.last {
                runs.remove(at: place)
            } else if run.first == number {
                runs[place].first += 1
            } else if run.last == number {
                runs[place].last -= 1
            } else {
                runs[place].last = number - 1
                runs.insert(
                    Run(first: number + 1, last: run.last, value: run.value), at: place + 1)
            }
        }
    }

    private var groups: [Group] = []
    /// Records that have a value.
    private(set) var count = 0

    /// The value of a record.
    subscript(id: RecordID) -> Value? {
        group(of: id).flatMap { groups[$0].value(of: id.number.rawValue) }
    }

    /// Gives a record a value, in place of the one that it may have.
    mutating func set(_ id: RecordID, _ value: Value) {
        if let former = self[id] {
            if former == value { return }
            remove(id)
        }
        count += 1
        let group = group(of: id) ?? groups.count
        if group == groups.count { groups.append(Group(epoch: id.epoch, channel: id.channel)) }
        groups[group].add(id.number.rawValue, value)
    }

    /// Takes a record out.
    mutating func remove(_ id: RecordID) {
        guard let group = group(of: id), groups[group].value(of: id.number.rawValue) != nil else {
            return
        }
        remove(id.number.rawValue, from: group)
    }

    /// Takes one of the oldest out: of the epoch that came first, the lowest number of the channel
    /// that has the most.
    mutating func removeOldest() {
        guard let epoch = groups.first?.epoch else { return }
        var fullest = 0
        for group in groups.indices
        where groups[group].epoch == epoch && groups[group].count > groups[fullest].count {
            fullest = group
        }
        remove(groups[fullest].runs[0].first, from: fullest)
    }

    private mutating func remove(_ number: UInt64, from group: Int) {
        count -= 1
        groups[group].remove(number)
        if groups[group].runs.isEmpty { groups.remove(at: group) }
    }

    /// All of them, epoch by epoch and channel by channel as they first came, the lowest number
    /// first.
    var entries: [(id: RecordID, value: Value)] {
        groups.flatMap { group in
            group.runs.flatMap { run in
                (run.first...run.last).map { number in
                    let id = RecordID(
                        epoch: group.epoch, channel: group.channel, number: RecordNumber(number))
                    return (id, run.value)
                }
            }
        }
    }

    /// The same, as runs of numbers with equal values.
    var runs: [(first: RecordID, count: UInt64, value: Value)] {
        groups.flatMap { group in
            group.runs.map { run in
                let id = RecordID(
                    epoch: group.epoch, channel: group.channel, number: RecordNumber(run.first))
                return (id, run.last - run.first + 1, run.value)
            }
        }
    }

    /// Few epochs are spoken of at a time, and mostly the newest is meant.
    private func group(of id: RecordID) -> Int? {
        groups.lastIndex { $0.epoch == id.epoch && $0.channel == id.channel }
    }
}

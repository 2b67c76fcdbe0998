/// The expiry times of records, soonest first. A record that ended meanwhile stays until it comes
/// to the front, or until such records are too many.
struct ExpiryQueue: Sendable {
    private var list: [(moment: WallTime, id: RecordID)] = []
    private var head = 0

    /// The number of records that it holds.
    var count: Int { list.count - head }
    /// The record that expires first.
    var first: (moment: WallTime, id: RecordID)? { head < list.count ? list[head] : nil }

    /// Adds a record that expires at `moment`.
    mutating func insert(_ moment: WallTime, _ id: RecordID) {
        // Mostly each expires after the one before it.
        if list.last.map({ $0.moment <= moment }) ?? true {
            list.append((moment, id))
            return
        }
        list.removeFirst(head)
        head = 0
        list.insert((moment, id), at: list.partitioningIndex { $0.moment > moment })
    }

    /// Takes the first record out. There must be one.
    mutating func removeFirst() {
        head += 1
        if head > 64, head * 2 > list.count {
            list.removeFirst(head)
            head = 0
        }
    }

    /// Takes out the records whose moment has come, soonest first.
    mutating func takeDue(at clock: WallTime) -> [RecordID] {
        var due: [RecordID] = []
        while let first, first.moment <= clock {
            due.append(first.id)
            removeFirst()
        }
        return due
    }

    /// Takes out those of which this is not true.
    mutating func keep(_ isLive: (RecordID) -> Bool) {
        list = list[head...].filter { isLive($0.id) }
        head = 0
    }
}

/// When records lose their worth, soonest first. One that is over meanwhile stays until it comes to
/// the front, or until those that are over are too many.
struct ExpiryQueue: Sendable {
    private var list: [(moment: WallTime, id: RecordID)] = []
    private var head = 0

    var count: Int { list.count - head }
    var first: (moment: WallTime, id: RecordID)? { head < list.count ? list[head] : nil }

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

    /// Takes the first out. There must be one.
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

extension Outbox {
    mutating func noteExpiry(_ moment: WallTime, _ id: RecordID) {
        expiries.insert(moment, id)
        let queued = lanes.reduce(0) { $0 + $1.queuedRecords }
        guard expiries.count > 2 * queued + 64 else { return }
        var former = ExpiryQueue()
        swap(&former, &expiries)
        former.keep { !isOver($0) }
        expiries = former
    }

    /// A record is over or being taken back: nobody is to be woken for its sake.
    mutating func forgetExpiries() {
        while let first = expiries.first, isOver(first.id) { expiries.removeFirst() }
    }

    private func isOver(_ id: RecordID) -> Bool {
        guard let address = address(of: id),
            let item = lanes[Int(id.lane.rawValue)].segments[address.epochIndex][address.number]
        else { return true }
        return item.withdrawal != nil
    }
}

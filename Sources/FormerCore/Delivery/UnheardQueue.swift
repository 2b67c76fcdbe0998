/// Records whose settlement the journal does not hold yet, of one lane, as far as it matters which
/// of them has the lowest address. Settlements become durable in the order they were made, so one
/// with a lower one settled after it is never the lowest again: each record costs O(1) all in all.
struct UnheardQueue: Sendable {
    /// Those of which the counterpart never heard.
    private var unheard = Line()
    /// All of them, in the order they were settled.
    private var all = Line()

    /// Records that leave at the front.
    private struct Line: Sendable {
        var ids: [RecordID] = []
        private var head = 0

        var first: RecordID? { head < ids.count ? ids[head] : nil }
        var waiting: ArraySlice<RecordID> { ids[head...] }

        mutating func remove(_ id: RecordID) {
            guard first == id else { return }
            head += 1
            if head == ids.count || (head > 64 && head * 2 > ids.count) {
                ids.removeFirst(head)
                head = 0
            }
        }

        mutating func append(_ id: RecordID, isBefore: (RecordID, RecordID) -> Bool) {
            while ids.count > head, let last = ids.last, isBefore(id, last) { ids.removeLast() }
            ids.append(id)
        }
    }

    /// The one with the lowest address of those of which the counterpart never heard.
    var lowest: RecordID? { unheard.first }

    /// Adds a record just settled.
    mutating func append(
        _ id: RecordID, isUnheard: Bool, isBefore: (RecordID, RecordID) -> Bool
    ) {
        all.ids.append(id)
        if isUnheard { unheard.append(id, isBefore: isBefore) }
    }

    /// The counterpart has said anew what it knows of.
    mutating func hear(
        isUnheard: (RecordID) -> Bool, isBefore: (RecordID, RecordID) -> Bool
    ) {
        unheard = Line()
        for id in all.waiting where isUnheard(id) { unheard.append(id, isBefore: isBefore) }
    }

    /// The settlement of a record is durable.
    mutating func remove(_ id: RecordID) {
        all.remove(id)
        unheard.remove(id)
    }
}

extension Outbox {
    /// A record of an ordered lane is settled.
    mutating func noteSettling(_ id: RecordID, isUnheard: Bool) {
        let epochs = epochs
        lanes[Int(id.lane.rawValue)].settling.append(id, isUnheard: isUnheard) {
            Self.isBefore($0, $1, epochs)
        }
    }

    /// A session begins: a receiver that was wiped or restored from a backup has forgotten records
    /// that it had reported. Before it has greeted (nil), it may have forgotten any.
    mutating func hearAnew(_ greeting: Greeting?) {
        let epochs = epochs
        for index in lanes.indices {
            lanes[index].settling.hear { id in
                let known = greeting?.knownEpochs.first { $0.id == id.epoch }
                return id.number.rawValue >= known?.receivedThrough[index] ?? 1
            } isBefore: {
                Self.isBefore($0, $1, epochs)
            }
        }
    }

    private static func isBefore(_ left: RecordID, _ right: RecordID, _ epochs: [Epoch]) -> Bool {
        func place(_ id: RecordID) -> Int { epochs.firstIndex { $0.id == id.epoch } ?? 0 }
        return left.epoch == right.epoch ? left.number < right.number : place(left) < place(right)
    }

    /// Whether the settlement of one before `other` is not durable yet.
    func isUnheard(_ index: Int, before other: RecordAddress) -> Bool {
        guard let id = lanes[index].settling.lowest, let address = address(of: id) else {
            return false
        }
        return address < other
    }
}

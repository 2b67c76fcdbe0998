/// Records whose settlement the journal does not hold yet, of one lane, as far as it matters which
/// of them has the lowest address. Settlements become durable in the order they were made, so one
/// with a lower one settled after it is never the lowest again: each record costs O(1) all in all.
struct UnheardQueue: Sendable {
    private var ids: [RecordID] = []
    private var head = 0

    /// The one with the lowest address.
    var lowest: RecordID? { head < ids.count ? ids[head] : nil }

    /// Adds a record just settled.
    mutating func append(_ id: RecordID, isBefore: (RecordID, RecordID) -> Bool) {
        while ids.count > head, let last = ids.last, isBefore(id, last) { ids.removeLast() }
        ids.append(id)
    }

    /// The settlement of a record is durable.
    mutating func remove(_ id: RecordID) {
        guard lowest == id else { return }
        head += 1
        if head == ids.count {
            ids.removeAll()
            head = 0
        }
    }
}

extension Outbox {
    /// A record is settled of which the counterpart never heard.
    mutating func noteUnheard(_ id: RecordID) {
        let epochs = epochs
        func place(_ id: RecordID) -> Int { epochs.firstIndex { $0.id == id.epoch } ?? 0 }
        lanes[Int(id.lane.rawValue)].settlingUnheard.append(id) { left, right in
            left.epoch == right.epoch ? left.number < right.number : place(left) < place(right)
        }
    }

    /// Whether the settlement of one before `other` is not durable yet.
    func isUnheard(_ index: Int, before other: RecordAddress) -> Bool {
        guard let id = lanes[index].settlingUnheard.lowest, let address = address(of: id) else {
            return false
        }
        return address < other
    }
}

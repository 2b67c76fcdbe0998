/// Records of an ordered channel that came before their predecessor, and requests to cancel such.
/// To find those that wait for a record costs O(log n), and each is found once.
struct ReorderBuffer: Sendable {
    /// An item that is to be taken in its turn.
    enum Content: Sendable {
        case record(InboundRecord)
        case ending(RecordID, Outcome)

        /// Payload bytes.
        var bytes: Int {
            if case .record(let record) = self { return record.payload.count }
            return 0
        }
    }

    /// A buffered record, and the one it waits for.
    struct Waiting: Sendable {
        var address: RecordAddress
        var predecessor: RecordAddress
        var content: Content
    }

    /// By predecessor, the earliest first.
    private var list: [Waiting] = []
    private var members = OrderedTable<RecordAddress, RecordAddress>()
    /// Records in the buffer, and their payload bytes.
    private(set) var records = 0
    private(set) var bytes = 0
    /// Requests to cancel in the buffer.
    var endings: Int { list.count - records }
    /// Whether nothing waits.
    var isEmpty: Bool { list.isEmpty }

    /// Whether a record, or a request to cancel it, waits.
    func contains(_ address: RecordAddress) -> Bool { members[address] != nil }

    /// Adds a record that does not wait yet.
    mutating func insert(_ waiting: Waiting) {
        let place = list.partitioningIndex { !Self.precedes($0, waiting) }
        list.insert(waiting, at: place)
        members[waiting.address] = waiting.predecessor
        count(waiting.content, 1)
    }

    /// A buffered record is to end when its turn comes. Gives the payload bytes that are free; nil
    /// where it was no record.
    mutating func end(_ address: RecordAddress, _ outcome: Outcome) -> Int? {
        guard let predecessor = members[address] else { return nil }
        let start = list.partitioningIndex { !$0.predecessor.isBelow(predecessor) }
        guard let place = list[start...].firstIndex(where: { $0.address == address }),
            case .record(let record) = list[place].content
        else { return nil }
        count(list[place].content, -1)
        list[place].content = .ending(record.id, outcome)
        return record.payload.count
    }

    /// Takes out those whose predecessor is in an epoch of this index, up to `through`, lowest
    /// address first.
    mutating func takeWaiting(epochIndex: Int, through: UInt64) -> [Waiting] {
        let lowest = RecordAddress(epochIndex: epochIndex, number: 0)
        let start = list.partitioningIndex { !$0.predecessor.isBelow(lowest) }
        var end = start
        while end < list.count, list[end].predecessor.epochIndex == epochIndex,
            list[end].predecessor.number <= through
        {
            end += 1
        }
        guard start < end else { return [] }
        let taken = Array(list[start..<end]).sorted { $0.address.precedes($1.address) }
        list.removeSubrange(start..<end)
        for waiting in taken {
            members[waiting.address] = nil
            count(waiting.content, -1)
        }
        return taken
    }

    private mutating func count(_ content: Content, _ sign: Int) {
        guard case .record(let record) = content else { return }
        records += sign
        bytes += sign * record.payload.count
    }

    private static func precedes(_ left: Waiting, _ right: Waiting) -> Bool {
        left.predecessor == right.predecessor
            ? left.address.precedes(right.address) : left.predecessor.isBelow(right.predecessor)
    }
}

extension RecordAddress {
    /// Whether this address comes first where addresses are sorted by the index of their epoch.
    fileprivate func isBelow(_ other: RecordAddress) -> Bool {
        (epochIndex, number) < (other.epochIndex, other.number)
    }
}

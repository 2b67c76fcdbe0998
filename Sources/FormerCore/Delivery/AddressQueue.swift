/// Records about which something is to be told: each once, oldest first. Asking whether a record is
/// among them, adding one and taking the first cost O(1).
struct AddressQueue: Sendable {
    private var list: [RecordAddress] = []
    private var head = 0
    private var members = OrderedTable<RecordAddress, Bool>()

    var count: Int { list.count - head }
    var isEmpty: Bool { head == list.count }
    var first: RecordAddress? { isEmpty ? nil : list[head] }

    func contains(_ address: RecordAddress) -> Bool { members[address] != nil }

    /// Adds a record that is not among them yet.
    mutating func append(_ address: RecordAddress) {
        guard members[address] == nil else { return }
        members[address] = true
        list.append(address)
    }

    /// Takes the first out. There must be one.
    mutating func removeFirst() {
        members[list[head]] = nil
        head += 1
        if head == list.count {
            list.removeAll(keepingCapacity: list.capacity <= 64)
            head = 0
        } else if head > 64, head * 2 > list.count {
            list.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() { self = AddressQueue() }
}

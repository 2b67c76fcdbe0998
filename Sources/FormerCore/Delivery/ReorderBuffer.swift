/// Records of an ordered lane that came before their predecessors. To find those that wait for a
/// record costs O(log n), and each is found once.
struct ReorderBuffer: Sendable {
    /// A record, and the one it waits for.
    private struct Wait: Sendable {
        var predecessor: RecordAddress
        var address: RecordAddress

        static func < (left: Wait, right: Wait) -> Bool {
            (left.predecessor, left.address) < (right.predecessor, right.address)
        }
    }

    /// Lowest address first.
    private(set) var records: [InboundLane.Held] = []
    /// Bytes of their payloads.
    private(set) var bytes = 0
    /// Those whose predecessor has not arrived, lowest predecessor first.
    private var waits: [Wait] = []
    /// Those whose predecessor was taken back: they wait for all before it.
    private var waitsBehindWithdrawn: [Wait] = []

    var count: Int { records.count }
    var isEmpty: Bool { records.isEmpty }

    func contains(_ address: RecordAddress) -> Bool { self[address] != nil }

    subscript(address: RecordAddress) -> InboundLane.Held? {
        let place = self.place(of: address)
        return place < records.count && records[place].address == address ? records[place] : nil
    }

    /// Holds a record back until ``takeWaiting(on:_:)`` gives it out.
    mutating func insert(_ held: InboundLane.Held) {
        records.insert(held, at: place(of: held.address))
        bytes += held.record.payload.count
        let wait = Wait(predecessor: held.predecessor, address: held.address)
        waits.insert(wait, at: Self.place(of: wait, in: waits))
    }

    /// A record given out waits on: its predecessor was taken back.
    mutating func waitBehindWithdrawn(_ held: InboundLane.Held) {
        let wait = Wait(predecessor: held.predecessor, address: held.address)
        waitsBehindWithdrawn.insert(wait, at: Self.place(of: wait, in: waitsBehindWithdrawn))
    }

    /// The lowest predecessor that was taken back.
    var lowestWithdrawn: RecordAddress? { waitsBehindWithdrawn.first?.predecessor }

    /// The record behind the lowest predecessor that was taken back waits no more. There must be
    /// one.
    mutating func takeBehindLowestWithdrawn() -> RecordAddress {
        waitsBehindWithdrawn.removeFirst().address
    }

    /// Gives the records out that wait for one of these: they have arrived, or are over. They stay
    /// here until they are removed.
    mutating func takeWaiting(
        on epochIndex: Int, _ numbers: ClosedRange<UInt64>
    ) -> [RecordAddress] {
        let lowest = RecordAddress(epochIndex: 0, number: 0)
        let first = RecordAddress(epochIndex: epochIndex, number: numbers.lowerBound)
        let start = Self.place(of: Wait(predecessor: first, address: lowest), in: waits)
        var end = start
        while end < waits.count, waits[end].predecessor.epochIndex == epochIndex,
            waits[end].predecessor.number <= numbers.upperBound
        {
            end += 1
        }
        let taken = waits[start..<end].map { $0.address }
        waits.removeSubrange(start..<end)
        return taken
    }

    /// Takes a record out that ``takeWaiting(on:_:)`` has given.
    mutating func remove(_ address: RecordAddress) {
        let place = self.place(of: address)
        guard place < records.count, records[place].address == address else { return }
        bytes -= records.remove(at: place).record.payload.count
    }

    /// Takes out what is over by itself.
    mutating func removeAll(where isOver: (RecordAddress) -> Bool) {
        let count = records.count
        records.removeAll { held in
            guard isOver(held.address) else { return false }
            bytes -= held.record.payload.count
            return true
        }
        guard records.count < count else { return }
        waits.removeAll { isOver($0.address) }
        waitsBehindWithdrawn.removeAll { isOver($0.address) }
    }

    private func place(of address: RecordAddress) -> Int {
        records.partitioningIndex { !($0.address < address) }
    }

    private static func place(of wait: Wait, in waits: [Wait]) -> Int {
        waits.partitioningIndex { !($0 < wait) }
    }
}

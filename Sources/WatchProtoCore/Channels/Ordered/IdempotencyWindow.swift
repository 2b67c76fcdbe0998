/// The idempotency keys that a receiver remembers in a channel, each with the record that first
/// came under it and the application's word on that one. Beyond the bound in count or age a key is
/// forgotten, and a record under it counts as a new act.
struct IdempotencyWindow: Sendable {
    /// The number of keys that are remembered, the newest ones.
    static let capacity = 1024
    /// The time for which a key is remembered, on the receiver's wall clock. A clock set wrong by a
    /// day forgets nothing that is still retried.
    static let age: Duration = .seconds(7 * 86_400)
    /// The number of records that may wait for the word on the first one under their key. One more
    /// is rejected with ``noRoomCode``.
    static let followerLimit = JournalCoding.followerLimit
    /// The code of a rejection by the protocol itself, for want of room. No application uses it.
    static let noRoomCode: UInt16 = .max

    /// The memory of one key.
    struct Memory: Hashable, Sendable {
        /// The record that came first.
        var id: RecordID
        /// The application's last word on it.
        var word: Disposition
        /// The time at which it came.
        var notedAt: WallTime
    }

    private var memories = OrderedTable<UInt128, Memory>()
    private var order: [UInt128] = []
    private var head = 0

    /// The memory of a key at `clock`; nil where there is none, or it is too old.
    func memory(of key: UInt128, at clock: WallTime) -> Memory? {
        guard let memory = memories[key], !Self.isOver(memory, at: clock) else { return nil }
        return memory
    }

    /// Remembers a key. Keys that are too old by then, or beyond the capacity, are forgotten.
    mutating func note(_ key: UInt128, _ memory: Memory) {
        append(key, memory)
        while order.count - head > Self.capacity
            || memories[order[head]].map({ Self.isOver($0, at: memory.notedAt) }) ?? true
        {
            memories[order[head]] = nil
            head += 1
        }
        if head > Self.capacity {
            order.removeSubrange(..<head)
            head = 0
        }
    }

    /// Remembers a key as the newest one.
    mutating func append(_ key: UInt128, _ memory: Memory) {
        if memories[key] != nil {
            order.removeSubrange(..<head)
            head = 0
            order.removeAll { $0 == key }
        }
        memories[key] = memory
        order.append(key)
    }

    /// The application's later word on a record; nothing where another one came first.
    mutating func decide(_ key: UInt128, _ id: RecordID, _ word: Disposition) {
        memories.modify(key) { memory in
            if memory.id == id { memory.word = word }
        }
    }

    /// The remembered keys with their memories, oldest first.
    var entries: [(key: UInt128, memory: Memory)] {
        order[head...].compactMap { key in memories[key].map { (key, $0) } }
    }

    private static func isOver(_ memory: Memory, at clock: WallTime) -> Bool {
        let (passed, overflow) = clock.milliseconds.subtractingReportingOverflow(
            memory.notedAt.milliseconds)
        return passed > 0 && (overflow || passed > age.nanosecondsClamped / 1_000_000)
    }
}

extension IdempotencyWindow: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.entries.elementsEqual(right.entries) { $0.key == $1.key && $0.memory == $1.memory }
    }
}

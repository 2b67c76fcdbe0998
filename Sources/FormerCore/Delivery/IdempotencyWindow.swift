/// What an act is known by, however often its record is accepted: the caller's key, within a lane.
struct IdempotencyName: Hashable, Sendable {
    var lane: Lane
    var key: UInt128
}

/// The idempotency keys a receiver remembers, each with the record that first came under it and the
/// application's word on that one. Bounded in count and in age: beyond either a key is forgotten,
/// and a record under it counts as a new act.
public struct IdempotencyWindow: Sendable {
    /// How many keys of a pairing are remembered, the newest ones.
    public static let capacity = 1024
    /// How long a key is remembered, on the receiver's wall clock. Long enough that a clock set
    /// wrong by a day forgets nothing that is still tried again.
    public static let age: Duration = .seconds(7 * 86_400)
    /// How many records may wait for the word on the first one under their key; one more is refused
    /// with ``Outcome/noRoomCode``.
    static let followerLimit = 64

    struct Memory: Hashable, Sendable {
        /// The record that came first.
        var id: RecordID
        /// The application's last word on it.
        var word: Disposition
        /// When it came.
        var notedAt: WallTime
    }

    private var memories = OrderedTable<IdempotencyName, Memory>()
    private var order: [IdempotencyName] = []
    private var head = 0

    init() {}

    /// What is remembered of a key at `clock`.
    func memory(of name: IdempotencyName, at clock: WallTime) -> Memory? {
        guard let memory = memories[name], !Self.isOver(memory, at: clock) else { return nil }
        return memory
    }

    /// What is remembered of a key, however old.
    func entry(_ name: IdempotencyName) -> Memory? { memories[name] }

    /// Remembers a key. What is too old by then, or one too many, is forgotten.
    mutating func note(_ name: IdempotencyName, _ memory: Memory) {
        if memories[name] != nil {
            order.removeSubrange(..<head)
            head = 0
            order.removeAll { $0 == name }
        }
        memories[name] = memory
        order.append(name)
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

    /// Puts the next newer key in its place, as an image holds it.
    mutating func restore(_ name: IdempotencyName, _ memory: Memory) {
        memories[name] = memory
        order.append(name)
    }

    /// The application's later word on a record; nothing where another one came first.
    mutating func decide(_ name: IdempotencyName, _ id: RecordID, _ word: Disposition) {
        memories.modify(name) { memory in
            if memory.id == id { memory.word = word }
        }
    }

    /// What is remembered, oldest first.
    var entries: [(name: IdempotencyName, memory: Memory)] {
        order[head...].compactMap { name in memories[name].map { (name, $0) } }
    }

    private static func isOver(_ memory: Memory, at clock: WallTime) -> Bool {
        let (passed, overflow) = clock.milliseconds.subtractingReportingOverflow(
            memory.notedAt.milliseconds)
        return passed > 0 && (overflow || passed > age.nanosecondsClamped / 1_000_000)
    }
}

extension IdempotencyWindow: Equatable {
    /// Whether both remember the same, in the same order.
    public static func == (left: IdempotencyWindow, right: IdempotencyWindow) -> Bool {
        left.entries.elementsEqual(right.entries) { $0 == $1 }
    }
}

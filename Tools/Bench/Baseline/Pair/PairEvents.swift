import WatchProtoCore

/// The future events of a pair, earliest first. Events due in one moment happen in the order in
/// which they were added.
struct PairEvents {
    enum What {
        case arrival(side: Int, generation: Int, [UInt8])
        case receipt(side: Int, opening: Int, JournalReceipt)
        /// A stream whose buffer was full can take more.
        case writable(side: Int, generation: Int)
        case open(side: Int, generation: Int)
        /// A planted mistake.
        case repetition(side: Int, InboundRecord)
    }

    private struct Entry {
        var at: Instant
        var order: UInt64
        var what: What

        func isBefore(_ other: Entry) -> Bool {
            at == other.at ? order < other.order : at < other.at
        }
    }

    private var heap: [Entry] = []
    private var nextOrder: UInt64 = 0

    /// When the earliest is due.
    var first: Instant? { heap.first?.at }

    mutating func add(_ what: What, at: Instant) {
        heap.append(Entry(at: at, order: nextOrder, what: what))
        nextOrder += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func next() -> What? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last.what }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in (2 * parent + 1)...(2 * parent + 2)
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != parent else { return first.what }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

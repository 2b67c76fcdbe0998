import WatchProtoCore

/// A future event of a world, and its time.
struct WorldEvent {
    /// The kind of event.
    enum What {
        /// The application does the scenario's act of this index.
        case act(Int)
        /// The scenario's fault of this index begins.
        case fault(Int)
        /// Bytes arrive at `side` over the link of this generation.
        case arrival(side: Int, generation: Int, [UInt8])
        /// The carrier is open.
        case opened(side: Int, generation: Int)
        /// An attempt to open the carrier ends without one.
        case attemptFailed(side: Int, attempt: Int)
        /// The other end of the carrier is gone.
        case linkEnded(side: Int, generation: Int, CarrierFailure)
        /// The carrier may take more.
        case room(side: Int, generation: Int)
        /// The disk has made its first pending batch durable.
        case commit(side: Int, disk: Int)
        /// A receipt is handed out.
        case receipt(side: Int, life: Int, JournalReceipt)
        /// The host opens the journal again after an error.
        case reopen(side: Int, life: Int)
        /// A full disk has room again.
        case diskFreed(side: Int)
        /// The process dies while it recovers.
        case dieRecovering(side: Int, life: Int)
        /// The peer's deadline has come.
        case wake(side: Int, life: Int, token: Int)
        /// The application decides on a record it had left pending.
        case decide(side: Int, life: Int, ApplicationState.Note)
        /// The application answers an interactive record.
        case reply(side: Int, life: Int, RecordNumber)
        /// A connection whose message 1 crosses the listener's own is looked at again.
        case visit(side: Int, [[UInt8]])
        /// The application wants a link again.
        case activate(side: Int, life: Int)
        /// The process starts (again).
        case start(side: Int)
        /// The process goes on after a pause.
        case resume(side: Int)
        /// All faults end.
        case heal
        /// The world looks whether everything has settled.
        case look
    }

    var at: Instant
    var what: What

    /// The side whose process must run for this to happen to it; nil for the world's own events.
    var processSide: Int? {
        switch what {
        case .arrival(let side, _, _), .opened(let side, _), .attemptFailed(let side, _),
            .linkEnded(let side, _, _), .room(let side, _), .wake(let side, _, _),
            .decide(let side, _, _), .reply(let side, _, _), .activate(let side, _):
            side
        default: nil
        }
    }
}

/// A binary heap: the earliest event first, ties in the order of scheduling.
struct EventSchedule {
    /// The time of an event, and its place in the slots: an entry of the heap is small to move.
    private struct Entry {
        var at: Instant
        /// Breaks ties in the order of scheduling.
        var order: UInt64
        var slot: Int
    }

    private var heap: [Entry] = []
    private var slots: [WorldEvent.What?] = []
    private var freeSlots: [Int] = []
    private var nextOrder: UInt64 = 0

    mutating func add(_ what: WorldEvent.What, at: Instant) {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[free] = what
        } else {
            slot = slots.count
            slots.append(what)
        }
        heap.append(Entry(at: at, order: nextOrder, slot: slot))
        nextOrder += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func next() -> WorldEvent? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return take(last) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < heap.count && isBefore(child, least) {
                least = child
            }
            guard least != parent else { return take(first) }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private mutating func take(_ entry: Entry) -> WorldEvent? {
        guard let what = slots[entry.slot].take() else { return nil }
        freeSlots.append(entry.slot)
        return WorldEvent(at: entry.at, what: what)
    }

    /// Whether the next event is an arrival at `side` in this same moment.
    func nextIsArrival(at moment: Instant, side: Int) -> Bool {
        guard let first = heap.first, first.at == moment,
            case .arrival(side, _, _) = slots[first.slot]
        else { return false }
        return true
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        if heap[left].at != heap[right].at { return heap[left].at < heap[right].at }
        return heap[left].order < heap[right].order
    }
}

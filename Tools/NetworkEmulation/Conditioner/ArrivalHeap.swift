import Simulation
import WatchProtoCore

/// One arrival to come, and what it came from.
struct PlannedArrival {
    /// When it is due.
    var at: Instant
    /// Orders those of one moment.
    var number: UInt64
    /// The bytes to deliver.
    var bytes: [UInt8]
    /// When the packet has left; until then other network conditions may still change its fate.
    var departsAt: Instant
    /// The bytes as they were offered, for another offer; nil for a second copy.
    var original: [UInt8]?
    /// Which connection it belongs to; 0 on datagrams.
    var channel: Int

    func isBefore(_ other: PlannedArrival) -> Bool {
        at == other.at ? number < other.number : at < other.at
    }
}

/// Arrivals by their moment, the next one first.
///
/// A binary heap: O(log n) to add and to take.
struct ArrivalHeap {
    private(set) var elements: [PlannedArrival] = []

    var first: PlannedArrival? { elements.first }
    var count: Int { elements.count }

    mutating func insert(_ element: PlannedArrival) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard elements[index].isBefore(elements[parent]) else { return }
            elements.swapAt(index, parent)
            index = parent
        }
    }

    mutating func removeFirst() -> PlannedArrival {
        elements.swapAt(0, elements.count - 1)
        let first = elements.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[child].isBefore(elements[least]) {
                least = child
            }
            guard least != index else { return first }
            elements.swapAt(index, least)
            index = least
        }
    }

    /// Takes out all that `condition` holds for, in the order in which they were planned.
    mutating func removeAll(
        where condition: (PlannedArrival) -> Bool
    ) -> [PlannedArrival] {
        let all = elements
        elements = []
        var removed: [PlannedArrival] = []
        for element in all {
            if condition(element) { removed.append(element) } else { insert(element) }
        }
        return removed.sorted { $0.number < $1.number }
    }
}

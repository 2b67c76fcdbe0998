import WatchProtoCore

/// The packets that wait before a line: their departures in order, with their bytes.
struct LinkQueue: Sendable {
    private var departures: [Instant] = []
    private var sizes: [Int] = []
    private var head = 0
    /// Bytes of all that waits.
    private(set) var bytes = 0

    /// How many packets wait.
    var count: Int { departures.count - head }

    /// When the first of them will have left.
    var firstDeparture: Instant? { count > 0 ? departures[head] : nil }

    mutating func append(departsAt: Instant, bytes size: Int) {
        departures.append(departsAt)
        sizes.append(size)
        bytes += size
    }

    mutating func removeDeparted(by now: Instant) {
        while head < departures.count, departures[head] <= now {
            bytes -= sizes[head]
            head += 1
        }
        // The spent front goes in one sweep, so that each packet costs O(1).
        if head > 32, head * 2 > departures.count {
            departures.removeFirst(head)
            sizes.removeFirst(head)
            head = 0
        }
    }
}

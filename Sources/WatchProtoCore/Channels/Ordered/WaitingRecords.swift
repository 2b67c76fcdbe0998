/// Durable records that the counterpart has not reported committed, oldest first. Ages are measured
/// on the monotonic clock; ages at the start of the process follow from the wall clock.
struct WaitingRecords: Sendable {
    /// A record, and since when it has waited: nanoseconds of the monotonic clock, negative for one
    /// that is older than the clock.
    struct Entry: Hashable, Sendable {
        var id: RecordID
        var since: Int64
    }

    private var list: [Entry] = []
    private var head = 0

    /// The number of entries that it holds, those of records that wait no more included.
    var count: Int { list.count - head }

    /// Adds a record that was accepted at `since`. The caller adds the oldest first, or sorts them.
    mutating func append(_ id: RecordID, since: Int64) { list.append(Entry(id: id, since: since)) }

    /// The monotonic time at which an earlier process accepted a record, from the wall time
    /// `accepted`.
    static func since(_ accepted: WallTime, clock: WallTime, at now: Instant) -> Int64 {
        let (passed, overflow) = clock.milliseconds.subtractingReportingOverflow(
            accepted.milliseconds)
        // Beyond any age that is asked for, and small enough to reckon with.
        let limit: Int64 = 1 << 42
        let age = overflow ? (passed < 0 ? limit : 0) : min(limit, max(0, passed))
        return min(Int64(clamping: now.nanoseconds), .max / 2) - age * 1_000_000
    }

    /// Puts the oldest first.
    mutating func sort() {
        list.removeFirst(head)
        head = 0
        list.sort { $0.since < $1.since }
    }

    /// The record that has waited longest; those that wait no more are taken out.
    mutating func oldest(_ waits: (RecordID) -> Bool) -> Entry? {
        while head < list.count {
            if waits(list[head].id) { return list[head] }
            head += 1
            if head > 64, head * 2 > list.count {
                list.removeFirst(head)
                head = 0
            }
        }
        return nil
    }

    /// Takes out those that wait no more.
    mutating func keep(_ waits: (RecordID) -> Bool) {
        list = list[head...].filter { waits($0.id) }
        head = 0
    }
}

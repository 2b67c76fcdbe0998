/// Durable records that the counterpart has not reported committed, oldest first. Ages are measured
/// on the monotonic clock; what they were when the process began follows from the wall clock.
struct WaitingRecords: Sendable {
    /// A record, and since when it has waited: nanoseconds of the monotonic clock, negative for one
    /// that is older than the clock.
    struct Entry: Hashable, Sendable {
        var id: RecordID
        var since: Int64
    }

    private var list: [Entry] = []
    private var head = 0

    /// How many entries it holds, those of records that wait no more included.
    var count: Int { list.count - head }

    /// Adds a record that was accepted now.
    mutating func append(_ id: RecordID, at now: Instant) {
        list.append(Entry(id: id, since: Int64(clamping: now.nanoseconds)))
    }

    /// Adds a record of an earlier process, which the journal says was accepted at `accepted`. The
    /// caller adds such records before any other, and sorts them.
    mutating func restore(_ id: RecordID, accepted: WallTime, clock: WallTime, at now: Instant) {
        let (passed, overflow) = clock.milliseconds.subtractingReportingOverflow(
            accepted.milliseconds)
        // Beyond any age that is asked for, and small enough to reckon with.
        let limit: Int64 = 1 << 42
        let age = overflow ? (passed < 0 ? limit : 0) : min(limit, max(0, passed))
        list.append(Entry(id: id, since: Int64(clamping: now.nanoseconds) - age * 1_000_000))
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

/// How long durable records have waited for the counterpart's commit.
///
/// Within a process a record's age is measured on the monotonic clock; what it was when the process
/// started follows from the wall clock, and is never below zero. A wall clock that is set while the
/// process runs changes no age before the next start.
extension Outbox {
    /// A record that waits, and since when on the peer's monotonic clock, in nanoseconds.
    struct Waiting: Sendable {
        var id: RecordID
        var since: Int64
    }

    /// Gives the records of earlier processes their ages. Call once, before anything else; a record
    /// of which the journal does not say when it was accepted begins to age now.
    mutating func startAges(clock: WallTime, at now: Instant) {
        let present = Int64(clamping: now.nanoseconds)
        for lane in lanes.indices {
            for epoch in lanes[lane].segments.indices {
                lanes[lane].segments[epoch].modifyAll { _, item in
                    let accepted = item.record.acceptedAt ?? clock
                    let (passed, overflow) = clock.milliseconds.subtractingReportingOverflow(
                        accepted.milliseconds)
                    // Beyond any age that is asked for, and small enough to reckon with.
                    let limit: Int64 = 1 << 42
                    let age = overflow ? (passed < 0 ? limit : 0) : min(limit, max(0, passed))
                    item.acceptedAt = present - age * 1_000_000
                }
            }
        }
        gatherWaiting()
    }

    /// A record was accepted.
    mutating func noteAge(of id: RecordID, at now: Instant) {
        guard id.lane.traits.isDurable, let address = address(of: id) else { return }
        let since = Int64(clamping: now.nanoseconds)
        lanes[Int(id.lane.rawValue)].segments[address.epochIndex].modify(address.number) {
            $0.acceptedAt = since
        }
        waiting.append(Waiting(id: id, since: since))
        let queued = lanes.reduce(0) { $0 + $1.queuedRecords }
        if waiting.count - waitingHead > 2 * queued + 64 { gatherWaiting() }
    }

    /// The record that has waited longest; nil when none waits.
    mutating func oldestWaiting() -> Waiting? {
        while waitingHead < waiting.count {
            let first = waiting[waitingHead]
            if isWaiting(first.id) { return first }
            waitingHead += 1
            if waitingHead > 64, waitingHead * 2 > waiting.count {
                waiting.removeFirst(waitingHead)
                waitingHead = 0
            }
        }
        return nil
    }

    /// Lists anew what waits: something that was committed there is not any more, or too much that
    /// has come through stands between what has not.
    mutating func gatherWaiting() {
        waiting = []
        waitingHead = 0
        for lane in lanes where lane.traits.isDurable {
            for segment in lane.segments {
                for number in segment.floor..<segment.end {
                    guard let item = segment[number], isWaiting(item) else { continue }
                    waiting.append(Waiting(id: item.record.id, since: item.acceptedAt))
                }
            }
        }
        waiting.sort { $0.since < $1.since }
    }

    private func isWaiting(_ id: RecordID) -> Bool {
        guard let address = address(of: id),
            let item = lanes[Int(id.lane.rawValue)].segments[address.epochIndex][address.number]
        else { return false }
        return isWaiting(item)
    }

    private func isWaiting(_ item: OutboundItem) -> Bool {
        !item.isHeldThere && item.heldOutcome == nil
    }
}

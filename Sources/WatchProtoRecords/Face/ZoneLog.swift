import WatchProtoCore

/// The offsets of the wearer's local time that a device has seen: a journey stays known for some
/// days, so that it reopens nothing.
package struct ZoneLog: Sendable {
    /// Minutes for which a change of the offset stays known: nine days, as late entries are of the
    /// last seven.
    package static let memory = 9 * 1440
    /// The most minutes by which daylight saving changes an offset.
    private static let longestSaving = 60

    var known: ZoneTimeline?
    var last: WallMinute?
    /// The offsets and the minute of the last look in the file, as far as is known.
    var written: (known: ZoneTimeline, last: WallMinute)?

    /// Makes the log of a device that has seen nothing.
    package init() {}

    /// The offsets around the present.
    ///
    /// If the zone is not the one that was known, the wearer has travelled: its offset holds from
    /// now on. If the clock was set back, changes after it are forgotten.
    ///
    /// - Parameters:
    ///   - now: the present minute.
    ///   - zone: the offsets of the present zone, those of days before and after included.
    package mutating func offsets(at now: WallMinute, _ zone: ZoneTimeline) -> ZoneTimeline {
        defer { last = now }
        guard let known else {
            self.known = zone
            return zone
        }
        let oldest = now.advanced(by: -Self.memory)
        var changes = known.changes.filter { $0.at <= now }
        let first = changes.last { $0.at < oldest }?.offset ?? known.first
        changes.removeAll { $0.at < oldest }
        let here = zone.offset(at: now)
        let before = changes.last?.offset ?? first
        if before != here {
            changes.append(.init(at: begin(of: here, after: before, at: now, zone), here))
        }
        let offsets = ZoneTimeline(first, changes + zone.changes.filter { $0.at > now })
        self.known = offsets
        return offsets
    }

    /// The offsets, if they were asked for in this minute already; else nil.
    package func recent(at now: WallMinute) -> ZoneTimeline? { now == last ? known : nil }

    /// The minute from which on an offset holds that the device finds at `now`.
    private func begin(
        of here: ZoneOffset, after before: ZoneOffset, at now: WallMinute, _ zone: ZoneTimeline
    ) -> WallMinute {
        // Daylight saving begins at its minute, whenever the device looks.
        if let began = zone.changes.last(where: { $0.at <= now })?.at, let last, began > last {
            return began
        }
        // It began before the days of the rules if the device did not look for so long.
        let oldest = now.advanced(by: -ZoneTimeline.daysBefore * 1440)
        let isSaving = abs(Int(here.minutes) - Int(before.minutes)) <= Self.longestSaving
        return isSaving && last.map { $0 < oldest } ?? false ? oldest : now
    }
}

extension ZoneTimeline {
    /// Days before the present of which the rules of a zone are asked.
    static let daysBefore = 9

    /// The offset at a minute.
    package func offset(at minute: WallMinute) -> ZoneOffset {
        changes.last { $0.at <= minute }?.offset ?? first
    }

    /// The offsets of the days around `now`: nine before it, and four after it.
    ///
    /// - Parameters:
    ///   - now: the present minute.
    ///   - offset: the offset at a minute.
    package init(around now: WallMinute, _ offset: (WallMinute) -> ZoneOffset) {
        var begin = now.advanced(by: -Self.daysBefore * 1440)
        let end = now.advanced(by: 4 * 1440)
        let first = offset(begin)
        var last = first
        var changes: [Change] = []
        while begin < end {
            // No zone changes twice in six hours.
            let next = min(end, begin.advanced(by: 360))
            let reached = offset(next)
            if reached != last {
                var (low, high) = (begin, next)
                while high.minutes - low.minutes > 1 {
                    let middle = low.advanced(by: Int(high.minutes - low.minutes) / 2)
                    if offset(middle) == last { low = middle } else { high = middle }
                }
                changes.append(Change(at: high, reached))
                last = reached
            }
            begin = next
        }
        self.init(first, changes)
    }
}

import WatchProtoCore

/// The offsets of the wearer's local time, in the order in which they hold: the changes of daylight
/// saving, and those of travel.
package struct ZoneTimeline: Hashable, Sendable {
    /// A change of the offset.
    package struct Change: Hashable, Sendable {
        /// The first minute with the offset.
        package var at: WallMinute
        /// Local time minus UTC from then on.
        package var offset: ZoneOffset

        /// Makes the change to `offset` at `minute`.
        package init(at minute: WallMinute, _ offset: ZoneOffset) {
            at = minute
            self.offset = offset
        }
    }

    /// The offset before the first change.
    package let first: ZoneOffset
    /// The changes, ascending.
    package let changes: [Change]

    /// Makes the timeline; the changes may come in any order.
    package init(_ first: ZoneOffset, _ changes: [Change] = []) {
        self.first = first
        self.changes = changes.sorted { $0.at < $1.at }
    }

    /// The timeline of a medication's times: the wearer's, unless they are fixed.
    package func timeline(for rule: ZoneRule) -> ZoneTimeline {
        switch rule {
        case .floating: self
        case .fixed(let offset): ZoneTimeline(offset)
        case .absolute: ZoneTimeline(.utc)
        }
    }

    /// The local date at `minute`, in days since 2020-01-01.
    package func day(at minute: WallMinute) -> Int {
        Self.day(of: Int64(minute.minutes) + Int64(offset(at: minute).minutes))
    }

    /// The moment at which a minute of a local date is due: the first one at which the local clock
    /// shows that minute or a later one.
    ///
    /// A minute that occurs twice is due the first time. A minute or a date that is skipped is due
    /// when the clock jumps over it.
    package func due(_ dose: PlannedDose) -> DueTime {
        let local = Int64(dose.day) * 1440 + Int64(dose.minute)
        if changes.isEmpty {
            let minute = Int32(clamping: local - Int64(first.minutes))
            return DueTime(
                minute: WallMinute(minutes: minute), isMoved: false, isDateSkipped: false)
        }
        var start = Int64(Int32.min)
        for (offset, end) in segments {
            let minute = max(start, local - Int64(offset.minutes))
            if minute < end {
                let isMoved = minute + Int64(offset.minutes) != local
                return DueTime(
                    minute: WallMinute(minutes: Int32(clamping: minute)),
                    isMoved: isMoved, isDateSkipped: isMoved && !occurs(Int(dose.day)))
            }
            start = end
        }
        return DueTime(minute: WallMinute(minutes: .max), isMoved: true, isDateSkipped: true)
    }

    /// Whether any minute of the local date occurs.
    private func occurs(_ day: Int) -> Bool {
        var start = Int64(Int32.min)
        for (offset, end) in segments {
            let dayStart = Int64(day) * 1440 - Int64(offset.minutes)
            if max(start, dayStart) < min(end, dayStart + 1440) { return true }
            start = end
        }
        return false
    }

    /// The offsets with the minutes at which they end.
    private var segments: [(offset: ZoneOffset, end: Int64)] {
        let offsets = [first] + changes.map(\.offset)
        let ends = changes.map { Int64($0.at.minutes) } + [Int64(Int32.max) + 1]
        return Array(zip(offsets, ends))
    }

    private static func day(of local: Int64) -> Int {
        let (day, rest) = local.quotientAndRemainder(dividingBy: 1440)
        return Int(rest < 0 ? day - 1 : day)
    }
}

/// The moment at which a planned dose is due.
package struct DueTime: Hashable, Sendable {
    /// The moment.
    package let minute: WallMinute
    /// Whether the planned minute does not occur, so that the dose is due at another one.
    package let isMoved: Bool
    /// Whether the whole local date does not occur. A face says so.
    package let isDateSkipped: Bool
}

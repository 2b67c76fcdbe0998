/// A status as a face shows it: that of the events, or one that follows from the schedule and the
/// clock. The latter is never stored.
package struct DoseDisplay: Hashable, Sendable {
    /// The phases of a dose.
    package enum Phase: Hashable, Sendable {
        /// The dose is not due yet.
        case upcoming
        /// Its entry was added after the hour, so it was never due.
        case notDue
        /// The dose is due.
        case due
        /// The dose was due more than the grace period ago.
        case overdue
        /// The time for the dose is over, and nothing was recorded.
        case notLogged
        /// The reminder was postponed to this minute.
        case snoozed(WallMinute)
        /// The dose was taken.
        case taken
        /// The dose was skipped.
        case skipped
        /// The events conflict. A person has to resolve them.
        case conflicting
    }

    /// The phase.
    package let phase: Phase
    /// Whether another device may have closed the dose: this one has not compared its events since
    /// the dose fell due. Show "not checked since" with the time of the last comparison.
    package let isUnchecked: Bool
    /// The minute at which the phase changes next without a further event; nil if it stays.
    package let until: WallMinute?

    /// The display of a slot at the minute `now`.
    ///
    /// - Parameters:
    ///   - state: the slot's state.
    ///   - timing: when the slot was due.
    ///   - now: the minute of the display.
    ///   - checked: the minute of the last comparison that found equal sets of events; nil if there
    ///     was none.
    package init(
        _ state: DoseSlotState, _ timing: DoseTiming, now: WallMinute, checked: WallMinute?
    ) {
        if state.isClosed {
            phase = state.isConflicting ? .conflicting : state.taken.isEmpty ? .skipped : .taken
            isUnchecked = false
            until = nil
            return
        }
        let snoozedUntil = timing.snoozeEnd(of: state)
        (phase, until) = Self.open(timing, now, snoozedUntil)
        isUnchecked =
            phase != .notDue && Self.isUnchecked(due: timing.due, now: now, checked: checked)
    }

    /// Whether a dose without a closing event is due and unchecked (S-13). A check that is later
    /// than `now` does not count: the clock was changed since.
    private static func isUnchecked(
        due: WallMinute, now: WallMinute, checked: WallMinute?
    ) -> Bool {
        guard now >= due else { return false }
        return checked.map { $0 < due || $0 > now } ?? true
    }

    private static func open(
        _ timing: DoseTiming, _ now: WallMinute, _ snoozedUntil: WallMinute?
    ) -> (Phase, WallMinute?) {
        if let snoozedUntil, now < snoozedUntil { return (.snoozed(snoozedUntil), snoozedUntil) }
        if snoozedUntil == nil, let added = timing.lateAdding {
            if added <= now { return (.notDue, nil) }
            let (phase, until) = planned(timing, now, nil)
            return (phase, min(added, until ?? added))
        }
        return planned(timing, now, snoozedUntil)
    }

    /// The phase of a dose that is in the schedule and whose reminder is not postponed.
    private static func planned(
        _ timing: DoseTiming, _ now: WallMinute, _ snoozedUntil: WallMinute?
    ) -> (Phase, WallMinute?) {
        if now < timing.due { return (.upcoming, timing.due) }
        // After a snooze the dose is due anew, at least for the grace period.
        let start = max(timing.due, snoozedUntil ?? timing.due)
        let graceEnd = start.advanced(by: DoseTiming.grace)
        let end = snoozedUntil == nil ? timing.end : max(timing.end, graceEnd)
        if now < min(graceEnd, end) { return (.due, min(graceEnd, end)) }
        return now < end ? (.overdue, end) : (.notLogged, nil)
    }

    /// The minute of the reminder that every device gives, and none gives twice; nil if the slot is
    /// closed, or was never due as far as is known at the minute `now`.
    package static func reminder(
        _ state: DoseSlotState, _ timing: DoseTiming, at now: WallMinute
    ) -> WallMinute? {
        if state.isClosed { return nil }
        if let end = timing.snoozeEnd(of: state) { return end }
        return timing.lateAdding.map { $0 <= now } ?? false ? nil : timing.due
    }
}

/// The times of a slot, by its medication's schedule.
package struct DoseTiming: Hashable, Sendable {
    /// The minute at which the dose is due.
    package var due: WallMinute
    /// The minute at which the medication's next dose is due; nil if there is none.
    package var next: WallMinute?
    /// The minute at which the entry was added to the schedule; nil for a long time ago.
    package var added: WallMinute?

    /// Makes the times.
    package init(due: WallMinute, next: WallMinute? = nil, added: WallMinute? = nil) {
        self.due = due
        self.next = next
        self.added = added
    }

    /// Minutes from *due* to *overdue*.
    package static let grace = 30
    /// Minutes after which a dose is *not logged*, at the latest.
    package static let longest = 720
    /// Minutes after the dose is due at which a snooze ends, at the latest. Faces and reminders
    /// know the doses of two dates before the present one.
    package static let longestSnooze = 1440
    /// Minutes for which an entry is offered.
    static let lateEntries = 7 * 1440

    /// Minutes by which the clocks of two devices may differ without one of them being wrong.
    private static let clockDifference = 15

    /// The minute from which the dose is not due, because its entry was added after the hour; nil
    /// if it was added before.
    ///
    /// An entry that was added after the present says that the clock was set back since. Until then
    /// its doses are due like others, or they would be hidden until the clock has come so far.
    var lateAdding: WallMinute? {
        guard let added, added > due else { return nil }
        return added.advanced(by: -Self.clockDifference)
    }

    /// The minute from which a dose without an event is *not logged*: half-way to the next one, but
    /// at most 12 hours later. Midnight has no part in it.
    package var end: WallMinute {
        let longest = due.advanced(by: Self.longest)
        guard let next, next > due else { return longest }
        let half = (Int64(next.minutes) - Int64(due.minutes) + 1) / 2
        return min(longest, due.advanced(by: Int(half)))
    }

    /// The end of the snooze of a dose, at most a day after the dose is due (S-11); nil for none.
    func snoozeEnd(of state: DoseSlotState) -> WallMinute? {
        state.status?.snoozedUntil.map { min($0, due.advanced(by: Self.longestSnooze)) }
    }

    /// Whether an entry is still offered at `now`: up to seven days late.
    package func offersEntry(at now: WallMinute) -> Bool {
        now <= due.advanced(by: Self.lateEntries)
    }
}

extension WallMinute {
    /// The minute `count` later, clamped to the range.
    package func advanced(by count: Int) -> WallMinute {
        WallMinute(minutes: Int32(clamping: Int(minutes) + count))
    }
}

import WatchProtoCore

/// The reminders of a device: one for each dose that is open or snoozed. A dose that is closed or
/// snoozed on any device silences that of every device that hears of it (S-15).
///
/// A platform gives the reminders of a process that does not run. The first look therefore takes
/// those that are due already as given.
package struct DoseReminders: Sendable {
    /// A change of the reminders.
    package struct Change: Hashable, Sendable {
        /// The slot of the dose.
        package var slot: DoseSlot
        /// The minute of the reminder.
        package var minute: WallMinute
        /// Whether the reminder is given now. Otherwise it is silenced.
        package var isDue: Bool
    }

    private struct Standing {
        var minute: WallMinute
        var isGiven: Bool
        /// The end of the snooze that it follows.
        var snoozedUntil: WallMinute?
    }

    /// The most reminders that are to come, the earliest ones, and the most that were given, the
    /// latest ones.
    package static let largestCount = 512
    /// Minutes before a reminder from which on it stands.
    static let ahead = 1440

    private var standing: [DoseSlot: Standing] = [:]
    private var hasLooked = false

    /// A device without reminders.
    package init() {}

    /// Looks at the reminders as they are now.
    ///
    /// - Parameters:
    ///   - dosings: the medications, in any order.
    ///   - states: the states of the slots with events. All other slots are open.
    ///   - now: the minute of the wall clock.
    ///   - zone: the offsets of the wearer's local time.
    /// - Returns: the reminders that are given or silenced now, by minute.
    package mutating func look(
        _ dosings: some Collection<FaceDosing>, _ states: [DoseSlot: DoseSlotState],
        at now: WallMinute, zone: ZoneTimeline
    ) -> [Change] {
        var next: [DoseSlot: Standing] = [:]
        var changes: [Change] = []
        for (minute, slot) in Self.reminders(dosings, states, at: now, zone: zone) {
            var one = Standing(
                minute: minute, isGiven: minute <= now,
                snoozedUntil: states[slot]?.status?.snoozedUntil)
            if let former = standing[slot], former.minute == minute, former.isGiven {
                // The clock may have been set back: no reminder comes twice.
                one.isGiven = true
            } else if one.isGiven, hasLooked, now < minute.advanced(by: DoseTiming.grace) {
                changes.append(Change(slot: slot, minute: minute, isDue: true))
            }
            next[slot] = one
        }
        keepGiven(in: &next, dosings, states)
        for (slot, former) in standing where next[slot]?.minute != former.minute {
            guard let state = states[slot] else { continue }
            if state.isClosed || state.status?.snoozedUntil != nil {
                changes.append(Change(slot: slot, minute: former.minute, isDue: false))
            }
        }
        standing = next
        hasLooked = true
        return changes.sorted {
            ($0.minute, $0.slot.medication.rawValue, $0.slot.entry)
                < ($1.minute, $1.slot.medication.rawValue, $1.slot.entry)
        }
    }

    /// Keeps the reminders that were given until the dose is closed or snoozed anew, also where the
    /// clock is set to another day: none comes twice, and each can be silenced.
    private func keepGiven(
        in next: inout [DoseSlot: Standing], _ dosings: some Collection<FaceDosing>,
        _ states: [DoseSlot: DoseSlotState]
    ) {
        let given = standing.filter { slot, one in
            let state = states[slot]
            return one.isGiven && next[slot] == nil && !(state?.isClosed ?? false)
                && state?.status?.snoozedUntil == one.snoozedUntil
        }
        guard !given.isEmpty else { return }
        // A medication that is no longer taken has no reminders.
        let medications = Set(given.keys.map(\.medication))
        let taken = Set(
            dosings.lazy.filter { $0.isPlanned && medications.contains($0.medication) }
                .map(\.medication))
        let latest = given.filter { taken.contains($0.key.medication) }
            .sorted { $0.value.minute > $1.value.minute }.prefix(Self.largestCount)
        for (slot, one) in latest { next[slot] = one }
    }

    /// When the next reminder is to be given; nil for none that stands.
    package var next: WallMinute? {
        standing.values.lazy.filter { !$0.isGiven }.map(\.minute).min()
    }

    /// When the device looks again: at the next reminder, and at the latest after half of the time
    /// for which reminders stand ahead.
    package func nextLook(after now: WallMinute) -> WallMinute {
        let latest = now.advanced(by: Self.ahead / 2)
        return next.map { min($0, latest) } ?? latest
    }

    /// The reminders of doses that can still be taken, by minute.
    private static func reminders(
        _ dosings: some Collection<FaceDosing>, _ states: [DoseSlot: DoseSlotState],
        at now: WallMinute, zone: ZoneTimeline
    ) -> [(minute: WallMinute, slot: DoseSlot)] {
        let end = now.advanced(by: ahead)
        let known = SlotStates(states)
        var calendars: [FaceCalendar] = []
        var coming: [(minute: WallMinute, slot: DoseSlot)] = []
        var past: [(minute: WallMinute, slot: DoseSlot)] = []
        for dosing in dosings where dosing.isPlanned {
            let place =
                calendars.firstIndex { $0.rule == dosing.zone }
                ?? {
                    let times = zone.timeline(for: dosing.zone)
                    calendars.append(FaceCalendar(dosing.zone, times, at: now, until: end))
                    return calendars.count - 1
                }()
            let states = known.of(dosing.medication)
            for dose in calendars[place].doses(of: dosing) {
                // Most doses of a long list are over, or far ahead.
                if states.isEmpty, end < dose.timing.due || dose.timing.end <= now { continue }
                let state = states[dose.slot]
                guard let minute = DoseDisplay.reminder(state, dose.timing, at: now),
                    minute <= end,
                    DoseDisplay(state, dose.timing, now: now, checked: now).canBeTaken
                else { continue }
                if minute <= now {
                    insert((minute, dose.slot), into: &past)
                    if past.count > largestCount { past.removeFirst() }
                } else if coming.count < largestCount || minute < coming[largestCount - 1].minute {
                    insert((minute, dose.slot), into: &coming)
                    if coming.count > largestCount { coming.removeLast() }
                }
            }
        }
        return past + coming
    }

    private static func insert(
        _ one: (minute: WallMinute, slot: DoseSlot),
        into list: inout [(minute: WallMinute, slot: DoseSlot)]
    ) {
        var (first, end) = (0, list.count)
        while first < end {
            let middle = (first + end) / 2
            if list[middle].minute > one.minute { end = middle } else { first = middle + 1 }
        }
        list.insert(one, at: first)
    }
}

extension DoseDisplay {
    /// Whether the dose is still to be taken.
    fileprivate var canBeTaken: Bool {
        switch phase {
        case .upcoming, .due, .overdue, .snoozed: true
        case .notDue, .notLogged, .taken, .skipped, .conflicting: false
        }
    }
}

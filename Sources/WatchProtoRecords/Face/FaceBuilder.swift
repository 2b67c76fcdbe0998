import WatchProtoCore

/// Makes the entries of a timeline in passes over the medications: one finds the minutes, one
/// fills the entries. Its memory does not grow with the number of medications.
struct FaceBuilder {
    private let states: SlotStates
    private let now: WallMinute
    private let zone: ZoneTimeline
    private let checked: WallMinute?
    /// The minute at which the last entry ends.
    private(set) var end: WallMinute
    /// The earliest minutes after `now` at which something may change, ascending.
    private var minutes: [WallMinute] = []
    private var entries: [FaceEntry] = []
    /// The calendars of the zone rules in use.
    private var calendars: [FaceCalendar] = []
    /// The earliest dose after the window.
    private var later: FaceDose?

    init(
        _ states: [DoseSlot: DoseSlotState], at now: WallMinute, zone: ZoneTimeline,
        checked: WallMinute?
    ) {
        self.states = SlotStates(states)
        self.now = now
        self.zone = zone
        self.checked = checked
        // A clock beyond the dates that doses can have is wrong: nothing is known to be right.
        let isDated = UInt16(exactly: zone.day(at: now)) != nil
        end = isDated ? now.advanced(by: FaceTimeline.longest) : now
    }

    // MARK: The minutes

    /// Adds the minutes at which a dose of `dosing` changes, or its date.
    mutating func collectMinutes(of dosing: FaceDosing) {
        guard dosing.isPlanned else { return }
        let place = self.place(of: dosing.zone)
        let doses = calendars[place].doses(of: dosing)
        if doses.isEmpty { return }
        if !calendars[place].isCollected {
            calendars[place].isCollected = true
            for minute in calendars[place].dateChanges { collect(minute) }
        }
        let states = self.states.of(dosing.medication)
        for dose in doses {
            let state = states[dose.slot]
            var minute = now
            while minute < end {
                guard let next = nextChange(state, dose.timing, after: minute) else { break }
                collect(next)
                minute = next
            }
        }
    }

    /// The next minute at which a dose may look different.
    private func nextChange(
        _ state: DoseSlotState, _ timing: DoseTiming, after minute: WallMinute
    ) -> WallMinute? {
        if state.isClosed { return nil }
        let until = DoseDisplay(state, timing, now: minute, checked: checked).until
        // A snoozed dose is unchecked from its minute on.
        guard timing.due > minute else { return until }
        return min(until ?? timing.due, timing.due)
    }

    private mutating func collect(_ minute: WallMinute) {
        guard minute > now, minute < end else { return }
        if minutes.count == FaceTimeline.largestCount, let last = minutes.last, minute >= last {
            return
        }
        let place = minutes.firstIndex { $0 >= minute } ?? minutes.count
        if place < minutes.count, minutes[place] == minute { return }
        minutes.insert(minute, at: place)
        if minutes.count > FaceTimeline.largestCount { minutes.removeLast() }
    }

    // MARK: The entries

    /// Makes an empty entry for each minute. If there are too many minutes, the last one ends the
    /// timeline.
    mutating func beginEntries() {
        if minutes.count == FaceTimeline.largestCount { end = minutes.removeLast() }
        entries = ([now] + minutes).map { FaceEntry(at: $0) }
        for place in calendars.indices { calendars[place].setDates(of: entries) }
    }

    /// Adds the doses of `dosing` to the entries.
    mutating func addDoses(of dosing: FaceDosing) {
        guard dosing.isPlanned else { return }
        let calendar = calendars[place(of: dosing.zone)]
        let count = entries.count
        let states = self.states.of(dosing.medication)
        for dose in calendar.doses(of: dosing) {
            let state = states[dose.slot]
            let isTaken = !state.taken.isEmpty
            var place = 0
            while place < count {
                let minute = entries[place].minute
                let display = DoseDisplay(state, dose.timing, now: minute, checked: checked)
                let next = nextChange(state, dose.timing, after: minute)
                let shown = FaceDose(
                    slot: dose.slot, due: dose.timing.due, phase: display.phase,
                    isUnchecked: display.isUnchecked, isDateSkipped: dose.isDateSkipped)
                var changed = entries.mutableSpan
                repeat {
                    let age = calendar.dates[place] - dose.date
                    if age <= FaceCalendar.counted {
                        changed[place].add(shown, isTaken: isTaken, age: age)
                    }
                    place += 1
                } while place < count && next.map { changed[place].minute < $0 } ?? true
            }
        }
    }

    /// Whether an entry has no dose of the next days to name, so that later dates are searched.
    var needsLaterDose: Bool {
        let near = now.advanced(by: FaceTimeline.longest)
        return entries.contains { $0.headline.map { $0.minute >= near } ?? true }
    }

    /// Finds the first dose of `dosing` after the window.
    mutating func addLaterDose(of dosing: FaceDosing) {
        guard dosing.isPlanned else { return }
        let calendar = calendars[place(of: dosing.zone)]
        let states = self.states.of(dosing.medication)
        guard let dose = calendar.laterDose(of: dosing, after: end, { states[$0] }),
            later.map({ dose.goes(before: $0) }) ?? true
        else { return }
        later = dose
    }

    /// The entries that differ from their predecessors.
    var finishedEntries: [FaceEntry] {
        var finished: [FaceEntry] = []
        for var entry in entries {
            if let later, entry.headline.map({ later.goes(before: $0) }) ?? true {
                entry.headline = later
            }
            if finished.last.map({ entry.shows(the: $0) }) != true { finished.append(entry) }
        }
        return finished
    }

    private mutating func place(of rule: ZoneRule) -> Int {
        if let place = calendars.firstIndex(where: { $0.rule == rule }) { return place }
        calendars.append(FaceCalendar(rule, zone.timeline(for: rule), at: now, until: end))
        return calendars.count - 1
    }
}

extension FaceEntry {
    /// Adds a dose as it is shown at this entry's minute, `age` dates after its own.
    fileprivate mutating func add(_ dose: FaceDose, isTaken: Bool, age: Int) {
        let isToday = age == 0
        // Travel to the west can put the date before that of a dose that was due.
        let hasCome = age >= 0 || dose.due <= minute
        if isToday, dose.phase != .notDue { Self.count(&total) }
        if isToday, isTaken { Self.count(&taken) }
        if dose.isUnchecked { Self.count(&unchecked) }
        switch dose.phase {
        case .notDue, .taken: return
        case .skipped:
            if isToday { Self.count(&skipped) }
            return
        case .notLogged:
            if isToday { Self.count(&notLogged) }
            return
        case .conflicting:
            if hasCome { Self.count(&conflicting) }
            return
        case .due: Self.count(&due)
        case .overdue: Self.count(&overdue)
        case .snoozed: if hasCome { Self.count(&snoozed) }
        case .upcoming: break
        }
        if headline.map({ dose.goes(before: $0) }) ?? true { headline = dose }
    }

    private static func count(_ number: inout UInt16) { if number < .max { number += 1 } }
}

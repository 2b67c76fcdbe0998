import WatchProtoCore
import WatchProtoRecords

/// Short ways to make timelines around 2026-11-05, a Thursday, and the dates near it.
struct Faces {
    /// Days since 2020-01-01.
    static let day = 2500
    static let utc = ZoneTimeline(.utc)

    /// A minute of a date, counted from midnight UTC.
    static func minute(_ minute: Int, day: Int = day) -> WallMinute {
        WallMinute(minutes: Int32(day * 1440 + minute))
    }

    /// A medication that is due at these minutes of each date.
    static func dosing(
        _ number: Int, _ minutes: [Int], _ change: (inout FaceDosing) -> Void = { _ in }
    ) -> FaceDosing {
        var dosing = FaceDosing(
            MedicationID(rawValue: UInt128(number)),
            ScheduleEntries(DoseSlots(minutes: minutes) ?? DoseSlots()))
        change(&dosing)
        return dosing
    }

    static func dosing(
        _ minutes: [Int], _ change: (inout FaceDosing) -> Void = { _ in }
    ) -> FaceDosing {
        dosing(1, minutes, change)
    }

    static func slot(_ number: Int, _ entry: Int, day: Int = day) -> DoseSlot {
        DoseSlot(
            medication: MedicationID(rawValue: UInt128(number)), entry: UInt16(entry),
            day: UInt16(day))
    }

    /// A dose event of a slot, with an identity that follows from it and `number`.
    static func event(_ slot: DoseSlot, _ status: DoseStatus, _ number: Int = 0) -> DoseEvent {
        let identity =
            slot.medication.rawValue << 48 | UInt128(slot.day) << 32 | UInt128(slot.entry) << 16
            | UInt128(number + 1)
        return DoseEvent(
            id: DoseEventID(rawValue: identity), medication: slot.medication,
            planned: PlannedDose(day: slot.day, minute: Int(slot.entry) % 1440, entry: slot.entry),
            status: status, time: DoseTime(minute(0, day: Int(slot.day)).wallTime))
    }

    static func timeline(
        _ dosings: [FaceDosing], _ events: [DoseEvent] = [], at now: WallMinute,
        zone: ZoneTimeline = utc, checked: WallMinute? = WallMinute(minutes: 1)
    ) -> FaceTimeline {
        FaceTimeline(
            dosings, FaceTimeline.states(events), at: now, zone: zone, checked: checked)
    }
}

extension FaceTimeline {
    /// The counts and the phase of the headline at a minute.
    func look(_ minute: WallMinute) -> FaceEntry { shown(at: minute).entry }
}

/// A face by its definition, for one minute: every dose is looked at by itself.
struct PlainFace {
    var entry: FaceEntry

    init(
        _ dosings: [FaceDosing], _ states: [DoseSlot: DoseSlotState], at now: WallMinute,
        zone: ZoneTimeline, checked: WallMinute?
    ) {
        entry = FaceEntry(at: now)
        var candidates: [FaceDose] = []
        for dosing in dosings where dosing.isActive && !dosing.isAsNeeded {
            let local = zone.timeline(for: dosing.zone)
            let today = local.day(at: now)
            let planned = (today - 6...today + 20).flatMap { dosing.doses(on: $0) }
            let dues = planned.map { local.due($0) }
            for (dose, due) in zip(planned, dues) {
                let slot = DoseSlot(
                    medication: dosing.medication, entry: dose.entry, day: dose.day)
                let state = states[slot] ?? DoseSlotState(of: slot, [])
                let next = dues.map(\.minute).filter { $0 > due.minute }.min()
                let added = dosing.entries.added(dose.entry)
                let display = DoseDisplay(
                    state, DoseTiming(due: due.minute, next: next, added: added), now: now,
                    checked: checked)
                let date = due.isDateSkipped ? local.day(at: due.minute) : Int(dose.day)
                guard today - date <= 2 else { continue }
                count(
                    state, display, isToday: date == today,
                    hasCome: date <= today || due.minute <= now)
                switch display.phase {
                case .upcoming, .due, .overdue, .snoozed:
                    candidates.append(
                        FaceDose(
                            slot: slot, due: due.minute, phase: display.phase,
                            isUnchecked: display.isUnchecked, isDateSkipped: due.isDateSkipped))
                default: break
                }
            }
        }
        entry.headline = candidates.min { left, right in
            (Self.rank(left), left.minute, left.slot) < (Self.rank(right), right.minute, right.slot)
        }
    }

    private mutating func count(
        _ state: DoseSlotState, _ display: DoseDisplay, isToday: Bool, hasCome: Bool
    ) {
        let phase = display.phase
        entry.total += isToday && phase != .notDue ? 1 : 0
        entry.taken += isToday && !state.taken.isEmpty ? 1 : 0
        entry.skipped += isToday && phase == .skipped ? 1 : 0
        entry.notLogged += isToday && phase == .notLogged ? 1 : 0
        entry.due += phase == .due ? 1 : 0
        entry.overdue += phase == .overdue ? 1 : 0
        entry.conflicting += hasCome && phase == .conflicting ? 1 : 0
        entry.unchecked += display.isUnchecked ? 1 : 0
        if hasCome, case .snoozed = phase { entry.snoozed += 1 }
    }

    private static func rank(_ dose: FaceDose) -> Int {
        dose.phase == .overdue ? 0 : dose.phase == .due ? 1 : 2
    }
}

extension RecordSamples {
    mutating func faceMinute(_ first: Int, _ count: Int) -> WallMinute {
        Faces.minute(first + below(count))
    }

    /// No change of the offset, or up to two.
    mutating func zones() -> ZoneTimeline {
        if below(2) == 0 { return Faces.utc }
        let first = ZoneOffset(clamping: below(1561) - 720)
        var changes: [ZoneTimeline.Change] = []
        for _ in 0...below(2) {
            let offset = ZoneOffset(clamping: below(1561) - 720)
            changes.append(ZoneTimeline.Change(at: faceMinute(-1440, 5760), offset))
        }
        return ZoneTimeline(first, changes)
    }

    /// Up to four medications.
    mutating func dosings() -> [FaceDosing] {
        var dosings: [FaceDosing] = []
        for number in 1...(1 + below(4)) {
            var minutes: [Int] = []
            for _ in 0..<below(4) { minutes.append(below(1440)) }
            var dosing = Faces.dosing(number, minutes)
            if below(3) == 0 { dosing.zone = zone() }
            if below(3) == 0 { dosing.weekdays = Weekdays(rawValue: UInt8(1 + below(127))) }
            if below(4) == 0 {
                let added = faceMinute(-1440, 2880)
                dosing.entries = ScheduleEntries(
                    dosing.entries.list.map { entry in
                        let isOld = below(3) == 0
                        return ScheduleEntries.Entry(
                            number: entry.number, minute: entry.minute, added: isOld ? nil : added)
                    })
            }
            dosing.isActive = below(8) > 0
            dosing.isAsNeeded = below(8) == 0
            dosings.append(dosing)
        }
        return dosings
    }

    /// Events of about half of the doses near the date.
    mutating func events(of dosings: [FaceDosing]) -> [DoseEvent] {
        var events: [DoseEvent] = []
        for dosing in dosings {
            for day in Faces.day - 2...Faces.day + 2 {
                for dose in dosing.doses(on: day) {
                    if below(2) == 0 { continue }
                    let slot = DoseSlot(
                        medication: dosing.medication, entry: dose.entry, day: dose.day)
                    events.append(Faces.event(slot, faceStatus()))
                    if below(4) == 0 { events.append(Faces.event(slot, faceStatus(), 1)) }
                }
            }
        }
        return events
    }

    private mutating func faceStatus() -> DoseStatus {
        switch below(3) {
        case 0: .taken
        case 1: .skipped
        default: .snoozed(until: faceMinute(-1440, 4320))
        }
    }
}

extension FaceDosing {
    /// All entries were added at a minute; nil for a long time ago.
    mutating func setAdded(_ minute: WallMinute?) {
        entries = minute.map { entries.added(at: $0) } ?? entries.undated
    }
}

package import WatchProto

/// The dose events of the days around today, by their slots. The ledger has all events.
package struct DoseLog: Sendable {
    private var days: ClosedRange<UInt16>?
    private var bySlot: [DoseSlot: [DoseEventID: DoseEvent]] = [:]

    /// Makes a log without days.
    package init() {}

    /// Days after today: those of a timeline, those up to a dose of the longest interval, which a
    /// face may name and a person may take early, and one of travel.
    package static let daysAhead = 8 + MedicationSchedule.largestInterval

    /// Reads the events of the days around `clock`, unless they are here: those of a timeline, in
    /// zones whose days begin up to a day earlier or later than the clock's.
    package mutating func hold(
        around clock: WallClock, _ read: (ClosedRange<UInt16>) throws -> [DoseEvent]
    ) rethrows {
        let today = Int(WallMinute(clock.time).minutes) / 1440
        let window = UInt16(clamping: today - 5)...UInt16(clamping: today + Self.daysAhead)
        guard window != days else { return }
        let events = try read(window)
        days = window
        bySlot = [:]
        for event in events { insert(event) }
    }

    /// Adds an event of the days that are here.
    package mutating func insert(_ event: DoseEvent) {
        guard let slot = event.slot, days?.contains(slot.day) ?? false else { return }
        bySlot[slot, default: [:]][event.id] = event
    }

    /// The states of the slots of these days that have events.
    package var states: [DoseSlot: DoseSlotState] {
        var states: [DoseSlot: DoseSlotState] = [:]
        for (slot, events) in bySlot { states[slot] = DoseSlotState(of: slot, events.values) }
        return states
    }

    /// Whether an entry of a medication has events on these days, at another time than `minute`.
    func hasEvents(of medication: MedicationID, entry: UInt16, otherThan minute: Int?) -> Bool {
        bySlot.contains { slot, events in
            slot.medication == medication && slot.entry == entry
                && events.values.contains { event in
                    event.planned.map { Int($0.minute) != minute } ?? true
                }
        }
    }

    /// Whether a medication has events on these days for other entries than these.
    func hasEvents(of medication: MedicationID, otherThan entries: ScheduleEntries) -> Bool {
        bySlot.keys.contains { slot in
            slot.medication == medication && !entries.list.contains { $0.number == slot.entry }
        }
    }

    /// The state of a slot of these days.
    func state(of slot: DoseSlot) -> PlannedRow.State {
        PlannedRow.State(bySlot[slot].map { Array($0.values) } ?? [])
    }
}

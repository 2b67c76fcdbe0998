package import WatchProto

/// The dose events of the days around today, by their slots. The ledger has all events.
package struct DoseLog: Sendable {
    private var days: ClosedRange<UInt16>?
    private var settled: [DoseSlot: DoseSlotState] = [:]
    /// The events that are no heads of their slots: few slots have any.
    private var others: [DoseSlot: [DoseEvent]] = [:]
    /// Events that the states of their slots do not have yet: few slots have several events, and
    /// of those with very many a state for each event would take quadratic time.
    private var pending: [DoseSlot: [DoseEvent]] = [:]

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
        guard window != days else { return settle() }
        let events = try read(window)
        days = window
        (settled, others, pending) = ([:], [:], [:])
        for event in events { insert(event) }
        settle()
    }

    /// Adds an event of the days that are here.
    package mutating func insert(_ event: DoseEvent) {
        guard let slot = event.slot, days?.contains(slot.day) ?? false else { return }
        if settled[slot] == nil {
            set(slot, [event])
        } else {
            pending[slot, default: []].append(event)
        }
    }

    /// The states of the slots of these days that have events.
    package var states: [DoseSlot: DoseSlotState] {
        guard !pending.isEmpty else { return settled }
        var log = self
        log.settle()
        return log.settled
    }

    /// Makes the states of the slots with events that are pending.
    private mutating func settle() {
        for slot in pending.keys { set(slot, events(of: slot)) }
        pending = [:]
    }

    private mutating func set(_ slot: DoseSlot, _ events: [DoseEvent]) {
        let state = DoseSlotState(of: slot, events)
        settled[slot] = state
        let heads = Set(state.heads.map(\.id))
        let rest = events.filter { !heads.contains($0.id) }
        others[slot] = rest.isEmpty ? nil : rest
    }

    /// The events of a slot, each identity once.
    private func events(of slot: DoseSlot) -> [DoseEvent] {
        let known = (settled[slot]?.heads ?? []) + (others[slot] ?? [])
        guard let pending = pending[slot] else { return known }
        var seen = Set(known.map(\.id))
        return known + pending.filter { seen.insert($0.id).inserted }
    }

    /// Whether an entry of a medication has events on these days, at another time than `minute`.
    func hasEvents(of medication: MedicationID, entry: UInt16, otherThan minute: Int?) -> Bool {
        settled.keys.contains { slot in
            slot.medication == medication && slot.entry == entry
                && events(of: slot).contains { event in
                    event.planned.map { Int($0.minute) != minute } ?? true
                }
        }
    }

    /// Whether a medication has events on these days for other entries than these.
    func hasEvents(of medication: MedicationID, otherThan entries: ScheduleEntries) -> Bool {
        settled.keys.contains { slot in
            slot.medication == medication && !entries.list.contains { $0.number == slot.entry }
        }
    }
}

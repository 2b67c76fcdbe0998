import WatchProto

/// The dose events of the days around today, by their slots. The ledger has all events.
struct DoseLog: Sendable {
    private var days: ClosedRange<UInt16>?
    private var bySlot: [DoseSlot: [DoseEventID: DoseEvent]] = [:]

    /// Reads the events of the days around `clock`, unless they are here. A day of a zone of its
    /// own begins up to a day earlier or later than the clock's.
    mutating func hold(
        around clock: WallClock, _ read: (ClosedRange<UInt16>) throws -> [DoseEvent]
    ) rethrows {
        let today = Int(WallMinute(clock.time).minutes) / 1440
        let window = UInt16(clamping: today - 2)...UInt16(clamping: today + 2)
        guard window != days else { return }
        let events = try read(window)
        days = window
        bySlot = [:]
        for event in events { insert(event) }
    }

    /// Adds an event of the days that are here.
    mutating func insert(_ event: DoseEvent) {
        guard let slot = event.slot, days?.contains(slot.day) ?? false else { return }
        bySlot[slot, default: [:]][event.id] = event
    }

    /// The state of a slot of these days.
    func state(of slot: DoseSlot) -> PlannedRow.State {
        PlannedRow.State(bySlot[slot].map { Array($0.values) } ?? [])
    }
}

import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The reminders of the devices (rule 16).
extension DoseSimulation {
    static let dosings = [(1, [480, 1_200]), (2, [480])].map { medication, minutes in
        FaceDosing(MedicationID(rawValue: medication), ScheduleEntries(minutes: minutes))
    }

    /// A device looks at its reminders. It gives that of a dose that is open to it or whose snooze
    /// is over, and gives it once. A closed or snoozed dose silences a reminder that was given.
    func checkReminders(_ device: DoseDevice) {
        let now = device.clock.minute()
        let ledger = device.disk.state.withLock { $0.ledger }
        let events = Self.slots.map { ($0, ledger.events(of: $0)) }
        let states = view.states(events, device.index)
        var reminders = device.reminders.standing
        let changes = reminders.look(Self.dosings, states, at: now, zone: ZoneTimeline(.utc))
        // A mutant knows what its first look found, and nothing since.
        if mutant != .forgetsReminders || !device.reminders.hasLooked {
            device.reminders.standing = reminders
        }
        device.reminders.hasLooked = true
        for (slot, events) in events {
            check(changes.filter { $0.slot == slot }, slot, DoseOracle.slot(events), device)
        }
    }

    /// The changes of the reminder of one slot follow from its state.
    private func check(
        _ changes: [DoseReminders.Change], _ slot: DoseSlot, _ expected: DoseOracle.Slot,
        _ device: DoseDevice
    ) {
        let due = slot.due.minutes
        let minute = expected.end.map { min($0, due + 1_440) } ?? due
        let given = device.reminders.given[slot]
        let isSilenced = changes.contains { !$0.isDue }
        if isSilenced, !expected.isClosed, expected.end == nil || given == minute {
            report(.reminded, device.index, "the reminder of \(slot), which is open, is silenced")
        }
        if let given, expected.isClosed || given != minute {
            if !isSilenced, expected.isClosed || expected.end != nil {
                report(.reminded, device.index, "the reminder of \(slot) is not silenced")
            }
            device.reminders.given[slot] = nil
        }
        guard let change = changes.first(where: \.isDue) else { return }
        if expected.isClosed || change.minute.minutes != minute {
            report(
                .reminded, device.index,
                "a reminder of \(slot) at \(change.minute.minutes), which is \(expected)")
        }
        if device.reminders.given[slot] != nil {
            report(.reminded, device.index, "the reminder of \(slot) comes again")
        }
        device.reminders.given[slot] = minute
    }
}

/// The reminders of a device, and those that its wearer has seen.
struct DeviceReminders {
    var standing = DoseReminders()
    /// The minutes of the reminders that were given and not silenced.
    var given: [DoseSlot: Int32] = [:]
    var hasLooked = false
}

extension DoseSlot {
    /// The minute at which a dose of the simulation is due.
    fileprivate var due: WallMinute {
        WallMinute(minutes: Int32(day) * 1_440 + Int32(entry))
    }
}

extension DoseView {
    /// The states that the reminders of a device follow.
    func states(
        _ events: [(slot: DoseSlot, events: [DoseEvent])], _ device: Int
    ) -> [DoseSlot: DoseSlotState] {
        var states: [DoseSlot: DoseSlotState] = [:]
        for (slot, events) in events {
            let heard =
                mutant == .keepsReminder
                ? events.filter { $0.time.device == UInt32(device) } : events
            if !heard.isEmpty { states[slot] = DoseSlotState(of: slot, heard) }
        }
        return states
    }
}

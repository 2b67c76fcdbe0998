import WatchProtoCore
import WatchProtoRecords

/// Short ways to make events of one medication, with identities that count up.
struct Doses {
    static let medication = MedicationID(rawValue: 77)
    static let day: UInt16 = 2500
    static let planned = PlannedDose(day: day, minute: 480)!
    static let slot = DoseSlot(medication: medication, entry: 480, day: day)
    /// 08:00 UTC on the day.
    static let due = WallMinute(minutes: Int32(day) * 1440 + 480)

    private var last: UInt128 = 0

    mutating func id() -> DoseEventID {
        last += 1
        return DoseEventID(rawValue: last)
    }

    static func time(_ minutesAfterDue: Int = 0, device: UInt32? = nil) -> DoseTime {
        let minute = WallMinute(minutes: due.minutes + Int32(minutesAfterDue))
        return DoseTime(minute.wallTime, device: device)
    }

    mutating func record(
        _ status: DoseStatus, _ planned: PlannedDose? = planned, at time: DoseTime = time()
    ) -> DoseEvent {
        DoseEvent(
            id: id(), medication: Self.medication, planned: planned, status: status, time: time)
    }

    mutating func act(
        _ action: DoseAction, _ events: [DoseEvent], _ status: DoseStatus? = nil
    ) -> DoseEvent {
        DoseEvent(id: id(), action, events, status: status, time: Self.time())!
    }
}

/// The state of the slot of all `events`.
func state(_ events: DoseEvent...) -> DoseSlotState { DoseSlotState(of: Doses.slot, events) }

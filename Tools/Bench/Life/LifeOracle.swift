import WatchProtoCore
import WatchProtoRecords

/// The part of a face that can be wrong: the counts of the doses by phase, and the dose to take.
struct LifeFace: Hashable {
    var taken = 0
    var skipped = 0
    var due = 0
    var overdue = 0
    var snoozed = 0
    var notLogged = 0
    var conflicting = 0
    var unchecked = 0
    /// The dose that a face names if it is due or overdue.
    var pressing: DoseSlot?

    /// An empty face.
    init() {}

    /// The same part of an entry.
    init(_ entry: FaceEntry) {
        taken = Int(entry.taken)
        skipped = Int(entry.skipped)
        due = Int(entry.due)
        overdue = Int(entry.overdue)
        snoozed = Int(entry.snoozed)
        notLogged = Int(entry.notLogged)
        conflicting = Int(entry.conflicting)
        unchecked = Int(entry.unchecked)
        let isPressing = [.due, .overdue].contains(entry.headline?.phase)
        pressing = isPressing ? entry.headline?.slot : nil
    }
}

/// Says by the definition of a face, dose by dose, what a device that was told this must show.
///
/// It makes no timeline: it looks at every dose of the days around at the present minute.
struct LifeOracle {
    private struct Dose {
        var slot: DoseSlot
        var timing: DoseTiming
        var date: Int
        var zone: ZoneTimeline
    }

    private struct Key: Hashable {
        var version: Int
        var day: Int32
        var zone: ZoneTimeline
    }

    private var key: Key?
    private var doses: [Dose] = []

    /// The face of `device` at a minute under these offsets.
    ///
    /// - Parameters:
    ///   - device: the list and the doses that it was told.
    ///   - now: the minute of its clock.
    ///   - zone: the offsets.
    ///   - compared: when the ledgers were found equal last, by that clock.
    mutating func face(
        of device: LifeDevice, at now: WallMinute, _ zone: ZoneTimeline, compared: WallMinute?
    ) -> LifeFace {
        let key = Key(version: device.version, day: now.minutes / 1440, zone: zone)
        if key != self.key {
            self.key = key
            doses = Self.doses(of: device, at: now, zone)
        }
        var face = LifeFace()
        var first: (rank: Int, minute: WallMinute, slot: DoseSlot)?
        for dose in doses {
            let state = device.states[dose.slot] ?? DoseSlotState(of: dose.slot, [DoseEvent]())
            let today = dose.zone.day(at: now)
            guard today - dose.date <= 2 else { continue }
            let phase = DoseDisplay(state, dose.timing, now: now, checked: now).phase
            if today == dose.date, !state.taken.isEmpty { face.taken += 1 }
            let hasCome = dose.date <= today || dose.timing.due <= now
            let isCompared = compared.map { $0 >= dose.timing.due && $0 <= now } ?? false
            if !state.isClosed, phase != .notDue, dose.timing.due <= now, !isCompared {
                face.unchecked += 1
            }
            switch phase {
            case .skipped: face.skipped += today == dose.date ? 1 : 0
            case .snoozed: face.snoozed += hasCome ? 1 : 0
            case .notLogged: face.notLogged += today == dose.date ? 1 : 0
            case .conflicting: face.conflicting += hasCome ? 1 : 0
            case .due, .overdue:
                let isOverdue = phase == .overdue
                if isOverdue { face.overdue += 1 } else { face.due += 1 }
                let own = (isOverdue ? 0 : 1, dose.timing.due, dose.slot)
                if first.map({ own < ($0.rank, $0.minute, $0.slot) }) ?? true { first = own }
            default: break
            }
        }
        face.pressing = first?.slot
        return face
    }

    private static func doses(
        of device: LifeDevice, at now: WallMinute, _ zone: ZoneTimeline
    ) -> [Dose] {
        device.dosings.filter { $0.isActive && !$0.isAsNeeded }.flatMap { dosing in
            let local = zone.timeline(for: dosing.zone)
            let today = local.day(at: now)
            let planned = (today - 4...today + 5).flatMap { dosing.doses(on: $0) }
            let dues = planned.map { local.due($0) }
            return zip(planned, dues).map { dose, due in
                let slot = DoseSlot(
                    medication: dosing.medication, entry: dose.entry, day: dose.day)
                let next = dues.map(\.minute).filter { $0 > due.minute }.min()
                return Dose(
                    slot: slot,
                    timing: DoseTiming(
                        due: due.minute, next: next, added: dosing.entries.added(dose.entry)),
                    date: due.isDateSkipped ? local.day(at: due.minute) : Int(dose.day),
                    zone: local)
            }
        }
    }
}

import CommandLine
import WatchProtoCore
package import WatchProtoRecords

/// Invented states of a face, to look at each of them.
package enum FaceState: String, ArgumentChoice {
    /// A dose is still to come.
    case open
    /// A dose is due.
    case due
    /// A dose is overdue.
    case overdue
    /// All doses of today are taken.
    case taken
    /// Two entries for one dose conflict.
    case conflicting
    /// The reminder was postponed.
    case snoozed
    /// A dose is due, and its ledger was not compared since.
    case unchecked
    /// A dose is overdue, and the timeline has ended.
    case asOf = "as-of"
    /// No dose is planned.
    case nothing
    /// A dose is due, and the watch is locked.
    case locked
    /// Several doses are overdue, and one has a long name.
    case many

    /// The state at a moment.
    ///
    /// - Parameters:
    ///   - now: the present minute; the doses are minutes and hours before and after it.
    ///   - zone: the offsets of local time.
    ///   - drug: the medication that the face names.
    package func scene(
        at now: WallMinute, zone: ZoneTimeline, drug: FaceDrug = FaceState.drug
    ) -> FaceScene {
        var entry = FaceEntry(at: now)
        (entry.total, entry.taken) = (4, 1)
        func minute(_ distance: Int) -> WallMinute {
            WallMinute(minutes: now.minutes &+ Int32(distance))
        }
        func name(_ phase: DoseDisplay.Phase, _ distance: Int, isUnchecked: Bool = false) {
            entry.headline = FaceDose(
                slot: DoseSlot(medication: MedicationID(rawValue: 1), entry: 0, day: 0),
                due: minute(distance), phase: phase, isUnchecked: isUnchecked)
        }
        var drug = drug
        switch self {
        case .open: name(.upcoming, 95)
        case .due, .locked:
            name(.due, -10)
            entry.due = 1
        case .overdue, .asOf:
            name(.overdue, -75)
            entry.overdue = 1
        case .taken:
            name(.upcoming, 1440)
            entry.taken = 4
        case .conflicting:
            name(.upcoming, 95)
            entry.conflicting = 1
        case .snoozed:
            name(.snoozed(minute(8)), -12)
            entry.snoozed = 1
        case .unchecked:
            name(.due, -10, isUnchecked: true)
            (entry.due, entry.unchecked) = (1, 1)
        case .nothing: entry.total = 0
        case .many:
            name(.overdue, -75)
            (entry.overdue, entry.due, entry.skipped) = (3, 2, 1)
            entry.total = 9
            drug = FaceDrug(
                name: "Acetylsalicylic acid and dipyridamole", strength: "25 mg / 200 mg",
                color: 0xC020_60FF)
        }
        return FaceScene(
            ShownFace(entry, asOf: self == .asOf ? minute(-20) : nil), drug: drug,
            checked: minute(self == .unchecked ? -55 : 0), now: now, zone: zone,
            isPrivate: self == .locked, age: self == .open ? 8 : nil)
    }

    /// A medication for a face of the wearer's list that is not known.
    package static let drug = FaceDrug(
        name: "Metformin", strength: "2 × 500 mg", color: 0x3366_CCFF,
        among: ["Lisinopril", "Methyldopa"])
}

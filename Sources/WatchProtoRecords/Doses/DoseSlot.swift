/// The identity of one scheduled dose: the nominal local date and the number of an entry of the
/// medication's schedule. The minute is not part of it: the entry may move.
public struct DoseSlot: Hashable, Comparable, Sendable {
    /// The medication.
    public let medication: MedicationID
    /// The number of the schedule's entry, which survives edits of the schedule.
    public let entry: UInt16
    /// The local date, in days since 2020-01-01.
    public let day: UInt16

    /// Makes the slot of the entry `entry` on `day`.
    public init(medication: MedicationID, entry: UInt16, day: UInt16) {
        self.medication = medication
        self.entry = entry
        self.day = day
    }

    /// Whether `left` has the earlier date, or the lower medication or entry on the same date.
    public static func < (left: DoseSlot, right: DoseSlot) -> Bool {
        (left.day, left.medication, left.entry) < (right.day, right.medication, right.entry)
    }
}

/// A scheduled dose as an event knows it: the entry and the date that identify it, and the minute
/// at which the schedule had it.
public struct PlannedDose: Hashable, Comparable, Sendable {
    /// The local date, in days since 2020-01-01.
    public let day: UInt16
    /// Minutes of the day, 0 to 1,439.
    public let minute: UInt16
    /// The number of the schedule's entry.
    public let entry: UInt16

    /// Makes the dose of `minute` on `day`; nil if the minute is not one of a day. An entry that
    /// has kept its first time has the number of that minute.
    public init?(day: UInt16, minute: Int, entry: UInt16? = nil) {
        guard (0..<DoseSlots.minutesPerDay).contains(minute) else { return nil }
        self.day = day
        self.minute = UInt16(minute)
        self.entry = entry ?? UInt16(minute)
    }

    /// Whether `left` is planned for the earlier local minute.
    public static func < (left: PlannedDose, right: PlannedDose) -> Bool {
        (left.day, left.minute, left.entry) < (right.day, right.minute, right.entry)
    }
}

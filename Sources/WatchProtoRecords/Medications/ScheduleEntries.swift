/// The entries of a schedule: each time of the day with its number. The number is part of the
/// identity of a dose and survives edits; see ``DoseSlot``.
package struct ScheduleEntries: Hashable, Sendable {
    /// An entry.
    package struct Entry: Hashable, Sendable {
        /// The number, which never changes.
        package let number: UInt16
        /// The minute of the day, below 1,440.
        package let minute: Int
    }

    /// The entries, ascending by minute.
    package let list: [Entry]

    /// Makes the entries of a new schedule: the number of each is its minute.
    package init(_ slots: DoseSlots) { self.init(slots.minutes.map { (UInt16($0), $0) }) }

    private init(_ entries: [(number: UInt16, minute: Int)]) {
        list = entries.sorted { $0.minute < $1.minute }
            .map { Entry(number: $0.number, minute: $0.minute) }
    }

    /// The entries after an edit of the times.
    ///
    /// A time that stays keeps its entry. If as many times came as went, entries moved, in their
    /// order. Otherwise the times that came are new entries. The number of a new entry is its
    /// minute, or if another entry has that, the least one from 1,440 on that no entry has.
    ///
    /// - Parameters:
    ///   - slots: the times after the edit.
    ///   - isUsed: whether events have this number from 1,440 on, so that it is not free.
    package func edited(
        to slots: DoseSlots, isUsed: (UInt16) -> Bool = { _ in false }
    ) -> ScheduleEntries {
        let minutes = slots.minutes
        let stays = list.filter { minutes.contains($0.minute) }
        let went = list.filter { !minutes.contains($0.minute) }
        let came = minutes.filter { minute in !list.contains { $0.minute == minute } }
        var entries = stays.map { (number: $0.number, minute: $0.minute) }
        if went.count == came.count {
            entries += zip(went, came).map { (number: $0.number, minute: $1) }
            return ScheduleEntries(entries)
        }
        for minute in came {
            var number = UInt16(minute)
            if entries.contains(where: { $0.number == number }) {
                number = 1440
                while number < .max,
                    isUsed(number) || entries.contains(where: { $0.number == number })
                {
                    number += 1
                }
            }
            entries.append((number, minute))
        }
        return ScheduleEntries(entries)
    }

    /// The planned doses of one date, ascending by minute.
    package func doses(on day: UInt16) -> [PlannedDose] {
        list.compactMap { PlannedDose(day: day, minute: $0.minute, entry: $0.number) }
    }
}

extension LightweightMedication {
    /// The tag of the extension field with the entries' numbers.
    static let entriesTag: UInt8 = 1

    /// The entries of the schedule. Their numbers take room only if one is not its minute.
    ///
    /// Setting entries of other times than the schedule's has no effect but on the numbers.
    package var entries: ScheduleEntries {
        get { ScheduleEntries(schedule.slots, extensions[Self.entriesTag]) }
        set {
            let isUsual = newValue.list.allSatisfy { Int($0.number) == $0.minute }
            extensions[Self.entriesTag] =
                isUsual
                ? nil
                : newValue.list.flatMap { [UInt8($0.number & 0xFF), UInt8($0.number >> 8)] }
        }
    }
}

extension ScheduleEntries {
    /// Reads the numbers of an extension field. If it does not have a different number for each
    /// slot, the numbers are the minutes.
    init(_ slots: DoseSlots, _ field: [UInt8]?) {
        let minutes = slots.minutes
        guard let field, field.count == 2 * minutes.count else {
            self.init(slots)
            return
        }
        let numbers = minutes.indices.map { UInt16(field[2 * $0]) | UInt16(field[2 * $0 + 1]) << 8 }
        guard Set(numbers).count == numbers.count else {
            self.init(slots)
            return
        }
        self.init(Array(zip(numbers, minutes)))
    }
}

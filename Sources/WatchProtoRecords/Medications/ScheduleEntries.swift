/// The entries of a schedule: each time of the day with its number. The number is part of the
/// identity of a dose and survives edits; see ``DoseSlot``.
package struct ScheduleEntries: Hashable, Sendable {
    /// An entry.
    package struct Entry: Hashable, Sendable {
        /// The number, which never changes.
        package let number: UInt16
        /// The minute of the day, below 1,440.
        package let minute: Int
        /// When it was added to the schedule; nil for a long time ago. Doses from before are not
        /// due (S-12).
        package var added: WallMinute?

        /// Makes the entry.
        package init(number: UInt16, minute: Int, added: WallMinute? = nil) {
            self.number = number
            self.minute = minute
            self.added = added
        }
    }

    /// The entries, ascending by minute.
    package private(set) var list: [Entry]

    /// Makes the entries of a new schedule: the number of each is its minute.
    package init(_ slots: DoseSlots, added: WallMinute? = nil) {
        list = (0..<slots.count).map { place in
            Entry(number: UInt16(slots[place]), minute: slots[place], added: added)
        }
    }

    /// Makes the entries of a new schedule from its minutes, in any order.
    package init(minutes: some Sequence<Int>, added: WallMinute? = nil) {
        self.init(Set(minutes).map { Entry(number: UInt16($0), minute: $0, added: added) })
    }

    /// Makes the entries from entries that have different numbers and minutes, in any order.
    package init(_ entries: [Entry]) { list = entries.sorted { $0.minute < $1.minute } }

    /// The times of the day, ascending.
    package var minutes: [Int] { list.map(\.minute) }

    /// The entries after an edit of the times.
    ///
    /// A time that stays keeps its entry. If as many times came as went, entries moved, in their
    /// order. Otherwise the times that came are new entries. The number of a new entry is its
    /// minute, or if another entry has that, the least one from 1,440 on that no entry has.
    ///
    /// - Parameters:
    ///   - minutes: the times after the edit, in any order.
    ///   - now: the minute of the edit.
    ///   - isUsed: whether events have this number at another time than this, so that it is not
    ///     free. A number from 1,440 on has no time of its own.
    package func edited(
        to minutes: some Sequence<Int>, at now: WallMinute? = nil,
        isUsed: (_ number: UInt16, _ minute: Int?) -> Bool = { _, _ in false }
    ) -> ScheduleEntries {
        let minutes = Set(minutes).sorted()
        var entries = list.filter { minutes.contains($0.minute) }
        let went = list.filter { !minutes.contains($0.minute) }
        let came = minutes.filter { minute in !list.contains { $0.minute == minute } }
        if went.count == came.count {
            entries += zip(went, came).map {
                Entry(number: $0.number, minute: $1, added: $0.added)
            }
            return ScheduleEntries(entries)
        }
        for minute in came {
            var number = UInt16(minute)
            if isUsed(number, minute) || entries.contains(where: { $0.number == number }) {
                number = 1440
                while number < .max,
                    isUsed(number, nil) || entries.contains(where: { $0.number == number })
                {
                    number += 1
                }
            }
            entries.append(Entry(number: number, minute: minute, added: now))
        }
        return ScheduleEntries(entries)
    }

    /// The same entries, where those with these numbers were added at a minute.
    package func added(_ numbers: Set<UInt16>, at minute: WallMinute) -> ScheduleEntries {
        var entries = self
        for place in list.indices where numbers.contains(list[place].number) {
            entries.list[place].added = minute
        }
        return entries
    }

    /// The same entries, all added at a minute.
    package func added(at minute: WallMinute) -> ScheduleEntries {
        ScheduleEntries(list.map { Entry(number: $0.number, minute: $0.minute, added: minute) })
    }

    /// The same entries, where those that were added a long time ago were added at a minute.
    package func known(since minute: WallMinute) -> ScheduleEntries {
        var entries = self
        for place in list.indices { entries.list[place].added = list[place].added ?? minute }
        return entries
    }

    /// The same entries, all added a long time ago.
    package var undated: ScheduleEntries {
        ScheduleEntries(list.map { Entry(number: $0.number, minute: $0.minute) })
    }

    /// The same entries, where those that were added before a minute were so a long time ago.
    package func forgetting(before minute: WallMinute) -> ScheduleEntries {
        var entries = self
        for place in list.indices {
            entries.list[place].added = list[place].added.flatMap { $0 < minute ? nil : $0 }
        }
        return entries
    }

    /// When the entry with a number was added; nil for a long time ago.
    package func added(_ number: UInt16) -> WallMinute? {
        list.first { $0.number == number }?.added
    }

    /// The planned doses of one date, ascending by minute.
    package func doses(on day: UInt16) -> [PlannedDose] {
        list.compactMap { PlannedDose(day: day, minute: $0.minute, entry: $0.number) }
    }
}

extension LightweightMedication {
    /// The tag of the extension field with the entries' numbers, in two bytes each, the lowest
    /// first.
    static let entriesTag: UInt8 = 1
    /// The tag of the extension field with the minute at which entries were added, in four bytes,
    /// the lowest first. If the entries differ, two bytes each follow: how many minutes before that
    /// one the entry was added, or 0xFFFF for a long time ago.
    static let addedTag: UInt8 = 3

    /// The entries of the schedule. Their numbers take room only if one is not its minute, and the
    /// moments of adding only if there is one.
    ///
    /// Setting entries of other times than the schedule's has no effect but on these.
    package var entries: ScheduleEntries {
        get { ScheduleEntries(schedule.slots, extensions) }
        set {
            let isUsual = newValue.list.allSatisfy { Int($0.number) == $0.minute }
            extensions[Self.entriesTag] =
                isUsual ? nil : newValue.list.flatMap { Self.bytes($0.number) }
            extensions[Self.addedTag] = Self.addedField(newValue)
        }
    }

    private static func addedField(_ entries: ScheduleEntries) -> [UInt8]? {
        let minutes = entries.list.map { $0.added?.minutes }
        guard let latest = minutes.compactMap({ $0 }).max() else { return nil }
        let bits = UInt32(bitPattern: latest)
        let base = Self.bytes(UInt16(truncatingIfNeeded: bits)) + Self.bytes(UInt16(bits >> 16))
        if minutes.allSatisfy({ $0 == latest }) { return base }
        return base
            + minutes.flatMap { minute in
                Self.bytes(minute.map { UInt16(min(Int(latest) - Int($0), 0xFFFE)) } ?? .max)
            }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)]
    }
}

extension ScheduleEntries {
    /// Reads the fields of a record. If the numbers are not a different one for each slot, they are
    /// the minutes. If the moments of adding do not fit the slots, all were a long time ago.
    init(_ slots: DoseSlots, _ extensions: ExtensionFields) {
        self.init(slots)
        if let numbers = extensions[LightweightMedication.entriesTag].map(Self.numbers),
            numbers.count == list.count, Set(numbers).count == numbers.count
        {
            list = zip(list, numbers).map { Entry(number: $1, minute: $0.minute) }
        }
        guard let field = extensions[LightweightMedication.addedTag].map(Self.numbers),
            field.count == 2 || field.count == 2 + list.count
        else { return }
        let base = Int32(bitPattern: UInt32(field[0]) | UInt32(field[1]) << 16)
        for place in list.indices {
            let age = field.count == 2 ? 0 : field[2 + place]
            guard age != .max else { continue }
            list[place].added = WallMinute(minutes: base &- Int32(age))
        }
    }

    /// The numbers of two bytes each; none for an odd count of bytes.
    private static func numbers(_ field: [UInt8]) -> [UInt16] {
        guard field.count % 2 == 0 else { return [] }
        return stride(from: 0, to: field.count, by: 2).map {
            UInt16(field[$0]) | UInt16(field[$0 + 1]) << 8
        }
    }
}

import ReferenceDevice
import WatchProto
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoTransport

/// The contents of a measured store: a list of medications, again and again under new identities,
/// and a history of doses.
struct StoreFiller {
    /// Of every medication.
    static let dosesEach = 10

    let medications: [Medication]
    private let clock: WallClock

    /// Makes `count` medications out of `list`.
    init(_ list: [Medication], count: Int, clock: WallClock) {
        var generator = SeededGenerator(seed: 7)
        var made: [Medication] = []
        made.reserveCapacity(count)
        for index in 0..<count {
            var medication = list[index % list.count]
            let high = UInt128(generator.next())
            medication.id = MedicationID(rawValue: high << 64 | UInt128(generator.next()))
            // Every one has doses, whatever the list.
            if medication.schedule.minutes.isEmpty { medication.schedule.minutes = [480] }
            medication.isAsNeeded = false
            medication.schedule.end = nil
            // Spread over the day, so that a moment splits them.
            medication.schedule.minutes = medication.schedule.minutes.map {
                ($0 + index * 7) % 1440
            }.sorted()
            medication.createdAt = WallTime(milliseconds: 0)
            medication.isActive = true
            made.append(medication)
        }
        medications = made
        self.clock = clock
    }

    /// Puts all of it into `file`, in large transactions. All of it is durable then.
    func fill(_ file: JournalFile) throws {
        let clock = clock
        for start in stride(from: 0, to: medications.count, by: 1000) {
            let part = Array(medications[start..<min(start + 1000, medications.count)])
            try file.write(part.map { one in StoreChange.put { one.stored(at: clock) } })
        }
        // Round by round, as a wearer would.
        for round in 0..<Self.dosesEach {
            for start in stride(from: 0, to: medications.count, by: 1000) {
                let end = min(start + 1000, medications.count)
                try file.write(
                    try (start..<end).map { index in
                        let event = dose(of: medications[index], index, round)
                        return LedgerTables.insertion(event, try event.encoded())
                    })
            }
        }
    }

    private func dose(of medication: Medication, _ index: Int, _ round: Int) -> DoseEvent {
        // The newest round is today's for every other medication: something is left to do.
        let daysAgo = Self.dosesEach - 1 - round + index % 2
        let day = WallMinute(clock.time).minutes / 1440 - Int32(daysAgo)
        let minute = medication.schedule.minutes.first ?? 0
        let number = UInt128(round) << 64 | UInt128(index)
        return DoseEvent(
            id: DoseEventID(rawValue: 1 << 127 | number), medication: medication.id,
            planned: PlannedDose(day: UInt16(clamping: day), minute: minute),
            status: index % 4 == 0 ? .skipped : .taken, time: DoseTime(clock.time))
    }
}

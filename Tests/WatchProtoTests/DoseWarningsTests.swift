import Testing
import WatchProto

/// Rules 2 and 16 on the face of the library: warnings about a dose, before it is recorded.
@Suite(.timeLimit(.minutes(1))) struct DoseWarningsTests {
    private static let start: Int64 = 1_767_225_600_000

    /// A dose as needed, so many minutes after the start.
    private func dose(_ number: Int, at minute: Int64, device: UInt32 = 1) -> DoseEvent {
        var time = DoseTime(WallTime(milliseconds: Self.start + minute * 60_000))
        time.device = device
        return DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: nil, status: .taken, time: time)
    }

    private var medication: LightweightMedication {
        var medication = LightweightMedication(
            id: MedicationID(rawValue: 7), name: "Ibuprofen", dosage: Dosage(text: "400 mg"),
            updatedAt: WallTime(milliseconds: Self.start))
        medication.minimumIntervalMinutes = 240
        medication.maximumDosesPerDay = 2
        return medication
    }

    private func withDoses(
        _ isInFile: Bool, _ body: (DoseCenter) async throws -> Void
    ) async throws {
        let folder = try Folder()
        let session = try await CompanionSession(
            folder.options(
                .watch, isInFile ? .file(folder.file("w"), key: .unsealed) : .inMemoryOnly))
        try await body(session.doses)
        await session.close()
    }

    @Test(arguments: [true, false])
    func a_dose_too_soon_or_too_many_is_told_and_recorded(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses in
            let first = try await doses.warnings(for: dose(1, at: 0), of: medication)
            #expect(first.tooSoonUntil == nil && !first.isOverMaximum && !first.mayBeDouble)
            try await doses.record(dose(1, at: 0))
            let soon = try await doses.warnings(for: dose(2, at: 239), of: medication)
            // Both count: the next one keeps the interval to the later of them.
            let end = WallMinute(WallTime(milliseconds: Self.start + (239 + 240) * 60_000))
            #expect(soon.tooSoonUntil == end && !soon.isOverMaximum)
            try await doses.record(dose(2, at: 239))
            let third = try await doses.warnings(for: dose(3, at: 1_439), of: medication)
            #expect(third.isOverMaximum && third.tooSoonUntil == nil)
            // The second one is undone: it counts no longer.
            let undo = DoseEvent(
                id: DoseEventID(rawValue: 9), .withdraw, [dose(2, at: 239)], status: nil,
                time: dose(9, at: 240).time)
            try await doses.record(try #require(undo))
            let again = try await doses.warnings(for: dose(3, at: 1_439), of: medication)
            #expect(!again.isOverMaximum)
        }
    }

    @Test(arguments: [true, false])
    func a_dose_of_another_device_within_ten_minutes_may_be_the_same(
        _ isInFile: Bool
    ) async throws {
        try await withDoses(isInFile) { doses in
            try await doses.record(dose(1, at: 100))
            let near = dose(2, at: 110, device: 2)
            #expect(try await doses.warnings(for: near, of: medication).mayBeDouble)
            for (minute, device) in [(110, 1), (111, 2), (89, 2)] as [(Int64, UInt32)] {
                let other = dose(2, at: minute, device: device)
                #expect(try await !doses.warnings(for: other, of: medication).mayBeDouble)
            }
            // Both count, and both say it.
            try await doses.record(near)
            for event in [near, dose(1, at: 100)] {
                #expect(try await doses.warnings(for: event, of: medication).mayBeDouble)
            }
        }
    }

    @Test func limits_are_clamped_and_travel_with_the_medication() throws {
        var medication = medication
        #expect(medication.minimumIntervalMinutes == 240 && medication.maximumDosesPerDay == 2)
        let copy = try LightweightMedication(decoding: medication.encoded())
        #expect(copy == medication && copy.maximumDosesPerDay == 2)
        medication.minimumIntervalMinutes = 0
        medication.maximumDosesPerDay = 1_000
        #expect(medication.minimumIntervalMinutes == 1 && medication.maximumDosesPerDay == 255)
        medication.minimumIntervalMinutes = nil
        medication.maximumDosesPerDay = nil
        #expect(medication.minimumIntervalMinutes == nil && medication.maximumDosesPerDay == nil)
    }
}

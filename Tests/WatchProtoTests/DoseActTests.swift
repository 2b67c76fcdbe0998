import Testing
import WatchProto

/// Undo, correction and resolution, on the face of the library.
@Suite(.timeLimit(.minutes(1))) struct DoseActTests {
    private let now = DoseTime(WallTime(milliseconds: 1_767_225_600_000))
    private let medication = MedicationID(rawValue: 7)

    private func dose(
        _ number: Int, _ status: DoseStatus = .taken, isPlanned: Bool = true
    ) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: medication,
            planned: isPlanned ? PlannedDose(day: 2_000, minute: 480) : nil, status: status,
            time: now)
    }

    private func withDoses(
        _ isInFile: Bool, _ body: (DoseCenter, DoseSlot) async throws -> Void
    ) async throws {
        let folder = try Folder()
        let session = try await CompanionSession(
            folder.options(
                .watch, isInFile ? .file(folder.file("w"), key: .unsealed) : .inMemoryOnly))
        try await body(session.doses, try #require(dose(1).slot))
        await session.close()
    }

    @Test(arguments: [true, false])
    func an_undo_withdraws_every_event_that_counts(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record((1...20).map { dose($0, $0 % 2 == 0 ? .taken : .skipped) })
            #expect(try await doses.state(of: slot).isConflicting)
            #expect(try await doses.undo(dose(5).id, at: now).count == 3)
            #expect(try await doses.state(of: slot).isOpen)
            await #expect(throws: DoseRefusal.self) { try await doses.undo(dose(5).id, at: now) }
            #expect(try await doses.events(of: slot).count == 23)
        }
    }

    @Test(arguments: [true, false])
    func a_correction_replaces_one_event(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record(dose(1))
            let made = try await doses.correct(dose(1).id, to: .skipped, at: now)
            #expect(try await doses.state(of: slot).status == .skipped)
            #expect(made.first?.replaces == [dose(1).id])
            // It was replaced already; a correction never snoozes.
            await #expect(throws: DoseRefusal.self) {
                try await doses.correct(dose(1).id, to: .taken, at: now)
            }
            let last = try #require(made.first?.id)
            await #expect(throws: DoseRefusal.self) {
                try await doses.correct(last, to: .snoozed(until: .init(minutes: 1)), at: now)
            }
            #expect(try await doses.events(of: slot).count == 2)
        }
    }

    @Test(arguments: [true, false])
    func a_resolution_needs_a_conflict(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record(dose(1))
            await #expect(throws: DoseRefusal.self) {
                try await doses.resolve(dose(1).id, as: .taken, at: now)
            }
            try await doses.record(dose(2, .skipped))
            try await doses.resolve(dose(1).id, as: .taken, at: now)
            let state = try await doses.state(of: slot)
            #expect(!state.isConflicting && state.status?.isTaken == true)
        }
    }

    @Test(arguments: [true, false])
    func doses_taken_as_needed_are_replaced_one_by_one(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, _ in
            let both = [dose(1, isPlanned: false), dose(2, isPlanned: false)]
            try await doses.record(both)
            let made = try await doses.correct(both[0].id, to: .taken, at: now)
            #expect(made.map(\.replaces) == [[both[0].id]])
            await #expect(throws: DoseRefusal.self) {
                try await doses.undo(both[0].id, at: now)
            }
            let undone = try await doses.undo(both[1].id, at: now)
            #expect(undone.map(\.replaces) == [[both[1].id]])
            await #expect(throws: DoseRefusal.self) {
                try await doses.resolve(made[0].id, as: .taken, at: now)
            }
            await #expect(throws: DoseRefusal.self) {
                try await doses.undo(DoseEventID(rawValue: 99), at: now)
            }
            #expect(try await doses.newestEvents(limit: 10).count == 4)
        }
    }
}

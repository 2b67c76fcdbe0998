import Testing
import WatchProto

/// Undo, correction and resolution, on the face of the library.
@Suite(.timeLimit(.minutes(1))) struct DoseActTests {
    private let now = DoseTime(WallTime(milliseconds: 1_767_225_600_000))

    private func dose(_ number: Int, _ status: DoseStatus = .taken) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: 2_000, minute: 480), status: status, time: now)
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
    func an_undo_withdraws_every_event_that_was_shown(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record((1...20).map { dose($0, $0 % 2 == 0 ? .taken : .skipped) })
            let shown = try await doses.state(of: slot)
            #expect(shown.isConflicting && shown.undo(at: now).count == 3)
            try await doses.record(shown.undo(at: now))
            let state = try await doses.state(of: slot)
            #expect(state.isOpen && state.isWithdrawn && state.undo(at: now).isEmpty)
        }
    }

    /// Rule 6: an undo that did not see an event leaves it.
    @Test(arguments: [true, false])
    func an_event_that_comes_meanwhile_stands(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record(dose(1))
            let shown = try await doses.state(of: slot)
            try await doses.record(dose(2))
            try await doses.record(shown.undo(at: now))
            #expect(try await doses.state(of: slot).heads == [dose(2)])
        }
    }

    @Test(arguments: [true, false])
    func a_resolution_needs_a_conflict(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record(dose(1))
            let agreeing = try await doses.state(of: slot)
            #expect(agreeing.resolve(as: .taken, at: now).isEmpty)
            try await doses.record(dose(2, .skipped))
            let shown = try await doses.state(of: slot)
            let until = WallMinute(minutes: 1)
            #expect(shown.resolve(as: .snoozed(until: until), at: now).isEmpty)
            try await doses.record(shown.resolve(as: .taken, at: now))
            let state = try await doses.state(of: slot)
            #expect(!state.isConflicting && state.status?.isTaken == true)
        }
    }

    /// Face rule 5: taps on a face carry the slot, and their events are recorded while it is open.
    @Test(arguments: [true, false])
    func taps_count_while_the_slot_is_open(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            // At once, so that some meet an event that is not durable yet.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 {
                    group.addTask { try await doses.record(dose(number), onlyIfOpen: true) }
                }
                try await group.waitForAll()
            }
            var state = try await doses.state(of: slot)
            #expect(state.heads.count == 1 && state.status?.isTaken == true)
            #expect(try await doses.events(of: slot).count == 1)
            try await doses.record(state.undo(at: now))
            try await doses.record(
                dose(30, .snoozed(until: WallMinute(minutes: 9))), onlyIfOpen: true)
            try await doses.record(dose(31), onlyIfOpen: true)
            state = try await doses.state(of: slot)
            #expect(state.status?.isTaken == true && !state.isConflicting)
            #expect(try await doses.events(of: slot).count == 4)
            // A dose taken as needed has no slot to close.
            let asNeeded = DoseEvent(
                id: DoseEventID(rawValue: 40), medication: slot.medication, planned: nil,
                status: .taken, time: now)
            try await doses.record(asNeeded, onlyIfOpen: true)
            #expect(try await doses.newestEvents(limit: 9).first?.id == asNeeded.id)
        }
    }

    /// The events of an act have their identities before they are recorded.
    @Test(arguments: [true, false])
    func an_act_that_is_repeated_counts_once(_ isInFile: Bool) async throws {
        try await withDoses(isInFile) { doses, slot in
            try await doses.record(dose(1))
            let act = try await doses.state(of: slot).undo(at: now)
            for _ in 0..<3 { try await doses.record(act) }
            #expect(try await doses.events(of: slot).count == 2)
        }
    }

    @Test(arguments: [true, false])
    func the_present_time_names_the_device_and_its_boot(_ isInFile: Bool) async throws {
        let folder = try Folder()
        func session(_ role: DeviceRole) async throws -> CompanionSession {
            let place = JournalPlace.file(folder.file("\(role)"), key: .unsealed)
            return try await CompanionSession(
                folder.options(role, isInFile ? place : .inMemoryOnly))
        }
        let (watch, phone) = (try await session(.watch), try await session(.phone))
        let (first, then, other) = (watch.doses.now, watch.doses.now, phone.doses.now)
        #expect(first.device != nil && first.device == then.device)
        #expect(first.device != other.device, "two doses as needed may be one")
        let (start, end) = (try #require(first.uptime), try #require(then.uptime))
        #expect(start.boot == end.boot && start.milliseconds <= end.milliseconds)
        #expect(abs(first.wall.milliseconds - WallTime.now.milliseconds) < 60_000)
        await watch.close()
        await phone.close()
        guard isInFile else { return }
        let again = try await session(.watch)
        #expect(again.doses.now.device == first.device)
        await again.close()
    }
}

import Testing
import WatchProto
import WatchProtoTesting

/// Dose events of two devices: each is in both ledgers, once.
@Suite(.timeLimit(.minutes(1))) struct DoseExchangeTests {
    @Test func a_dose_of_either_device_reaches_the_ledger_of_the_other() async throws {
        let pair = try await TestPair()
        pair.link.conditions.delay = .milliseconds(50)
        try await pair.run(for: .seconds(2))
        let (one, two) = (DoseEvent.example(1), DoseEvent.example(2))
        let arriving = pair.watch.doses.changes()
        try await pair.phone.doses.record(one)
        let before = pair.elapsed
        let first = try await pair.run { await arriving.first { _ in true } }
        #expect(first == one && pair.elapsed - before < .milliseconds(300))
        try await pair.watch.doses.record(two)
        try await pair.run(for: .seconds(2))
        try await pair.expectEvents([one, two])
        await pair.close()
    }

    @Test func a_dose_of_an_unpaired_or_distant_device_counts_and_travels_later() async throws {
        let pair = try await TestPair()
        await pair.link.cut()
        let events = (1...5).map { DoseEvent.example($0) }
        try await pair.phone.doses.record(Array(events[..<2]))
        try await pair.watch.doses.record(Array(events[2...]))
        pair.link.restore()
        try await pair.run(for: .seconds(20))
        try await pair.expectEvents(events)
        await pair.close()
    }

    @Test func the_same_event_counts_once_and_another_of_its_identity_is_refused() async throws {
        let pair = try await TestPair()
        let event = DoseEvent.example(1)
        try await pair.phone.doses.record(event)
        try await pair.phone.doses.record(event)
        let other = DoseEvent(
            id: event.id, medication: event.medication, planned: event.planned, status: .skipped,
            time: event.time)
        let fresh = DoseEvent.example(2)
        await #expect(throws: DoseRefusal.self) {
            try await pair.phone.doses.record([fresh, other])
        }
        try await pair.run(for: .seconds(5))
        // The refused batch has changed nothing.
        try await pair.expectEvents([event])
        await pair.close()
    }

    @Test(arguments: [DeviceRole.phone, .watch])
    func a_restored_device_gets_back_what_it_had_recorded(_ role: DeviceRole) async throws {
        let pair = try await TestPair()
        let events = (1...40).map { DoseEvent.example($0) }
        try await pair.phone.doses.record(Array(events[..<10]))
        try await pair.watch.doses.record(Array(events[10..<20]))
        try await pair.run(for: .seconds(5))
        let backup = pair.backUp(role)
        let session = role == .phone ? pair.phone : pair.watch
        try await session.doses.record(Array(events[20..<30]))
        try await pair.run(for: .seconds(5))
        try await pair.restore(backup)
        let after = role == .phone ? pair.phone : pair.watch
        #expect(try await after.doses.newestEvents(limit: 100).count == 20)
        try await after.doses.record(Array(events[30...]))
        try await pair.run(for: .seconds(30))
        try await pair.expectEvents(events)
        await pair.close()
    }

    @Test func more_events_than_a_question_holds_are_compared() async throws {
        let pair = try await TestPair()
        // All of one bucket, and of the lowest identities.
        let common = (1...4_500).map { DoseEvent.example($0) }
        try await pair.phone.doses.record(common)
        try await pair.watch.doses.record(common)
        let own = (5_001...5_010).map { DoseEvent.example($0) }
        let others = (6_001...6_010).map { DoseEvent.example($0) }
        await pair.link.cut()
        try await pair.phone.doses.record(own)
        try await pair.watch.doses.record(others)
        pair.link.restore()
        try await pair.run(for: .seconds(60))
        try await pair.expectEvents(own + others)
        await pair.close()
    }

    @Test func the_ledger_of_a_file_survives_crashes() async throws {
        let folder = try Folder()
        var options = TestPair.Options()
        options.directory = folder.path
        let pair = try await TestPair(options)
        let events = (1...6).map { DoseEvent.example($0) }
        for (place, event) in events.enumerated() {
            let isPhone = place % 2 == 0
            try await (isPhone ? pair.phone : pair.watch).doses.record(event)
            try await pair.restart(isPhone ? .phone : .watch)
        }
        try await pair.run(for: .seconds(30))
        try await pair.expectEvents(events)
        await pair.close()
    }
}

extension TestPair {
    /// Expects that both ledgers have these events, each once. On a machine with much else to do,
    /// time may pass before a ledger has done its work: it gets two minutes more.
    func expectEvents(_ events: [DoseEvent]) async throws {
        for _ in 0..<12 {
            let (there, here) = (
                try await phone.doses.newestEvents(limit: .max).count,
                try await watch.doses.newestEvents(limit: .max).count
            )
            if there >= events.count, here == there { break }
            try await run(for: .seconds(10))
        }
        for session in [phone, watch] {
            for event in events {
                let slot = try #require(event.slot)
                let found = try await session.doses.events(of: slot)
                #expect(found == [event], "\(session.options.role)")
            }
        }
    }
}

extension DoseEvent {
    /// An event of a dose of its own.
    static func example(_ number: Int) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: UInt16(number), minute: 480), status: .taken,
            time: DoseTime(WallTime(milliseconds: 1_767_225_600_000 + Int64(number))))
    }
}

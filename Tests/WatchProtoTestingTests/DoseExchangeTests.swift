import Testing
import WatchProto
import WatchProtoTesting

/// Dose events of two devices: each is in both ledgers, once.
@Suite(.timeLimit(.minutes(1))) struct DoseExchangeTests {
    @Test func a_dose_under_way_is_a_record_that_can_be_followed() async throws {
        let pair = try await TestPair()
        try await pair.run(for: .seconds(1))
        await pair.link.cut()
        try await pair.phone.doses.record(DoseEvent.example(1))
        try await pair.run(for: .seconds(1))
        let id = try #require(pair.phone.state.outstandingTransfers.first)
        let transfer = try #require(pair.phone.transfer(id))
        #expect(pair.phone.outcome(of: id) == .reached(.queued))
        pair.link.restore()
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
        await pair.close()
    }

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

    @Test(
        "Rule 9: a new dose goes before everything else that waits",
        arguments: [DeviceRole.phone, .watch])
    func a_new_dose_goes_before_everything_else(_ role: DeviceRole) async throws {
        var options = TestPair.Options()
        options.conditions = .bluetoothLowEnergy
        // A stream holds what was written to it before.
        options.conditions.carriesPackets = true
        let pair = try await TestPair(options)
        try await pair.run(for: .seconds(5))
        let (own, other) = role == .phone ? (pair.phone, pair.watch) : (pair.watch, pair.phone)
        other.apply(UserInfo.self) { _, _ in }
        var last: Transfer?
        for number in 0..<2_000 {
            let content = [UInt8](repeating: UInt8(number % 256), count: 250)
            last = try own.send(UserInfo(content))
        }
        let arriving = other.doses.changes()
        let before = pair.elapsed
        let dose = DoseEvent.example(1)
        try await own.doses.record(dose)
        #expect(try await pair.run { await arriving.first { _ in true } } == dose)
        #expect(pair.elapsed - before < .milliseconds(500), "\(pair.elapsed - before)")
        #expect(own.state.outstandingTransfers.count > 1_000)
        let transfer = try #require(last)
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
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

    /// The queue of a restored device is that of its backup; nothing of what it lost is in it.
    @Test(arguments: [DeviceRole.phone, .watch])
    func `Rule 11: each session exchanges the events that one of two ledgers lacks`(
        _ role: DeviceRole
    ) async throws {
        let pair = try await TestPair()
        let empty = pair.backUp(role)
        let events = (1...12).map { DoseEvent.example($0) }
        try await pair.phone.doses.record(Array(events[..<3]))
        try await pair.watch.doses.record(Array(events[3..<6]))
        try await pair.run(for: .seconds(5))
        let older = pair.backUp(role)
        try await pair.phone.doses.record(Array(events[6..<9]))
        try await pair.watch.doses.record(Array(events[9...]))
        try await pair.run(for: .seconds(5))
        try await pair.expectEvents(events)
        for (backup, count) in [(older, 6), (empty, 0)] {
            await pair.link.cut()
            try await pair.restore(backup)
            let restored = role == .phone ? pair.phone : pair.watch
            #expect(try await restored.doses.newestEvents(limit: 100).count == count)
            pair.link.restore()
            try await pair.run(for: .seconds(30))
            try await pair.expectEvents(events)
            // Both know that they have compared.
            for session in [pair.phone, pair.watch] {
                #expect(try await session.doses.newestEvents(limit: 100).count == 12)
                #expect(try await session.doses.lastCheck() != nil)
            }
        }
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
                #expect(found == [event])
            }
        }
    }
}

extension DoseEvent {
    /// An event of a dose of its own.
    static func example(_ number: Int) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)),
            medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: UInt16(number), minute: 480), status: .taken,
            time: DoseTime(WallTime(milliseconds: 1_767_225_600_000 + Int64(number))))
    }
}

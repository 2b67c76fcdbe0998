import Foundation
import Locks
import Testing
import WatchProto

/// Two sessions of the library, as two apps would hold them.
@Suite(.timeLimit(.minutes(2))) struct CompanionSessionTests {
    @Test func a_medication_arrives_and_its_sender_learns_that_it_was_applied() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        var arriving = watch.deliveries(of: LightweightMedication.self).makeAsyncIterator()
        let sent = LightweightMedication.example(7)
        let transfer = try phone.send(sent)
        let delivery = try #require(await arriving.next())
        #expect(delivery.value == sent && !delivery.received.isRedelivery)
        #expect(delivery.received.id == transfer.id)
        let committed = try await transfer.outcome(reaching: .committed)
        #expect([.reached(.committed), .reached(.applied)].contains(committed))
        delivery.accept()
        #expect(try await transfer.outcome() == .reached(.applied))
        #expect(phone.outcome(of: transfer.id) == .reached(.applied))
        await phone.close()
        await watch.close()
    }

    @Test func a_set_is_replaced_and_what_is_not_in_it_is_removed() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(
            folder, tables: ["CREATE TABLE held(id TEXT PRIMARY KEY)"])
        watch.apply(LightweightMedication.self) { medication, transaction in
            transaction.run("INSERT INTO held VALUES(?)", .text("\(medication.value.id.rawValue)"))
        }
        watch.apply(MedicationRemoval.self) { removal, transaction in
            transaction.run("DELETE FROM held WHERE id = ?", .text("\(removal.value.id.rawValue)"))
        }
        for (set, count) in [([1, 2, 3], 3), ([2, 3], 1), ([2, 3, 4], 1)] as [([UInt32], Int)] {
            let sent = try phone.synchronize(set.map { .example($0) })
            #expect(sent.count == count)
            for transfer in sent { #expect(try await transfer.outcome() == .reached(.applied)) }
            let held = try await watch.rows("SELECT id FROM held ORDER BY id")
            #expect(held == set.map { [.text("\($0)")] })
        }
        #expect(try phone.synchronize([2, 3, 4].map { .example($0) }).isEmpty)
        await phone.close()
        await watch.close()
    }

    @Test func an_opening_tells_each_step_of_a_migration() async throws {
        let folder = try Folder()
        let steps = ["CREATE TABLE held(id TEXT)", "ALTER TABLE held ADD COLUMN name TEXT"]
        try await folder.open(.watch, tables: [steps[0]]).close()
        let told = Mutex<[MigrationProgress]>([])
        var options = folder.options(.watch, tables: steps)
        options.migrationProgress = { progress in told.withLock { $0.append(progress) } }
        try await CompanionSession(options).close()
        #expect(Set(told.withLock { $0.map(\.step) }) == ["step 2 of the application's tables"])
        #expect(told.withLock { $0.map(\.done) } == [0, 1])
        #expect(told.withLock { $0.allSatisfy { $0.total == 1 } })
        told.withLock { $0 = [] }
        try await CompanionSession(options).close()
        #expect(told.withLock { $0.isEmpty })
    }

    @Test func what_the_application_writes_counts_once_over_restarts() async throws {
        let folder = try Folder()
        let table = ["CREATE TABLE notes(byte INTEGER NOT NULL)"]
        var (phone, watch) = try await pairOfSessions(folder, tables: table)
        let note = UserInfo([5])
        func listen(_ watch: CompanionSession) {
            watch.apply(UserInfo.self) { note, transaction in
                transaction.run(
                    "INSERT INTO notes(byte) VALUES(?)", .integer(Int64(note.value.bytes[0])))
            }
        }
        listen(watch)
        let once = SendOptions(idempotencyKey: 5)
        #expect(try await phone.send(note, once).outcome() == .reached(.applied))
        await phone.close()
        await watch.close()
        (phone, watch) = (
            try await folder.open(.phone), try await folder.open(.watch, tables: table)
        )
        listen(watch)
        try watch.activate()
        try phone.activate()
        #expect(try await phone.send(note, once).outcome() == .reached(.applied))
        let rows = try await watch.rows("SELECT count(*) FROM notes")
        #expect(rows == [[.integer(1)]])
        await phone.close()
        await watch.close()
    }

    @Test func what_nobody_answered_comes_again_and_says_so() async throws {
        let folder = try Folder()
        let (phone, first) = try await pairOfSessions(folder)
        let transfer = try phone.send(UserInfo([1, 2, 3]))
        var arriving = first.deliveries(of: UserInfo.self).makeAsyncIterator()
        #expect(await arriving.next()?.received.isRedelivery == false)
        #expect(try await transfer.outcome(reaching: .committed) == .reached(.committed))
        await first.close()
        let second = try await folder.open(.watch)
        try second.activate()
        var again = second.deliveries(of: UserInfo.self).makeAsyncIterator()
        let delivery = try #require(await again.next())
        #expect(delivery.received.isRedelivery && delivery.value.bytes == [1, 2, 3])
        delivery.accept()
        #expect(try await transfer.outcome() == .reached(.applied))
        await phone.close()
        await second.close()
    }

    @Test func a_record_of_an_earlier_run_is_followed_and_cancelled() async throws {
        let folder = try Folder()
        let (former, watch) = try await pairOfSessions(folder)
        former.deactivate()
        let sent = try (1...2 as ClosedRange<UInt8>).map { try former.send(UserInfo([$0])) }
        for transfer in sent { _ = try await transfer.outcome(reaching: .queued) }
        await former.close()
        let phone = try await folder.open(.phone)
        #expect(phone.state.outstandingTransfers == sent.map(\.id))
        let (first, second) = (phone.transfer(sent[0].id), phone.transfer(sent[1].id))
        #expect(try await first?.outcome(reaching: .queued) == .reached(.queued))
        #expect(second?.cancel() == true)
        watch.apply(UserInfo.self) { _, _ in }
        try phone.activate()
        #expect(try await first?.outcome() == .reached(.applied))
        #expect(try await second?.outcome() == .notApplied(.cancelled))
        // A settled record has an end, and one that is not known has no course.
        #expect(try await phone.transfer(sent[0].id)?.outcome() == .reached(.applied))
        #expect(phone.transfer(try watch.send(UserInfo([3])).id) == nil)
        await phone.close()
        await watch.close()
    }

    @Test func a_rejection_reaches_the_sender_and_writes_nothing() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(
            folder, tables: ["CREATE TABLE seen(name TEXT)"])
        watch.apply(UserInfo.self) { info, transaction throws(Rejection) in
            transaction.run("INSERT INTO seen(name) VALUES(?)", .text("never"))
            throw Rejection(code: 7)
        }
        watch.apply(Picky.self) { _, _ in }
        #expect(
            try await phone.send(UserInfo([9])).outcome()
                == .notApplied(.rejected(Rejection(code: 7))))
        #expect(
            try await phone.send(Picky(byte: 1)).outcome()
                == .notApplied(.rejected(.unreadable)))
        #expect(try await watch.rows("SELECT name FROM seen") == [])
        await phone.close()
        await watch.close()
    }

    @Test func a_statement_that_fails_rejects_its_record_and_no_other() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(
            folder, tables: ["CREATE TABLE seen(byte INTEGER UNIQUE)"])
        let events = watch.events()
        let calls = Mutex<[UInt8]>([])
        watch.apply(UserInfo.self) { info, transaction in
            calls.withLock { $0 += info.value.bytes }
            transaction.run("INSERT INTO seen VALUES(?)", .integer(Int64(info.value.bytes[0])))
        }
        var outcomes: [TransferOutcome] = []
        for byte in [1, 1, 2] as [UInt8] {
            outcomes.append(try await phone.send(UserInfo([byte])).outcome())
        }
        #expect(
            outcomes == [
                .reached(.applied), .notApplied(.rejected(.statementFailed)), .reached(.applied),
            ])
        #expect(try await watch.rows("SELECT byte FROM seen") == [[.integer(1)], [.integer(2)]])
        #expect(calls.withLock { $0 } == [1, 1, 2])
        for await event in events {
            guard case .journalFailed(let text) = event else { continue }
            #expect(text.contains("UNIQUE"))
            break
        }
        await phone.close()
        await watch.close()
    }

    @Test func a_message_is_answered_or_was_not_delivered() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        let answering = Task {
            for await message in watch.messages() { try message.reply(message.body + [9]) }
        }
        for await event in phone.events() {
            if case .reachability(true) = event { break }
            if phone.state.isReachable { break }
        }
        #expect(try await phone.sendMessage([1, 2]) == .reply([1, 2, 9]))
        await watch.close()
        guard case .notDelivered = try await phone.sendMessage([3], timeout: .milliseconds(300))
        else {
            Issue.record("a message to nobody")
            return
        }
        answering.cancel()
        await phone.close()
    }

    @Test func a_new_pairing_delivers_what_the_former_one_did_not() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        watch.deactivate()
        phone.deactivate()
        let once = SendOptions(idempotencyKey: 42)
        let transfers = [
            try phone.send(UserInfo([4, 2]), once),
            try phone.send(MedicationRemoval(.init(rawValue: 9))),
        ]
        let former = transfers[0].id
        #expect(try await transfers[0].outcome(reaching: .queued) == .reached(.queued))
        try await pair(phone, watch)
        try watch.activate()
        try phone.activate()
        watch.apply(MedicationRemoval.self) { _, _ in }
        var arriving = watch.deliveries(of: UserInfo.self).makeAsyncIterator()
        let delivery = try #require(await arriving.next())
        #expect(delivery.value.bytes == [4, 2] && delivery.received.idempotencyKey == 42)
        delivery.accept()
        // The handles of the former pairing follow their records.
        for transfer in transfers { #expect(try await transfer.outcome() == .reached(.applied)) }
        #expect(transfers[0].id != former && transfers[0].id == delivery.received.id)
        await phone.close()
        await watch.close()
    }

    @Test func who_is_not_paired_or_closed_is_told() async throws {
        let folder = try Folder()
        let phone = try await CompanionSession(folder.options(.phone, .inMemoryOnly))
        #expect(throws: Refusal.notPaired) { try phone.send(UserInfo([1])) }
        #expect(phone.state.pairing == nil && phone.state.activation == .notActivated)
        try phone.activate()
        var steps = phone.pair(.enterCode("12")).makeAsyncIterator()
        await #expect(throws: PairingError.badCode) { _ = try await steps.next() }
        await phone.close()
        #expect(throws: Refusal.closed) { try phone.send(UserInfo([1])) }
        #expect(throws: OpenError.closed) { try phone.activate() }
        await #expect(throws: OpenError.self) {
            _ = try await CompanionSession(
                SessionOptions(role: .phone, link: "nowhere", journal: .inMemoryOnly))
        }
    }

    @Test func every_reader_of_events_gets_its_own() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        watch.apply(UserInfo.self) { _, _ in }
        var (one, other) = (
            phone.events().makeAsyncIterator(), phone.events().makeAsyncIterator()
        )
        let transfer = try phone.send(UserInfo([1]))
        func settled(_ event: SessionEvent?) -> Bool {
            if case .settled(transfer.id, .reached(.applied)) = event { true } else { false }
        }
        while !settled(await one.next()) {}
        while !settled(await other.next()) {}
        await phone.close()
        while await one.next() != nil {}
        await watch.close()
    }
}

/// A type of the application whose bytes the other side refuses.
private struct Picky: CompanionRecord {
    var byte: UInt8
    static let kind = ContentKind(rawValue: 70)
    static let delivery = RecordDelivery.inOrder
    var valueKey: RecordKey? { nil }
    init(byte: UInt8) { self.byte = byte }
    func encoded() -> [UInt8] { [byte] }
    init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
        throw WireError(.outOfRange, at: 0, expected: "nothing", found: 0)
    }
}

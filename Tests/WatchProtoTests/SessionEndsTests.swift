import Foundation
import Testing
import WatchProto

/// Sessions, readers and pairings that end, and those that take their place.
@Suite(.timeLimit(.minutes(2))) struct SessionEndsTests {
    @Test func a_record_that_no_reader_took_waits_for_the_next_one() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        let first = watch.deliveries(of: UserInfo.self)
        let reading = Task {
            var iterator = first.makeAsyncIterator()
            return await iterator.next()?.value.bytes
        }
        try await Task.sleep(for: .milliseconds(50))
        reading.cancel()
        #expect(await reading.value == nil)
        try phone.send(UserInfo([1]))
        var second = watch.deliveries(of: UserInfo.self).makeAsyncIterator()
        let delivery = try #require(await second.next())
        #expect(delivery.value.bytes == [1] && !delivery.received.isRedelivery)
        delivery.accept()
        // The former reader is over.
        var former = first.makeAsyncIterator()
        #expect(await former.next() == nil)
        let last = try phone.send(UserInfo([2]))
        watch.apply(UserInfo.self) { info, _ throws(Rejection) in
            if info.value.bytes != [2] { throw Rejection(code: 1) }
        }
        #expect(try await last.outcome() == .reached(.applied))
        #expect(await second.next() == nil)
        await phone.close()
        await watch.close()
    }

    @Test func only_the_newest_value_of_a_key_waits() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        var last: Transfer?
        for number in 0..<30 {
            last = try phone.send(LightweightMedication.example(1, name: "number \(number)"))
            _ = try await last?.outcome(reaching: .committed)
        }
        try phone.send(LightweightMedication.example(2))
        var arriving = watch.deliveries(of: LightweightMedication.self).makeAsyncIterator()
        let newest = try #require(await arriving.next())
        #expect(newest.value.name == "number 29")
        newest.accept()
        #expect(await arriving.next()?.value.id == MedicationID(rawValue: 2))
        #expect(try await last?.outcome() == .reached(.applied))
        await phone.close()
        await watch.close()
    }

    @Test func a_message_is_answered_once_and_no_answer_becomes_a_message() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        let answering = Task { () -> Refusal? in
            var messages = watch.messages().makeAsyncIterator()
            guard let message = await messages.next() else { return nil }
            do throws(Refusal) {
                try message.reply([2])
                try message.reply([3])
                return nil
            } catch {
                return error
            }
        }
        let misled = Task {
            var messages = phone.messages().makeAsyncIterator()
            return await messages.next()?.body
        }
        while !phone.state.isReachable { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await phone.sendMessage([1]) == .reply([2]))
        #expect(await answering.value == .answered)
        await phone.close()
        await watch.close()
        #expect(await misled.value == nil)
    }

    @Test func a_second_pairing_takes_the_place_of_the_first() async throws {
        let folder = try Folder()
        let phone = try await folder.open(.phone)
        let watch = try await folder.open(.watch)
        let first = Task {
            for try await _ in watch.pair(.showCode) {}
        }
        try await Task.sleep(for: .milliseconds(20))
        try await pair(phone, watch)
        await #expect(throws: PairingError.cancelled) { try await first.value }
        let given = watch.pair(.showCode)
        watch.cancelPairing()
        await #expect(throws: PairingError.cancelled) { for try await _ in given {} }
        // The former pairing is in use again.
        #expect(watch.state.pairing == phone.state.pairing && watch.state.pairing != nil)
        try watch.activate()
        try phone.activate()
        watch.apply(UserInfo.self) { _, _ in }
        #expect(try await phone.send(UserInfo([1])).outcome() == .reached(.applied))
        await phone.close()
        await watch.close()
    }

    @Test func who_waits_when_a_session_closes_gets_unknown() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        watch.deactivate()
        phone.deactivate()
        let kept = try phone.send(UserInfo([1]))
        let cancelled = try phone.send(UserInfo([2]))
        #expect(cancelled.cancel())
        #expect(try await cancelled.outcome() == .notApplied(.cancelled))
        let waiting = Task { try await kept.outcome() }
        let given = Task { try await kept.outcome() }
        try await Task.sleep(for: .milliseconds(20))
        given.cancel()
        await #expect(throws: CancellationError.self) { try await given.value }
        await phone.close()
        #expect(try await waiting.value == .unknown)
        let again = try await folder.open(.phone)
        #expect(again.outcome(of: kept.id) == .reached(.queued))
        #expect(again.state.outstandingTransfers == [kept.id])
        await again.close()
        await watch.close()
    }

    @Test func a_slow_reader_is_told_how_much_it_missed() async throws {
        let folder = try Folder()
        var options = folder.options(.phone)
        options.eventLimit = 3
        let phone = try await CompanionSession(options)
        let watch = try await folder.open(.watch)
        try await pair(phone, watch)
        var events = phone.events().makeAsyncIterator()
        for number in 0..<10 {
            let transfer = try phone.send(UserInfo([UInt8(number)]))
            transfer.cancel()
            _ = try await transfer.outcome()
        }
        await phone.close()
        var (settled, missed) = (0, 0)
        while let event = await events.next() {
            if case .settled = event { settled += 1 }
            if case .missed(let count) = event { missed += count }
        }
        #expect(settled == 3 && missed == 7)
        await watch.close()
    }

    @Test func a_key_is_made_with_its_journal_and_never_beside_an_old_one() async throws {
        let folder = try Folder()
        let (journal, key) = (folder.file("j"), folder.file("k"))
        func session(_ key: JournalKey) async throws(OpenError) -> CompanionSession {
            try await CompanionSession(
                SessionOptions(
                    role: .phone, link: "unix:\(folder.file("s"))",
                    journal: .file(journal, key: key)))
        }
        await (try await session(.file(key))).close()
        let bytes = try Data(contentsOf: URL(filePath: key))
        #expect(bytes.count == 32)
        await (try await session(.file(key))).close()
        await (try await session(.provider { Array(bytes) })).close()
        try FileManager.default.removeItem(atPath: key)
        await #expect(throws: OpenError.self) { _ = try await session(.file(key)) }
        #expect(!FileManager.default.fileExists(atPath: key))
        struct Locked: Error {}
        for key in [.provider { throw Locked() }, .provider { [1] }] as [JournalKey] {
            do throws(OpenError) {
                await (try await session(key)).close()
                Issue.record("a key that is none opened a journal")
            } catch {
                guard case .badKey = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    @Test func a_session_in_memory_has_no_tables() async throws {
        let folder = try Folder()
        await #expect(throws: OpenError.self) {
            _ = try await CompanionSession(
                folder.options(.watch, .inMemoryOnly, tables: ["CREATE TABLE t(a)"]))
        }
        let phone = try await folder.open(.phone)
        let watch = try await CompanionSession(folder.options(.watch, .inMemoryOnly))
        try await pair(phone, watch)
        try watch.activate()
        try phone.activate()
        watch.apply(UserInfo.self) { _, transaction in transaction.run("INSERT INTO t VALUES(1)") }
        #expect(
            try await phone.send(UserInfo([1])).outcome()
                == .notApplied(.rejected(.statementFailed)))
        await phone.close()
        await watch.close()
    }
}

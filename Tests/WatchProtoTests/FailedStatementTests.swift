import Foundation
import Locks
import Testing
import WatchProto

/// Statements of the application that fail: their records are rejected, and nothing else suffers.
@Suite(.timeLimit(.minutes(2))) struct FailedStatementTests {
    @Test func doses_are_recorded_while_statements_fail() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(
            folder, tables: ["CREATE TABLE seen(byte INTEGER UNIQUE)"])
        watch.apply(UserInfo.self) { info, transaction in
            transaction.run("INSERT INTO seen VALUES(?)", .integer(Int64(info.value.bytes[0])))
        }
        let taps = Task {
            var count = 0
            while !Task.isCancelled {
                let event = DoseEvent(
                    id: DoseEventID(rawValue: .random(in: 0 ... .max)),
                    medication: MedicationID(rawValue: 1), planned: nil, status: .taken,
                    time: watch.doses.now)
                try await watch.doses.record(event)
                count += 1
            }
            return count
        }
        let bytes: [UInt8] = [1, 1, 1, 1, 1, 1, 1, 1, 9]
        let sent = try bytes.map { try phone.send(UserInfo([$0])) }
        var outcomes: [TransferOutcome] = []
        for transfer in sent { outcomes.append(try await transfer.outcome()) }
        taps.cancel()
        // None was refused.
        #expect(try await taps.value > 0)
        let rejected = TransferOutcome.notApplied(.rejected(.statementFailed))
        #expect(outcomes.filter { $0 == rejected }.count == 7)
        #expect(outcomes.last == .reached(.applied))
        #expect(try await watch.rows("SELECT byte FROM seen") == [[.integer(1)], [.integer(9)]])
        await phone.close()
        await watch.close()
    }

    @Test func no_accepted_record_is_lost_by_a_failed_statement() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        let events = phone.events()
        let came = Mutex<[UInt8]>([])
        watch.apply(UserInfo.self) { info, _ in came.withLock { $0 += info.value.bytes } }
        // Records of the other device fail beside those that this one sends: it has no tables.
        phone.apply(UserInfo.self) { _, transaction in
            transaction.run("INSERT INTO seen VALUES(1)")
        }
        let failing = Task { try (0..<20).map { _ in try watch.send(UserInfo([0])) } }
        var sent: [Transfer] = []
        for byte in 0..<200 as Range<UInt8> {
            sent.append(try await accepted(by: phone, byte))
            try? phone.write { $0.run("INSERT INTO nowhere VALUES(1)") }
            if byte % 16 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        for transfer in sent { #expect(try await transfer.outcome() == .reached(.applied)) }
        #expect(came.withLock { $0 } == Array(0..<200))
        let ends = try await failing.value
        for transfer in ends {
            #expect(
                try await transfer.outcome() == .notApplied(.rejected(.statementFailed)))
        }
        await phone.close()
        await watch.close()
        var failures = 0
        for await event in events {
            switch event {
            case .journalFailed(let text):
                failures += 1
                #expect(text.contains("no such table"), "\(text)")
            case .journalReopened: Issue.record("the journal was never closed")
            default: break
            }
        }
        #expect(failures > 100)
    }

    /// Sends a byte. While a session begins anew it refuses, for a moment, and says so.
    private func accepted(by phone: CompanionSession, _ byte: UInt8) async throws -> Transfer {
        for _ in 0..<1000 {
            if let transfer = try? phone.send(UserInfo([byte])) { return transfer }
            try await Task.sleep(for: .milliseconds(1))
        }
        return try phone.send(UserInfo([byte]))
    }

    private struct Setting: CompanionRecord, Hashable {
        var number: UInt128
        var valueKey: RecordKey? { RecordKey(rawValue: number) }
        static var kind: ContentKind { ContentKind(rawValue: 64) }
        static var delivery: RecordDelivery { .latestValue }

        init(_ number: UInt128) { self.number = number }
        init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
            guard let key else { throw WireError(at: 0, expected: "a key") }
            number = key.rawValue
        }
        func encoded() -> [UInt8] { [1] }
    }

    @Test func values_of_different_types_never_share_a_key() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        let settings = Mutex<Set<UInt128>>([])
        watch.apply(Setting.self) { setting, _ in
            settings.withLock { _ = $0.insert(setting.value.number) }
        }
        watch.apply(ApplicationContext.self) { _, _ in }
        watch.apply(LightweightMedication.self) { _, _ in }
        watch.apply(MedicationRemoval.self) { _, _ in }
        let sent = [
            try phone.send(ApplicationContext([7])), try phone.send(Setting(0)),
            try phone.synchronize([.example(77)])[0], try phone.send(Setting(77)),
        ]
        for transfer in sent { #expect(try await transfer.outcome() == .reached(.applied)) }
        #expect(settings.withLock { $0 } == [0, 77])
        #expect(phone.applicationContext?.bytes == [7])
        #expect(watch.receivedApplicationContext?.bytes == [7])
        #expect(try phone.synchronize([.example(77)]).isEmpty)
        #expect(try phone.synchronize([]).count == 1)
        await phone.close()
        await watch.close()
    }

    /// A name of an act names it among the acts of one type.
    @Test func names_of_different_types_never_meet() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        let names = Mutex<[UInt128?]>([])
        watch.apply(UserInfo.self) { info, _ in names.withLock { $0.append(info.idempotencyKey) } }
        watch.apply(Note.self) { note, _ in names.withLock { $0.append(note.idempotencyKey) } }
        let options = SendOptions(idempotencyKey: 5)
        let sent = [
            try phone.send(UserInfo([1]), options), try phone.send(Note(), options),
            try phone.send(UserInfo([1]), options),
        ]
        for transfer in sent { #expect(try await transfer.outcome() == .reached(.applied)) }
        #expect(names.withLock { $0 } == [5, 5])
        await phone.close()
        await watch.close()
    }

    private struct Note: CompanionRecord {
        static var kind: ContentKind { ContentKind(rawValue: 65) }
        static var delivery: RecordDelivery { .inOrder }
        var valueKey: RecordKey? { nil }
        init() {}
        init(decoding bytes: [UInt8], key: RecordKey?) {}
        func encoded() -> [UInt8] { [] }
    }
}

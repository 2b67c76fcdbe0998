import Locks
import Testing
import WatchProtoCore

@testable import WatchProto

/// The ledger of a watch that pairs.
@Suite(.timeLimit(.minutes(2))) struct LedgerPairingTests {
    private func dose(_ number: Int) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: UInt16(number), minute: 480), status: .taken,
            time: DoseTime(WallTime(milliseconds: 1_767_225_600_000)))
    }

    private func session(
        _ role: DeviceRole, _ folder: Folder, _ name: String, isInFile: Bool
    ) async throws -> CompanionSession {
        try await CompanionSession(
            folder.options(
                role, isInFile ? .file(folder.file(name), key: .unsealed) : .inMemoryOnly))
    }

    @Test(arguments: [true, false])
    func doses_from_before_the_first_pairing_stay_and_travel(_ isInFile: Bool) async throws {
        let folder = try Folder()
        let watch = try await session(.watch, folder, "w", isInFile: isInFile)
        let phone = try await session(.phone, folder, "p", isInFile: isInFile)
        try await watch.doses.record([dose(1), dose(2)])
        try await phone.doses.record(dose(3))
        try await pair(phone, watch)
        #expect(try await watch.doses.newestEvents(limit: 10).count >= 2)
        #expect(try await watch.doses.lastCheck() == nil)
        try watch.activate()
        try phone.activate()
        for session in [watch, phone] {
            try await expect(3, in: session)
            // Both know that they have all of it.
            for _ in 0..<400 {
                if try await session.doses.lastCheck() != nil { break }
                try await Task.sleep(for: .milliseconds(25))
            }
            let check = try #require(try await session.doses.lastCheck())
            #expect(abs(WallMinute(.now).minutes - check.minutes) < 5)
        }
        await phone.close()
        await watch.close()
    }

    /// Shows D-11.
    @Test func a_restarted_device_knows_the_doses_that_its_journal_kept() async throws {
        let folder = try Folder()
        let phone = try await session(.phone, folder, "p", isInFile: true)
        var watch = try await session(.watch, folder, "w", isInFile: true)
        try await pair(phone, watch)
        await phone.close()
        // Many at once go to the background, one alone does not.
        try await watch.doses.record((1...70).map { dose($0) })
        try await watch.doses.record(dose(100))
        _ = try watch.send(UserInfo([1]))
        func underWay(_ session: CompanionSession) -> [RecordID: UInt128] {
            session.ledger.exchanges.first?.state.withLock { $0.underWay } ?? [:]
        }
        for _ in 0..<400 where underWay(watch).count < 49 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let before = underWay(watch)
        #expect(before.count == 49 && before.values.contains(100))
        #expect(Set(before.keys.map(\.channel)) == [.urgent, .background])
        await watch.close()
        watch = try await session(.watch, folder, "w", isInFile: true)
        #expect(underWay(watch) == before)
        await watch.close()
    }

    @Test(arguments: [true, false])
    func a_watch_that_pairs_with_another_phone_forgets_the_doses(_ isInFile: Bool) async throws {
        let folder = try Folder()
        let watch = try await session(.watch, folder, "w", isInFile: isInFile)
        let first = try await session(.phone, folder, "p", isInFile: isInFile)
        try await pair(first, watch)
        try await watch.doses.record(dose(1))
        await first.close()
        let second = try await session(.phone, folder, "q", isInFile: isInFile)
        try await pair(second, watch)
        #expect(try await watch.doses.newestEvents(limit: 10).isEmpty)
        await second.close()
        await watch.close()
    }

    /// The wearer's phone was wiped: it is another phone by its keys, and learns all doses.
    @Test(arguments: [true, false])
    func a_watch_keeps_the_doses_for_a_phone_of_the_same_wearer(_ isInFile: Bool) async throws {
        let folder = try Folder()
        let watch = try await session(.watch, folder, "w", isInFile: isInFile)
        let first = try await session(.phone, folder, "p", isInFile: isInFile)
        #expect(try await pair(first, watch) == false)
        try await watch.doses.record([dose(1), dose(2)])
        await first.close()
        let second = try await session(.phone, folder, "q", isInFile: isInFile)
        try await second.doses.record(dose(3))
        #expect(try await pair(second, watch, keepingDoses: true))
        try watch.activate()
        try second.activate()
        try await expect(3, in: watch)
        try await expect(3, in: second)
        await second.close()
        await watch.close()
    }

    private func expect(_ count: Int, in session: CompanionSession) async throws {
        var found = 0
        for _ in 0..<400 {
            found = try await session.doses.newestEvents(limit: 10).count
            if found == count { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        #expect(found == count, "\(session.options.role)")
    }
}

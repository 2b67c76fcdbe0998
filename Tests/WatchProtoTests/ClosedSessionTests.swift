import Foundation
import Locks
import Testing

@testable import WatchProto

/// Sessions that are closed, and those that cannot be opened.
@Suite(.timeLimit(.minutes(2))) struct ClosedSessionTests {
    @Test(.timeLimit(.minutes(1)))
    func a_reader_of_a_session_that_is_closed_ends_at_once() async throws {
        let folder = try Folder()
        let watch = try await folder.open(.watch)
        await watch.close()
        for await event in watch.events() { Issue.record("\(event)") }
        for await event in watch.doses.changes() { Issue.record("\(event)") }
        for await record in watch.deliveries(of: UserInfo.self) { Issue.record("\(record)") }
        for await message in watch.messages() { Issue.record("\(message)") }
    }

    @Test(arguments: [true, false])
    func a_closed_session_records_no_dose(_ isInMemory: Bool) async throws {
        let folder = try Folder()
        let watch = try await CompanionSession(
            folder.options(.watch, isInMemory ? .inMemoryOnly : nil))
        let event = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: MedicationID(rawValue: 1), planned: nil,
            status: .taken, time: watch.doses.now)
        await watch.close()
        for events in [[event], []] {
            let refusal = await #expect(throws: DoseRefusal.self) {
                try await watch.doses.record(events)
            }
            #expect(refusal?.isOutcomeUnknown == false)
            #expect(refusal?.description.contains("closed") == true)
        }
    }

    @Test func a_reply_of_a_closed_session_says_so() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(folder)
        while !phone.state.isReachable { try await Task.sleep(for: .milliseconds(5)) }
        let asking = Task { try await phone.sendMessage([1], timeout: .seconds(20)) }
        var messages = watch.messages().makeAsyncIterator()
        let message = try #require(await messages.next())
        await watch.close()
        #expect(throws: Refusal.closed) { try message.reply([2]) }
        await phone.close()
        _ = try await asking.value
    }

    @Test func a_journal_that_this_process_has_open_says_how_that_ends() async throws {
        let folder = try Folder()
        let watch = try await folder.open(.watch)
        let error = await #expect(throws: OpenError.self) { _ = try await folder.open(.watch) }
        let text = try #require(error).description
        #expect(text.contains("in this process already, until close()"))
        #expect(!text.contains("program"))
        await watch.close()
        try await folder.open(.watch).close()
    }

    @Test func a_path_with_a_NUL_makes_no_file() async throws {
        let folder = try Folder()
        let path = folder.file("a\0b")
        for journal in [
            .file(path, key: .unsealed), .file(folder.file("j"), key: .file(path)),
            .file(folder.file("j"), key: .passphraseFile(path)),
        ] as [JournalPlace] {
            let error = await #expect(throws: OpenError.self) {
                _ = try await CompanionSession(folder.options(.watch, journal))
            }
            #expect(try #require(error).description.contains("NUL"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func a_name_without_bytes_is_refused_as_such() async throws {
        let watch = try await CompanionSession(Folder().options(.watch, .inMemoryOnly))
        let refusal = #expect(throws: Refusal.self) {
            try watch.report(AppStatus(isForeground: true, capabilities: [""]))
        }
        #expect(refusal?.description == "the name has no bytes; give it 1 to 255")
        await watch.close()
    }

    /// The threads of this process.
    private static func threads() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }

    @Test func reads_at_once_take_few_threads() async throws {
        let folder = try Folder()
        let watch = try await folder.open(.watch, tables: ["CREATE TABLE held(a)"])
        let isDone = Atomic(false)
        let most = Task.detached { () throws -> Int in
            var most = 0
            while !isDone.load(ordering: .relaxed) {
                most = max(most, try Self.threads())
                try await Task.sleep(for: .microseconds(200))
            }
            return most
        }
        let before = try Self.threads()
        try await withThrowingTaskGroup { group in
            // A long read, for which the others wait.
            group.addTask {
                _ = try await watch.rows(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000000) "
                        + "SELECT count(*) FROM n")
            }
            for _ in 0..<1_000 {
                group.addTask { _ = try await watch.doses.newestEvents(limit: 10) }
                group.addTask { _ = try await watch.rows("SELECT a FROM held") }
            }
            try await group.waitForAll()
        }
        isDone.store(true, ordering: .relaxed)
        // Other tests have threads, too.
        #expect(try await most.value < before + 200)
        await watch.close()
    }

    @Test func the_stages_of_readers_that_are_gone_are_not_kept() async throws {
        let course = TransferCourse(KeepingLink.record(1))
        weak var former: ElementBuffer<Stage>?
        do {
            let feed = course.stages()
            former = feed
            feed.finish()
        }
        _ = course.stages()
        #expect(former == nil)
    }
}

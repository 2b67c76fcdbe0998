import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// Writes of the application without a session.
@Suite(.timeLimit(.minutes(1)))
struct DirectWriteTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    private func open() throws -> JournalFile {
        try JournalFile(path: path, options: JournalOptions(stores: [StoreTests.doses]))
    }

    @Test func they_are_durable_when_the_call_returns() throws {
        let file = try open()
        try file.write([StoreTests.insert(1), StoreTests.insert(2)])
        file.abandon()
        let again = try open()
        #expect(try StoreTests.ids(again) == [1, 2])
        // Nothing of a pairing came to stand in the file.
        #expect(again.pairings.isEmpty)
        again.close()
        #expect(throws: JournalError.self) { try again.write([StoreTests.insert(3)]) }
    }

    @Test func all_of_them_count_or_none() throws {
        let file = try open()
        #expect(throws: JournalError.self) {
            try file.write([StoreTests.insert(1), StoreTests.insert(1)])
        }
        // A journal that failed takes nothing until it is opened again.
        #expect(throws: JournalError.self) { try file.write([StoreTests.insert(2)]) }
        try file.reopen()
        try file.write([StoreTests.insert(2)])
        #expect(try StoreTests.ids(file) == [2])
        file.close()
    }

    @Test func a_disk_that_failed_is_used_again() throws {
        let disk = Disk()
        var options = JournalOptions(stores: [StoreTests.doses])
        options.fault = JournalFault { call in
            guard case .commit = call else { return nil }
            return disk.isFailing.load(ordering: .relaxed) ? 13 : nil
        }
        let file = try JournalFile(path: path, options: options)
        disk.isFailing.store(true, ordering: .relaxed)
        for _ in 0..<3 {
            #expect(throws: JournalError.self) { try file.write([StoreTests.insert(1)]) }
            try? file.reopen()
        }
        disk.isFailing.store(false, ordering: .relaxed)
        try file.reopen()
        try file.write([StoreTests.insert(2)])
        #expect(try StoreTests.ids(file) == [2])
        file.close()
    }

    /// A file that could not be opened again says why, and not that somebody closed it.
    @Test func a_read_after_a_failed_opening_says_what_failed() throws {
        let file = try open()
        #expect(throws: JournalError.self) {
            try file.write([StoreTests.insert(1), StoreTests.insert(1)])
        }
        directory.write("j", [UInt8](repeating: 9, count: 4096))
        let refusal = #expect(throws: JournalError.self) { try file.reopen() }
        #expect(refusal?.kind != .closed)
        let error = #expect(throws: JournalError.self) { try StoreTests.ids(file) }
        #expect(error?.description == refusal?.description)
        file.close()
    }

    private final class Disk: Sendable {
        let isFailing = Atomic(false)
    }
}

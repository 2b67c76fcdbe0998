import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import WatchProtoJournal

/// A journal makes its log longer ahead of need, so that no commit has to.
@Suite(.timeLimit(.minutes(3)))
struct LogRoomTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }
    var logBytes: Int { directory.bytes("j-wal").count }

    private func options(ahead: Int = 16) -> JournalOptions {
        var options = JournalOptions()
        options.logPagesAhead = ahead
        return options
    }

    @Test func commits_find_room_and_more_is_made() async throws {
        let file = try JournalFile(path: path, options: options())
        let journal = try file.journal(for: pairing)
        let post = try Post()
        let first = logBytes
        // A page of the commit that goes before, which counts the opening.
        #expect(first == 32 + (1 + 16) * 4120)
        for number in 1...4 as ClosedRange<UInt64> {
            journal.give([queued(number)], number, to: post)
            try file.flush()
            #expect(logBytes == first, "the log grew with a commit")
        }
        var number: UInt64 = 5
        while file.counters.extensions == 0, number < 100 {
            journal.give([queued(number)], number, to: post)
            try file.flush()
            number += 1
        }
        #expect(await eventually { file.counters.extensions == 1 && logBytes > first })
        file.abandon()
        let again = try JournalFile(path: path, options: options(ahead: 0))
        #expect(
            try again.journal(for: pairing).restore().outboundInOrder().count == Int(number) - 1)
        again.close()
    }

    @Test func a_log_without_a_batch_has_a_commit_before_its_room() throws {
        for _ in 0..<3 {
            let file = try JournalFile(path: path, options: options())
            file.abandon()
            let log = directory.bytes("j-wal")
            #expect(log.count == 32 + (1 + 16) * 4120)
            #expect(log.prefix(32 + 4120).contains { $0 != 0 })
            #expect(log.dropFirst(32 + 4120).allSatisfy { $0 == 0 })
        }
        let again = try JournalFile(path: path, options: options())
        #expect(try again.journal(for: pairing).restore() == JournalImage())
        again.close()
    }

    /// Zeros in the place of what was committed are no room.
    @Test func a_log_overwritten_with_zeros_is_damaged() throws {
        let file = try JournalFile(path: path, options: options())
        try file.journal(for: pairing).give([queued(1)], to: try Post())
        try file.flush()
        file.abandon()
        directory.write("j-wal", [UInt8](repeating: 0, count: logBytes))
        let before = directory.contents
        let error = #expect(throws: JournalError.self) {
            try JournalFile(path: path, options: options())
        }
        #expect(error?.kind == .damaged, "\(error as Any)")
        #expect(error?.detail.contains("nothing but zeros") == true, "\(error as Any)")
        #expect(directory.contents == before)
        // So much, a crash during the very first commit leaves.
        directory.write("j-wal", [UInt8](repeating: 0, count: 32 + 4120))
        directory.remove("j-lock")
        try JournalFile(path: path, options: options()).close()
    }

    @Test func a_disk_without_room_for_the_first_commit() throws {
        var options = options()
        options.fault = JournalFault { call in call == .commit(.opening) ? 13 : nil }
        let file = try JournalFile(path: path, options: options)
        #expect(logBytes == 0)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([queued(1)], 1, to: post)
        try file.flush()
        #expect(post.take() == [1] && file.failure == nil)
        file.close()
    }

    /// SQLITE_FULL and SQLITE_IOERR: a commit finds what room there is.
    @Test(arguments: [Int32(13), 10])
    func a_disk_that_gives_no_room(code: Int32) throws {
        var options = options()
        options.fault = JournalFault { call in call == .extendLog ? code : nil }
        let file = try JournalFile(path: path, options: options)
        #expect(logBytes == 32 + 4120)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([queued(1)], 1, to: post)
        try file.flush()
        #expect(post.take() == [1] && file.failure == nil && file.counters.extensions == 0)
        file.close()
    }
}

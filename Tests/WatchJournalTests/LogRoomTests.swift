import Testing
import WatchProto
import WatchTransport

@testable import WatchJournal

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
        #expect(first == 32 + 16 * 4120)
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

    @Test func a_log_of_nothing_but_room_is_an_empty_log() throws {
        let file = try JournalFile(path: path, options: options())
        file.abandon()
        #expect(logBytes == 32 + 16 * 4120)
        let again = try JournalFile(path: path, options: options())
        #expect(try again.journal(for: pairing).restore() == JournalImage())
        again.close()
    }

    /// SQLITE_FULL and SQLITE_IOERR: a commit finds what room there is.
    @Test(arguments: [Int32(13), 10])
    func a_disk_that_gives_no_room(code: Int32) throws {
        var options = options()
        options.fault = JournalFault { call in call == .extendLog ? code : nil }
        let file = try JournalFile(path: path, options: options)
        #expect(logBytes < 4120)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([queued(1)], 1, to: post)
        try file.flush()
        #expect(post.take() == [1] && file.failure == nil && file.counters.extensions == 0)
        file.close()
    }
}

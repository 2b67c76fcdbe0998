import Glibc
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import WatchProtoJournal

/// Batches and folds that are longer than one row of the log.
@Suite(.timeLimit(.minutes(3)))
struct LongLogTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }
    let other = PairingID(rawValue: 8)

    /// Entries of about 300 KB.
    private let long: [JournalEntry] =
        [opened] + (1...100).map { queued($0, [UInt8](repeating: UInt8($0), count: 3_000)) }

    private func rows(_ pairing: PairingID) throws -> [Int64] {
        let database = try Database(path: path, creating: false)
        return try database.query(
            "SELECT seq FROM journal_log WHERE pairing = ? ORDER BY seq",
            [.blob(JournalContents.bytes(pairing))]
        ) { (row: borrowing SQLRow) throws(SQLiteFailure) in row.integer(0) }
    }

    @Test func a_long_batch_takes_several_rows_and_comes_back_whole() throws {
        let file = try JournalFile(path: path)
        let post = try Post()
        for (number, name) in [pairing, other].enumerated() {
            let journal = try file.journal(for: name)
            _ = try journal.restore()
            #expect(journal.give(long, UInt64(number + 1), to: post) == .later)
        }
        try file.flush()
        #expect(post.take() == [1, 2])
        file.close()
        let all = try [pairing, other].map(rows)
        #expect(all.allSatisfy { $0.count == 5 }, "\(all)")
        #expect((all[0] + all[1]).sorted() == Array(1...10))
        let again = try JournalFile(path: path)
        for name in [pairing, other] {
            #expect(try again.journal(for: name).restore() == JournalImage(long))
        }
        again.close()
    }

    @Test(arguments: [false, true])
    func a_long_fold_keeps_pairings_with_and_without_a_peer(forgets: Bool) throws {
        var options = JournalOptions()
        let post = try Post()
        let first = try JournalFile(path: path, options: options)
        let journals = try [pairing, other].map { try first.journal(for: $0) }
        for journal in journals {
            _ = try journal.restore()
            journal.give(long, 1, to: post)
        }
        try first.flush()
        first.close()
        // The other pairing has no peer any more: its entries are read when the log is folded.
        options.logBytesBeforeImage = 1_000
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        _ = try journal.restore()
        let further = (101...220).map { queued($0, [UInt8](repeating: 1, count: 3_000)) }
        journal.give(further, 2, to: post)
        try file.flush()
        if forgets {
            try file.forget(other)
        } else {
            for _ in 0..<2_000 where file.counters.folds == 0 { usleep(5_000) }
            #expect(file.counters.folds > 0)
        }
        file.close()
        #expect(try rows(pairing).count > 8)
        #expect(try rows(other).count == (forgets ? 0 : 5))
        let again = try JournalFile(path: path)
        #expect(try again.journal(for: pairing).restore() == JournalImage(long + further))
        #expect(
            try again.journal(for: other).restore() == JournalImage(forgets ? [] : long))
        again.close()
    }
}

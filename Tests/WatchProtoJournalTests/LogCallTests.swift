import Glibc
import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// A file that was not closed says itself that commits stand in its log.
@Suite(.timeLimit(.minutes(3)))
struct LogCallTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }
    private static let entries = [opened] + (1...5).map { queued($0) }

    private func options(ahead: Int = 0) -> JournalOptions {
        var options = JournalOptions()
        options.logPagesAhead = ahead
        return options
    }

    /// Gives the entries, one commit each; the journal is still open.
    private func fill(
        _ options: JournalOptions, _ name: String = "j"
    ) throws -> JournalFile {
        let file = try JournalFile(path: directory.file(name), options: options)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        for entry in Self.entries {
            journal.give([entry], to: post)
            try file.flush()
        }
        return file
    }

    private func image(_ name: String = "j") throws -> JournalImage {
        let file = try JournalFile(path: directory.file(name), options: options())
        defer { file.close() }
        return try file.journal(for: pairing).restore()
    }

    private func refused(
        _ name: String, _ words: String..., location: SourceLocation = #_sourceLocation
    ) {
        let before = directory.contents
        // Nor does looking at it leave anything that would let it pass the next time.
        for _ in 0..<2 {
            let error = #expect(throws: JournalError.self, sourceLocation: location) {
                try JournalFile(path: directory.file(name), options: options())
            }
            #expect(error?.kind == .commitsMissing, sourceLocation: location)
            for word in words {
                #expect(
                    error?.description.contains(word) == true, "\(error as Any)",
                    sourceLocation: location)
            }
            #expect(directory.contents == before, sourceLocation: location)
        }
    }

    /// Moved away from its log and its mark, or copied without them while it was open.
    @Test(arguments: [0, 16], [false, true])
    func a_file_without_its_log_and_its_mark(ahead: Int, isOpen: Bool) throws {
        let file = try fill(options(ahead: ahead))
        if !isOpen { file.abandon() }
        for name in ["k", "odd name?#%41ä"] {
            directory.write(name, directory.bytes("j"))
            refused(
                name, "it was not closed", "'\(directory.file(name))-wal' is missing",
                "put an empty file '\(directory.file(name))-wal'")
        }
        // The mark alone changes nothing.
        directory.write("k-lock", [])
        refused("k")
        // With its log it is whole, without a mark as well.
        directory.write("k-wal", directory.bytes("j-wal"))
        #expect(try image("k") == JournalImage(Self.entries))
        file.abandon()
        // An owner who puts an empty log there goes on without the lost commits.
        directory.write("m", directory.bytes("j"))
        directory.write("m-wal", [])
        #expect(try image("m") == JournalImage())
    }

    /// The mark that a loss of power leaves may say less than the log held.
    @Test func an_older_mark_does_not_vouch_for_a_log_that_is_missing() throws {
        let file = try JournalFile(path: path, options: options())
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([Self.entries[0]], to: post)
        try file.flush()
        let mark = directory.bytes("j-lock")
        for entry in Self.entries.dropFirst() {
            journal.give([entry], to: post)
            try file.flush()
        }
        file.abandon()
        // The log was copied when the mark said so.
        try JournalFile(path: path, options: options()).abandon()
        directory.write("j-lock", mark)
        directory.remove("j-wal")
        refused("j", "it was not closed", "not among row 6 of the journal")
    }

    @Test func a_journal_that_was_closed_calls_for_none() throws {
        for ahead in [0, 16] {
            let file = try fill(options(ahead: ahead))
            file.close()
            #expect(try !Database.callsForLog(path: path, fileSystem: nil))
            directory.write("k", directory.bytes("j"))
            #expect(try image("k") == JournalImage(Self.entries))
            for name in directory.names { directory.remove(name) }
        }
    }

    /// As `sqlite3` does it, or a backup: the log is copied and removed, the mark left behind.
    @Test(arguments: [1_000, 2]) func whoever_copies_the_log_takes_the_call_back(
        pages: Int
    ) throws {
        var options = options()
        options.logPagesBeforeCheckpoint = pages
        let file = try fill(options)
        // The log is copied behind the answer to whoever flushes.
        for _ in 0..<1_000 where pages == 2 && file.counters.checkpoints == 0 { usleep(2_000) }
        #expect((file.counters.checkpoints > 0) == (pages == 2))
        file.abandon()
        #expect(try Database.callsForLog(path: path, fileSystem: nil))
        let copy = directory.file("v")
        do {
            let other = try Database(path: path, creating: false)
            try other.run("VACUUM INTO '\(copy)'")
            other.setsCheckpointOnClose(true)
        }
        #expect(!directory.names.contains("j-wal"))
        directory.write("k", directory.bytes("j"))
        for name in ["v", "k", "j"] { #expect(try image(name) == JournalImage(Self.entries)) }
    }

    /// Each log is called for before its first commit, also after a copy and after an erasure.
    @Test func it_is_called_for_through_copies() throws {
        var options = options()
        options.logPagesBeforeCheckpoint = 4
        options.logBytesBeforeImage = 3_000
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        let other = try file.journal(for: PairingID(rawValue: 8))
        let post = try Post()
        var copies: UInt64 = 0
        for number in 1...60 as ClosedRange<UInt64> {
            if number % 20 == 0 {
                other.give([opened], to: post)
                try file.flush()
                try file.forget(PairingID(rawValue: 8))
            }
            journal.give([queued(number, [UInt8](repeating: 1, count: 200))], number, to: post)
            try file.flush()
            // Between what the writer does: it may be copying the log by now.
            let isCalledFor = try file.writer.look { _ in
                try Database.callsForLog(path: path, fileSystem: nil)
            }
            #expect(isCalledFor, "\(number)")
            copies = file.counters.checkpoints
        }
        #expect(copies > 3 && file.counters.folds > 1)
        file.close()
    }

    /// Without room for the word the log is not missed, and all goes on.
    @Test(arguments: [JournalFault.Call.begin(.log), .commit(.log), .commit(.opening)])
    func a_disk_too_full_to_call_for_a_log(call: JournalFault.Call) throws {
        var options = options(ahead: 16)
        options.logPagesBeforeCheckpoint = 4
        options.fault = JournalFault { $0 == call ? 13 : nil }
        let file = try fill(options)
        #expect(file.failure == nil)
        file.abandon()
        #expect(try image() == JournalImage(Self.entries))
        try fill(options).close()
        let after = JournalImage(Self.entries + Self.entries)
        directory.remove("j-lock")
        #expect(try image() == after)
    }
}

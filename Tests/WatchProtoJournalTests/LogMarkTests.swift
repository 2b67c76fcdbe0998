import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// Commits that were durable do not vanish with the log without a word.
@Suite(.timeLimit(.minutes(3)))
struct LogMarkTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    private func options(ahead: Int = 0) -> JournalOptions {
        var options = JournalOptions()
        options.logPagesAhead = ahead
        return options
    }

    /// Entries of six commits, the last of which leave the journal killed.
    private static let entries = [opened] + (1...5).map { queued($0) }

    /// A journal that was killed; gives its files, and the lengths of its log after each commit.
    private func make(ahead: Int = 0) throws -> (files: [String: [UInt8]], ends: [Int]) {
        let file = try JournalFile(path: path, options: options(ahead: ahead))
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var ends: [Int] = []
        for entry in Self.entries {
            journal.give([entry], to: post)
            try file.flush()
            ends.append(directory.bytes("j-wal").count)
        }
        file.abandon()
        var files = directory.contents
        files["j-lock"] = directory.bytes("j-lock")
        return (files, ends)
    }

    private func put(_ files: [String: [UInt8]]) {
        for name in directory.names { directory.remove(name) }
        for (name, bytes) in files { directory.write(name, bytes) }
    }

    private func refused(
        _ kind: JournalError.Kind, _ words: String..., location: SourceLocation = #_sourceLocation
    ) {
        let before = directory.contents
        let mark = LogMark.read(lock: path + "-lock")
        let error = #expect(throws: JournalError.self, sourceLocation: location) {
            try JournalFile(path: path, options: options())
        }
        #expect(error?.kind == kind, "\(error as Any)", sourceLocation: location)
        for word in words {
            #expect(
                error?.description.contains(word) == true, "\(error as Any)",
                sourceLocation: location)
        }
        #expect(directory.contents == before, sourceLocation: location)
        // And so it is the next time.
        #expect(LogMark.read(lock: path + "-lock") == mark, sourceLocation: location)
    }

    private func image() throws -> JournalImage {
        let file = try JournalFile(path: path, options: options())
        defer { file.close() }
        return try file.journal(for: pairing).restore()
    }

    @Test func a_log_that_is_missing_or_empty() throws {
        let (files, _) = try make()
        directory.remove("j-wal")
        refused(.commitsMissing, "missing or empty", "remove '\(path)-lock'")
        directory.write("j-wal", [])
        refused(.commitsMissing, "missing or empty")
        directory.write("j-wal", Array(files["j-wal"]!.prefix(20)))
        refused(.commitsMissing, "cut short")
        // An owner who takes the lock away, and puts an empty log there, goes on with the rest.
        directory.remove("j-wal")
        directory.remove("j-lock")
        refused(.commitsMissing, "'\(path)-wal' is missing", "put an empty file '\(path)-wal'")
        directory.remove("j-lock")
        directory.write("j-wal", [])
        #expect(try image() == JournalImage())
        put(files)
        #expect(try image() == JournalImage(Self.entries))
    }

    @Test func a_log_cut_short_anywhere() throws {
        let (files, ends) = try make()
        let log = files["j-wal"]!
        #expect(ends.last == log.count)
        for cut in stride(from: 33, to: log.count, by: 700) {
            put(files)
            directory.write("j-wal", Array(log[..<cut]))
            refused(.commitsMissing, "cut short")
        }
        for end in ends.dropLast() {
            put(files)
            directory.write("j-wal", Array(log[..<end]))
            refused(.commitsMissing)
        }
    }

    /// Zeros are what stands in the room behind the log, too.
    @Test func a_log_whose_tail_is_zeros() throws {
        let (files, _) = try make(ahead: 16)
        var log = files["j-wal"]!
        let end = try #require(log.lastIndex { $0 != 0 }) + 1
        for start in [end - 1, end - 2_000, end - 4_120, end - 10_000, 32 + 4_120, 32] {
            put(files)
            for place in start..<end { log[place] = 0 }
            directory.write("j-wal", log)
            refused(.commitsMissing, "pages of it are whole")
        }
        for place in 0..<32 { log[place] = 0 }
        directory.write("j-wal", log)
        refused(.damaged, "nothing but zeros")
        put(files)
        directory.write("j-wal", Array(files["j-wal"]!.prefix(end + 3 * 4_120)))
        #expect(try image() == JournalImage(Self.entries))
    }

    /// With the mark also within the last two commits.
    @Test func every_flipped_bit_of_the_log() throws {
        let (files, _) = try make()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<60 {
            put(files)
            var log = files["j-wal"]!
            let place = Int(random.uniform(in: 0...UInt64(log.count - 1)))
            log[place] ^= UInt8(1 << random.uniform(in: 0...7))
            directory.write("j-wal", log)
            let before = directory.contents
            let error = #expect(throws: JournalError.self, "byte \(place)") {
                try JournalFile(path: path, options: options())
            }
            #expect(error?.kind == .damaged || error?.kind == .commitsMissing)
            #expect(directory.contents == before)
        }
    }

    @Test func an_older_log_in_its_place() throws {
        let (old, _) = try make()
        let file = try JournalFile(path: path, options: options())
        let more = (6...20).map { queued($0) }
        try file.journal(for: pairing).give(more, to: try Post())
        try file.flush()
        file.abandon()
        let log = directory.bytes("j-wal")
        directory.write("j-wal", old["j-wal"]!)
        refused(.commitsMissing, "is another one")
        directory.write("j-wal", log)
        #expect(try image() == JournalImage(Self.entries + more))
    }

    /// A loss of power may leave an older mark, a piece of one, or none.
    @Test func a_mark_that_says_less_is_true() throws {
        let file = try JournalFile(path: path, options: options())
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var marks: [[UInt8]] = [[]]
        for entry in Self.entries {
            journal.give([entry], to: post)
            try file.flush()
            marks.append(directory.bytes("j-lock"))
        }
        file.abandon()
        let files = directory.contents
        var torn = marks[3]
        torn[LogMark.offset + 20] ^= 0xFF
        marks.append(torn)
        for mark in marks {
            put(files)
            directory.write("j-lock", mark)
            #expect(try image() == JournalImage(Self.entries))
        }
    }

    @Test func a_journal_that_was_closed_needs_no_log() throws {
        for number in 1...3 as ClosedRange<UInt64> {
            let file = try JournalFile(path: path, options: options(ahead: 16))
            try file.journal(for: pairing).give([queued(number)], to: try Post())
            try file.flush()
            #expect(LogMark.read(lock: path + "-lock") != nil)
            file.close()
            #expect(LogMark.read(lock: path + "-lock") == nil)
            #expect(directory.names == ["j", "j-lock"])
        }
        // Nor does one that is made where another was.
        _ = try make()
        directory.remove("j")
        directory.remove("j-wal")
        #expect(try image() == JournalImage())
    }

    /// Copied, begun anew and copied again: at no moment more is asked for than is there.
    @Test func it_follows_the_log_through_checkpoints() throws {
        var options = options()
        options.logPagesBeforeCheckpoint = 6
        options.logBytesBeforeImage = 4_000
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var entries: [JournalEntry] = []
        for number in 1...60 as ClosedRange<UInt64> {
            entries.append(queued(number, [UInt8](repeating: 1, count: 200)))
            journal.give([entries.last!], number, to: post)
            try file.flush()
            let size = directory.bytes("j-wal").count
            let look = LogInspection(of: path + "-wal", size: size)
            #expect(look.damage == nil, "after commit \(number)")
            // Each fold of this one pairing may be a row.
            let last = try #require(LogMark.read(lock: path + "-lock")).lastRow
            let folds = file.counters.folds
            #expect(last >= Int64(number) && last <= Int64(number + folds))
        }
        #expect(file.counters.checkpoints > 3 && file.counters.folds > 1)
        file.abandon()
        #expect(try image() == JournalImage(entries))
    }
}

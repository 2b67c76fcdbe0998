import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import WatchProtoJournal

/// Files that are refused in opening: with a clear word, and left byte for byte as they were.
@Suite(.timeLimit(.minutes(3)))
struct OpeningTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    /// A journal of so many commits, some of them in an image; gives what it was told, batch by
    /// batch.
    @discardableResult
    private func make(
        commits: Int = 30, isKilled: Bool = false, key: any PayloadKey = UnsealedPayloads(),
        stores: [StoreSchema] = []
    ) throws -> [[JournalEntry]] {
        var options = JournalOptions(key: key, stores: stores)
        // Room behind the log would be most of it.
        options.logPagesAhead = 0
        if !isKilled { options.logBytesBeforeImage = 2_000 }
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        var life = Life(seed: 4)
        var batches: [[JournalEntry]] = []
        let post = try Post()
        for number in 1...commits {
            batches.append(life.batch(payloadBytes: 300))
            journal.give(batches[number - 1], UInt64(number), to: post)
            try file.flush()
        }
        if isKilled { file.abandon() } else { file.close() }
        return batches
    }

    /// Opening must be refused so, and change nothing.
    private func refused(
        _ kind: JournalError.Kind, _ words: String..., options: JournalOptions = JournalOptions(),
        location: SourceLocation = #_sourceLocation
    ) {
        let before = directory.contents
        let error = #expect(throws: JournalError.self, sourceLocation: location) {
            _ = try JournalFile(path: path, options: options)
        }
        #expect(error?.kind == kind, "\(error as Any)", sourceLocation: location)
        let text = error?.description ?? ""
        for word in words + [path] {
            #expect(text.contains(word), "\(text)", sourceLocation: location)
        }
        #expect(directory.contents == before, sourceLocation: location)
    }

    private func planted(_ sql: String) throws {
        let database = try Database(path: path, creating: false)
        try database.run(sql)
        database.setsCheckpointOnClose(true)
    }

    @Test func a_newer_schema() throws {
        try make()
        try planted("PRAGMA user_version = 9")
        refused(.newerSchema, "version 9", "knows \(JournalSchema.migrations.count)")
    }

    @Test func a_newer_schema_in_the_log() throws {
        try make(isKilled: true)
        do {
            let database = try Database(path: path, creating: false)
            try database.run("PRAGMA user_version = 9")
        }
        #expect(!directory.bytes("j-wal").isEmpty)
        refused(.newerSchema, "version 9")
    }

    @Test func a_newer_store() throws {
        try make(stores: [StoreTests.doses])
        let older = StoreSchema(name: "doses", migrations: [])
        refused(.newerSchema, "doses", options: JournalOptions(stores: [older]))
    }

    @Test func a_wrong_key_and_none_and_one_too_many() throws {
        try make(key: ToyKey(key: 3))
        refused(.wrongKey, "does not open", options: JournalOptions(key: ToyKey(key: 4)))
        refused(.wrongKey, "no key was given")
        directory.remove("j")
        try make()
        refused(.wrongKey, options: JournalOptions(key: ToyKey(key: 3)))
    }

    @Test func sealed_payloads_stand_nowhere_in_clear() throws {
        let secret = Array("Metformin 500 mg".utf8)
        var options = JournalOptions(key: ToyKey(key: 3))
        options.logBytesBeforeImage = 100
        for isSealed in [true, false] {
            if !isSealed { options.key = UnsealedPayloads() }
            let file = try JournalFile(path: path, options: options)
            let journal = try file.journal(for: pairing)
            journal.give([opened] + (1...20).map { queued($0, secret) }, 1, to: try Post())
            try file.flush()
            journal.give([queued(21, secret)], 2, to: try Post())
            try file.flush()
            file.abandon()
            let isFound = directory.contents.values.contains { bytes in
                bytes.indices.contains { bytes[$0...].starts(with: secret) }
            }
            #expect(isFound == !isSealed)
            for name in directory.names { _ = unsafe unlink(directory.file(name)) }
        }
    }

    @Test func other_files() throws {
        directory.write("j", Array("Dear diary".utf8))
        refused(.notAJournal, "not an SQLite file")
        directory.write("j", [])
        refused(.damaged, "cut short, at 0 bytes")
        directory.remove("j")
        do {
            let other = try Database(path: path, creating: true)
            try other.run("CREATE TABLE t(a)")
        }
        refused(.notAJournal, "another application")
        directory.remove("j")
        _ = unsafe mkdir(path, 0o700)
        refused(.notAJournal, "a directory")
        _ = unsafe rmdir(path)
        _ = unsafe mkfifo(path, 0o600)
        refused(.notAJournal, "not a regular file")
        directory.remove("j")
        directory.write("j-wal", [1, 2, 3])
        refused(.damaged, "the file is missing")
        #expect(directory.names == ["j-lock", "j-wal"])
    }

    /// Between the look at the file and the claim to it another may make it, and use it, and go.
    @Test func a_journal_made_meanwhile_is_opened() throws {
        let path = path
        let otherPath = directory.file("other")
        let other = try JournalFile(path: otherPath)
        try other.journal(for: pairing).give([opened, queued(1)], 1, to: try Post())
        other.close()
        var options = JournalOptions()
        options.fault = JournalFault { call in
            guard call == .claim else { return nil }
            #expect(unsafe rename(otherPath, path) == 0)
            return nil
        }
        let file = try JournalFile(path: path, options: options)
        #expect(try file.journal(for: pairing).restore() == JournalImage([opened, queued(1)]))
        file.close()
    }

    /// A file that stands there all of a sudden is no other opener's, which would need the claim.
    @Test func a_file_that_appears_meanwhile_is_never_replaced() throws {
        struct Intruder: PayloadKey {
            let write: @Sendable () -> Void
            func unlock(
                _ header: [UInt8]?
            ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8]) {
                write()
                return try UnsealedPayloads().unlock(header)
            }
        }
        let key = Intruder { [directory] in directory.write("j", [1, 2, 3]) }
        let error = #expect(throws: JournalError.self) {
            try JournalFile(path: path, options: JournalOptions(key: key))
        }
        #expect(error?.kind == .held, "\(error as Any)")
        #expect(directory.contents == ["j": [1, 2, 3]])
    }

    /// SQLite follows links: what is looked at must be what it opens, under every name.
    @Test func a_symbolic_link_leads_to_the_same_log_and_claim() throws {
        let batches = try make(commits: 16, isKilled: true)
        let (link, whole) = (directory.file("link"), directory.bytes("j-wal"))
        #expect(unsafe symlink("j", link) == 0)
        var damaged = whole
        damaged[32 + 3 * 4120 + 1_000] ^= 1
        directory.write("j-wal", damaged)
        let before = directory.contents
        let error = #expect(throws: JournalError.self) { try JournalFile(path: link) }
        #expect(error?.kind == .damaged && error?.path == link, "\(error as Any)")
        #expect(directory.contents == before)
        directory.write("j-wal", whole)
        let file = try JournalFile(path: link)
        #expect(
            try file.journal(for: pairing).restore() == JournalImage(batches.flatMap { $0 }))
        #expect(file.path == link)
        refused(.held, "in this process already")
        #expect(directory.names == ["j", "j-lock", "j-wal", "link"])
        file.close()
    }

    @Test func a_link_to_nothing_and_a_link_to_the_directory() throws {
        let link = directory.file("link")
        #expect(unsafe symlink("gone", link) == 0)
        let error = #expect(throws: JournalError.self) { try JournalFile(path: link) }
        #expect(error?.kind == .notAJournal, "\(error as Any)")
        #expect(directory.names == ["link"])
        directory.remove("link")
        #expect(unsafe symlink(".", link) == 0)
        let file = try JournalFile(path: link + "/j")
        refused(.held)
        file.close()
        try JournalFile(path: path).close()
    }

    @Test func no_directory() {
        let path = directory.file("no/j")
        let error = #expect(throws: JournalError.self) { _ = try JournalFile(path: path) }
        #expect(error?.description.contains("there is no directory") == true)
    }

    @Test func a_journal_open_in_this_process_or_another() throws {
        try make()
        let file = try JournalFile(path: path)
        // Asked for by another way than SQLite's own, which remembers its locks even where the
        // system has given them up. The descriptor stays open: to close it would give them up.
        let probe = unsafe open(path, O_RDONLY | O_CLOEXEC)
        #expect(Self.isLocked(probe))
        #expect(unsafe link(path, directory.file("k")) == 0)
        for name in ["j", "k"] {
            let error = #expect(throws: JournalError.self) {
                _ = try JournalFile(path: directory.file(name))
            }
            #expect(error?.kind == .held)
            #expect(error?.description.contains("in this process already") == true)
        }
        directory.remove("k")
        // The first is unharmed, and its locks with it.
        #expect(Self.isLocked(probe))
        defer { close(probe) }
        let post = try Post()
        try file.journal(for: pairing).give([opened], 1, to: post)
        try file.flush()
        #expect(throws: SQLiteFailure.self) {
            try Database(path: path, creating: false).run("PRAGMA user_version")
        }
        file.close()
        directory.write("j-lock", Array("4711\n".utf8))
        let lock = unsafe open(directory.file("j-lock"), O_RDWR | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX) == 0)
        refused(.held, "in process 4711")
        close(lock)
        try JournalFile(path: path).close()
    }

    /// Opened by another name it would be without its log, and begin another.
    @Test func a_file_with_a_second_name() throws {
        let batches = try make(commits: 6, isKilled: true)
        let other = directory.file("other")
        #expect(unsafe link(path, other) == 0)
        refused(.severalNames, "2 names", "-samefile")
        let before = directory.contents
        let error = #expect(throws: JournalError.self) { try JournalFile(path: other) }
        #expect(error?.kind == .severalNames && error?.path == other, "\(error as Any)")
        #expect(directory.contents == before)
        directory.remove("other")
        let file = try JournalFile(path: path)
        #expect(
            try file.journal(for: pairing).restore() == JournalImage(batches.flatMap { $0 }))
        // A name that it is given meanwhile opens nothing, in another process either.
        #expect(unsafe link(path, other) == 0)
        #expect(throws: JournalError.self) { try JournalFile(path: other) }
        file.close()
        refused(.severalNames)
        directory.remove("other")
        // The name under which it is made, left by a crash where it cannot be renamed.
        #expect(unsafe link(path, directory.file("j-new")) == 0)
        try JournalFile(path: path).close()
        #expect(directory.names == ["j", "j-lock"])
    }

    /// Whether a lock stands on the file that another open file description would meet.
    private static func isLocked(_ descriptor: Int32) -> Bool {
        var lock = Glibc.flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        let getLockOfDescription: Int32 = 36
        guard unsafe fcntl(descriptor, getLockOfDescription, &lock) == 0 else { return false }
        return lock.l_type != Int16(F_UNLCK)
    }

    @Test func a_lock_that_is_no_file_of_its_own_is_left_alone() throws {
        try make()
        directory.remove("j-lock")
        directory.write("precious", [1, 2, 3])
        #expect(unsafe symlink("precious", directory.file("j-lock")) == 0)
        refused(.system, "j-lock")
        directory.remove("j-lock")
        #expect(unsafe link(directory.file("precious"), directory.file("j-lock")) == 0)
        refused(.system, "j-lock")
        #expect(directory.bytes("precious") == [1, 2, 3])
        directory.remove("j-lock")
        try JournalFile(path: path).close()
    }

    @Test func a_file_another_program_reads() throws {
        try make()
        let other = try Database(path: path, creating: false)
        try other.run("BEGIN")
        try other.run("SELECT count(*) FROM journal_log")
        refused(.held)
    }

    @Test func cut_files() throws {
        try make(commits: 12)
        let whole = directory.bytes("j")
        for count in [
            1, 15, 50, 99, 100, 4_095, 4_096, 10_000, whole.count - 4_096, whole.count - 1,
        ] {
            directory.write("j", Array(whole[..<count]))
            refused(.damaged, options: JournalOptions())
        }
        directory.write("j", whole)
        try JournalFile(path: path).close()
    }

    /// A flipped bit anywhere is refused, or the journal still holds what it held.
    @Test func flipped_bits_in_the_file() throws {
        let image = JournalImage(try make().flatMap { $0 })
        let whole = directory.bytes("j")
        var random = SeededGenerator(seed: 8)
        var refusals = 0
        for round in 0..<80 {
            var bytes = whole
            // The first page is the smallest part of the file, and the one that matters most.
            let last = round % 4 == 0 ? 4_095 : bytes.count - 1
            bytes[Int(random.uniform(in: 0...UInt64(last)))] ^= UInt8(
                1 << random.uniform(in: 0...7))
            directory.write("j", bytes)
            do {
                let file = try JournalFile(path: path)
                #expect(try file.journal(for: pairing).restore() == image)
                file.close()
            } catch {
                refusals += 1
                #expect(directory.contents == ["j": bytes], "\(error)")
            }
            _ = unsafe unlink(path + "-wal")
        }
        // Most of the file is free: what was folded away.
        #expect(refusals > 5, "\(refusals) refused")
    }

    /// An index that disagrees with its table gives wrong answers without a word.
    @Test func an_index_that_was_scribbled_on() throws {
        let marker = Array("looked up by this".utf8)
        let store = StoreSchema(
            name: "names",
            migrations: [
                Migration(
                    adding: "makes a table",
                    [
                        "CREATE TABLE t(a TEXT)", "CREATE INDEX t_by_a ON t(a)",
                        "INSERT INTO t(a) VALUES('looked up by this')",
                    ])
            ])
        let options = JournalOptions(stores: [store])
        try JournalFile(path: path, options: options).close()
        let whole = directory.bytes("j")
        let places = whole.indices.filter { whole[$0...].starts(with: marker) }
        #expect(places.count >= 2)
        for place in places {
            var bytes = whole
            bytes[place] ^= 1
            directory.write("j", bytes)
            refused(.damaged, "integrity_check", "t_by_a", options: options)
        }
        directory.write("j", whole)
        try JournalFile(path: path, options: options).close()
    }

    @Test func a_store_that_finds_fault_with_its_tables() throws {
        struct Complaint: Error, CustomStringConvertible { var description: String }
        let versions = Mutex<[Int]>([])
        var schema = StoreTests.doses
        schema.check = { _, version in versions.withLock { $0.append(version) } }
        let count = schema.migrations.count
        try JournalFile(path: path, options: JournalOptions(stores: [schema])).close()
        #expect(versions.withLock { $0 } == [], "there was nothing to check")
        try JournalFile(path: path, options: JournalOptions(stores: [schema])).close()
        #expect(versions.withLock { $0 } == [count])
        schema.check = { _, _ in throw Complaint(description: "a spoon is missing") }
        refused(
            .damaged, "'doses'", "a spoon is missing", options: JournalOptions(stores: [schema]))
        schema.check = { store, _ in
            _ = try store.query("SELECT nothing FROM nowhere") {
                (_: borrowing SQLRow) throws(StoreFailure) in
            }
        }
        refused(.system, "'doses'", "nowhere", options: JournalOptions(stores: [schema]))
    }

    /// In the write-ahead log a flipped bit can look like the end a crash leaves, within the last
    /// two commits, where a loss of power took what was noted of them; before them it is refused.
    @Test func flipped_bits_in_the_log() throws {
        let batches = try make(commits: 16, isKilled: true)
        let images = (0...16).map { count in JournalImage(batches[..<count].flatMap { $0 }) }
        let (whole, log) = (directory.bytes("j"), directory.bytes("j-wal"))
        #expect(log.count > 50_000)
        var random = SeededGenerator(seed: 9)
        var refusals = 0
        for _ in 0..<40 {
            var bytes = log
            bytes[Int(random.uniform(in: 0...UInt64(bytes.count - 1)))] ^= UInt8(
                1 << random.uniform(in: 0...7))
            directory.write("j", whole)
            directory.write("j-wal", bytes)
            directory.remove("j-lock")
            do {
                let file = try JournalFile(path: path)
                let image = try file.journal(for: pairing).restore()
                #expect(images[14...].contains { $0 == image })
                file.close()
            } catch {
                refusals += 1
                #expect((error as? JournalError)?.kind == .damaged)
                #expect(directory.contents == ["j": whole, "j-wal": bytes], "\(error)")
            }
        }
        #expect(refusals > 20, "\(refusals) refused")
    }

    /// A loss of power leaves any part of the last commit in the log, and all that came before it.
    @Test func a_torn_end_of_the_log_is_no_damage() throws {
        let batches = try make(commits: 5, isKilled: true)
        let images = (0...5).map { count in JournalImage(batches[..<count].flatMap { $0 }) }
        let (whole, log) = (directory.bytes("j"), directory.bytes("j-wal"))
        for cut in stride(from: 0, to: log.count, by: 512) {
            directory.write("j", whole)
            directory.write("j-wal", Array(log[..<cut]))
            directory.remove("j-lock")
            let file = try JournalFile(path: path)
            let image = try file.journal(for: pairing).restore()
            #expect(images.contains { $0 == image }, "\(cut)")
            file.close()
        }
    }

    @Test func a_creation_that_was_interrupted_begins_anew() throws {
        directory.write("j-new", [1, 2, 3])
        directory.write("j-new-journal", [4])
        try JournalFile(path: path).close()
        #expect(directory.names == ["j", "j-lock"])
    }

    // MARK: In a process of its own

    @Test func a_directory_that_cannot_be_written() async throws {
        try make()
        let before = directory.contents
        await #expect(processExitsWith: .success) {
            [path = path as String, folder = directory.path as String] in
            _ = unsafe chmod(folder, 0o555)
            if getuid() == 0 {
                // Root may write anywhere.
                _ = unsafe chown(path, 65_534, 65_534)
                _ = setgid(65_534)
                _ = setuid(65_534)
            }
            for name in ["j", "other"] {
                let error = #expect(throws: JournalError.self) {
                    _ = try JournalFile(path: folder + "/" + name)
                }
                #expect(error?.kind == .readOnly, "\(error as Any)")
            }
        }
        #expect(directory.contents == before)
    }

    @Test func a_disk_that_is_full() async throws {
        await #expect(processExitsWith: .success) {
            [path = path as String, folder = directory.path as String] in
            _ = signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 8_192, rlim_max: rlim_t.max)
            _ = unsafe setrlimit(__rlimit_resource_t(1), &limit)
            let full = #expect(throws: JournalError.self) { _ = try JournalFile(path: path) }
            #expect(full?.kind == .system || full?.kind == .diskFull, "\(full as Any)")
            let names = ["j", "j-new", "j-wal"].filter { name in
                FileLook.bytes(of: folder + "/" + name, count: 1) != nil
            }
            #expect(names == [])
            limit.rlim_cur = 200_000
            _ = unsafe setrlimit(__rlimit_resource_t(1), &limit)
            let file = try JournalFile(path: path)
            let journal = try file.journal(for: pairing)
            let post = try Post()
            var kept: [JournalEntry] = []
            for number in 1...200 as ClosedRange<UInt64> {
                let entry = queued(number, [UInt8](repeating: 1, count: 2_000))
                journal.give([entry], number, to: post)
                do throws(JournalError) { try file.flush() } catch {
                    // To SQLite a limit of the process is an I/O error, not a full disk.
                    #expect(error.kind == .system || error.kind == .diskFull, "\(error)")
                    break
                }
                kept.append(entry)
            }
            #expect(kept.count > 3 && kept.count < 200)
            #expect(post.take() == Array(1...kept.count) + [-(kept.count + 1)])
            file.close()
            limit.rlim_cur = rlim_t.max
            _ = unsafe setrlimit(__rlimit_resource_t(1), &limit)
            let again = try JournalFile(path: path)
            let image = try again.journal(for: pairing).restore()
            #expect(image == JournalImage(kept))
            again.close()
        }
    }
}

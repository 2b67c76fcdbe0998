import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import WatchProtoJournal

/// The writer's laws: order, groups, receipts after the commit, nothing after a failure.
@Suite(.timeLimit(.minutes(3)))
struct WriterTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    @Test(arguments: [false, true])
    func a_restart_gives_the_same_images(isKilled: Bool) throws {
        var lives = [Life(seed: 1), Life(seed: 2)]
        var all: [[JournalEntry]] = [[], []]
        let post = try Post()
        var number: UInt64 = 0
        for _ in 0..<4 {
            let file = try JournalFile(path: path)
            let journals = try [pairing, PairingID(rawValue: 8)].map { try file.journal(for: $0) }
            for (side, journal) in journals.enumerated() {
                #expect(try journal.restore() == JournalImage(all[side]))
            }
            for _ in 0..<50 {
                for side in 0..<2 {
                    number += 1
                    let batch = lives[side].batch()
                    all[side] += batch
                    #expect(journals[side].give(batch, number, to: post) == .later)
                }
            }
            try file.flush()
            #expect(file.pairings.count == 2)
            if isKilled { file.abandon() } else { file.close() }
            #expect(directory.names.contains("j-wal") == isKilled)
        }
        #expect(post.take() == (1...Int(number)).map { $0 })
    }

    @Test func what_arrives_during_a_commit_goes_into_the_next() throws {
        let gate = Gate()
        var options = JournalOptions()
        options.fault = JournalFault { call in
            if call == .commit(.group) { gate.pass() }
            return nil
        }
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        journal.give([opened], 1, to: post)
        #expect(gate.holds())
        for number in 2...40 as ClosedRange<UInt64> {
            journal.give([queued(number)], number, to: post)
        }
        #expect(post.take() == [])
        gate.open()
        try file.flush()
        #expect(post.take() == Array(1...40))
        #expect(file.counters.commits == 2 && file.counters.largestGroup == 39)
        #expect(file.counters.batches == 40)
        file.close()
    }

    /// The packets of a turn leave in between.
    @Test func what_is_queued_waits_for_the_start() async throws {
        let file = try JournalFile(path: path)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        #expect(await eventually { file.isResting })
        let answer = journal.queue(
            [opened], writes: [], receipt: JournalReceipt(rawValue: 1), notifier: post.notifier)
        #expect(answer == .later)
        let wakeUps = file.counters.wakeUps
        // One that woke would have been done with it.
        usleep(50_000)
        #expect(file.counters.batches == 0 && file.counters.wakeUps == wakeUps)
        journal.start()
        #expect(await eventually { post.take() == [1] })
        file.close()
    }

    /// Nothing is left lying, whatever the writer's thread does meanwhile. Looks by itself: a task
    /// that sleeps comes back as late as the other tests of the machine allow.
    @Test func whatever_is_queued_and_started_is_committed() throws {
        let file = try JournalFile(path: path)
        let journals = try [pairing, PairingID(rawValue: 8)].map { try file.journal(for: $0) }
        let post = try Post()
        var random = SeededGenerator(seed: 7)
        for number in 1...400 as ClosedRange<UInt64> {
            let journal = journals[Int(number % 2)]
            if random.uniform(in: 0...1) > 0 { usleep(UInt32(random.uniform(in: 0...400))) }
            _ = journal.queue(
                [queued(number)], writes: [], receipt: JournalReceipt(rawValue: number),
                notifier: post.notifier)
            if random.uniform(in: 0...3) > 0 { usleep(UInt32(random.uniform(in: 0...100))) }
            journal.start()
            // Nobody else wakes the writer's thread.
            var posted: [Int] = []
            #expect(
                looked {
                    posted += post.take()
                    return !posted.isEmpty
                })
            try #require(posted == [Int(number)])
        }
        file.close()
    }

    /// The receipts posted while the commit stood still: none, unless the writer lies.
    private func postedBeforeCommit(_ mutants: Set<JournalMutant>) throws -> [Int] {
        let directory = TemporaryDirectory()
        let gate = Gate()
        var options = JournalOptions()
        options.mutants = mutants
        options.fault = JournalFault { call in
            if call == .commit(.group) { gate.pass() }
            return nil
        }
        let file = try JournalFile(path: directory.file("j"), options: options)
        let post = try Post()
        try file.journal(for: pairing).give([opened], 1, to: post)
        #expect(gate.holds())
        let early = post.take()
        gate.open()
        try file.flush()
        file.close()
        return early
    }

    @Test func receipts_follow_the_commit() throws {
        #expect(try postedBeforeCommit([]) == [])
    }

    @Test func a_writer_that_posts_early_is_caught() throws {
        #expect(try postedBeforeCommit([.acknowledgesBeforeCommit]) == [1])
    }

    @Test(arguments: [13, 10, 1034, 11] as [Int32])
    func nothing_becomes_durable_after_a_failed_commit(code: Int32) throws {
        let calls = Mutex(0)
        var options = JournalOptions()
        options.fault = JournalFault { call in
            guard call == .commit(.group) else { return nil }
            return calls.withLock { calls in
                calls += 1
                return calls == 3 ? code : nil
            }
        }
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var kept: [JournalEntry] = []
        for (number, entry) in [opened, queued(1), queued(2), queued(3), queued(4)].enumerated() {
            journal.give([entry], UInt64(number + 1), to: post)
            if number < 2 {
                try file.flush()
                kept.append(entry)
            } else {
                #expect(throws: JournalError.self) { try file.flush() }
            }
        }
        #expect(post.take() == [1, 2, -3])
        #expect(journal.give([queued(5)], 6, to: post) == .failed)
        #expect(file.failure?.kind == (code == 13 ? .diskFull : code == 11 ? .damaged : .system))
        // Restoring opens the file again, without what failed.
        #expect(try journal.restore() == JournalImage(kept))
        #expect(file.failure == nil)
        file.close()
        let again = try JournalFile(path: path)
        #expect(try again.journal(for: pairing).restore() == JournalImage(kept))
        again.close()
    }

    @Test func folding_keeps_the_image_and_bounds_the_file() throws {
        var options = JournalOptions()
        options.logBytesBeforeImage = 4_000
        options.logPagesBeforeCheckpoint = 20
        var life = Life(seed: 5)
        var all: [JournalEntry] = []
        let post = try Post()
        for _ in 0..<3 {
            let file = try JournalFile(path: path, options: options)
            let journal = try file.journal(for: pairing)
            #expect(try journal.restore() == JournalImage(all))
            for number in 1...200 as ClosedRange<UInt64> {
                let batch = life.batch(payloadBytes: 200)
                all += batch
                journal.give(batch, number, to: post)
                if number % 5 == 0 { try file.flush() }
                // Fifty batches fill the log, which is copied when the writer has nothing to do.
                guard number.isMultiple(of: 50) else { continue }
                for _ in 0..<2_000 where file.counters.checkpoints < number / 50 { usleep(5_000) }
            }
            try file.flush()
            #expect(try journal.restore() == JournalImage(all))
            let counters = file.counters
            // The image grows with what is not settled, and the log up to its size.
            #expect(counters.folds >= 1 && counters.checkpoints >= 2, "\(counters)")
            #expect(directory.bytes("j-wal").count < 4_152 * 20 * 6)
            file.close()
        }
        #expect(directory.bytes("j").count < 400_000)
    }

    @Test func a_fold_that_is_interrupted_changes_nothing() throws {
        var options = JournalOptions()
        options.logBytesBeforeImage = 2_000
        options.fault = JournalFault { call in call == .commit(.image) ? 13 : nil }
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var life = Life(seed: 6)
        var all: [JournalEntry] = []
        for number in 1...50 as ClosedRange<UInt64> {
            let batch = life.batch(payloadBytes: 200)
            all += batch
            journal.give(batch, number, to: post)
            try file.flush()
        }
        #expect(file.failure == nil && file.counters.putOff > 0 && file.counters.folds == 0)
        #expect(post.take() == Array(1...50))
        file.abandon()
        let again = try JournalFile(path: path)
        #expect(try again.journal(for: pairing).restore() == JournalImage(all))
        again.close()
    }

    @Test func a_full_disk_fails_the_batch_and_keeps_the_rest() throws {
        var options = JournalOptions()
        options.filePageLimit = 40
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        var kept = [opened]
        journal.give(kept, 1, to: post)
        var isFull = false
        for number in 1...100 as ClosedRange<UInt64> where !isFull {
            let entry = queued(number, [UInt8](repeating: 7, count: 3_000))
            journal.give([entry], number + 1, to: post)
            do { try file.flush() } catch {
                #expect(error.kind == .diskFull)
                isFull = true
                continue
            }
            kept.append(entry)
        }
        #expect(isFull)
        let posted = post.take()
        #expect(posted == Array(1...kept.count) + [-(kept.count + 1)])
        file.close()
        let again = try JournalFile(path: path)
        #expect(try again.journal(for: pairing).restore() == JournalImage(kept))
        again.close()
    }

    @Test func closing_makes_everything_durable_and_later_batches_fail() throws {
        let file = try JournalFile(path: path)
        let journal = try file.journal(for: pairing)
        let post = try Post()
        for number in 1...100 as ClosedRange<UInt64> {
            journal.give([queued(number)], number, to: post)
        }
        file.close()
        file.close()
        #expect(post.take() == Array(1...100))
        #expect(journal.give([queued(101)], 101, to: post) == .failed)
        let error = #expect(throws: JournalError.self) { try file.journal(for: pairing) }
        #expect(error?.kind == .closed)
        #expect(directory.names == ["j", "j-lock"])
    }

    /// A caller that waits when the file is abandoned hears so, whenever the thread comes to it.
    @Test func nobody_waits_for_an_abandoned_file() throws {
        for round in 0..<40 {
            let file = try JournalFile(path: directory.file("abandoned-\(round)"))
            let waiting = try SystemThread { try? file.flush() }
            for _ in 0..<(round * 10) { sched_yield() }
            file.abandon()
            waiting.join()
        }
    }

    @Test func an_idle_journal_sleeps() async throws {
        let file = try JournalFile(path: path)
        let journal = try file.journal(for: pairing)
        journal.give([opened], 1, to: try Post())
        try file.flush()
        let before = file.counters.wakeUps
        try await Task.sleep(for: .milliseconds(100))
        #expect(file.counters.wakeUps <= before + 1)
        file.close()
    }
}

import Locks
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import FaultInjection
@testable import WatchProtoJournal

/// A fold that fails at its very end leaves nothing that a later crash could be mistaken for.
@Suite(.timeLimit(.minutes(5)))
struct PutOffTests {
    private static let frameBytes = 24 + 4096

    @Test func a_torn_commit_after_a_fold_that_was_put_off_is_no_damage() throws {
        let directory = try ScratchDirectory(in: "/tmp")
        let path = directory.file("j")
        let disk = RecordedDisk(isRecording: false)
        var options = JournalOptions()
        options.fileSystem = disk.name
        options.logPagesAhead = 0
        options.logBytesBeforeImage = 30_000
        // The disk is full when the commit of the first fold is to be made durable; the folds that
        // are tried later do not come so far.
        let folds = Mutex(0)
        options.fault = JournalFault { call in
            if call == .begin(.image) {
                let earlier = folds.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return earlier > 0 ? 13 : nil
            }
            if call == .commit(.image) {
                disk.plant(
                    DiskFault(after: 0, kinds: [.sync], failure: .full, isForever: false))
            }
            return nil
        }
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        let pairing = PairingID(rawValue: 7)
        let file = try JournalFile(path: path, options: options)
        let journal = try file.journal(for: pairing)
        var entries: [JournalEntry] = []
        func give(_ bytes: Int) throws {
            let number = UInt64(entries.count + 1)
            let entry = queued(number, [UInt8](repeating: 1, count: bytes))
            _ = journal.persist(
                [entry], writes: [], receipt: JournalReceipt(rawValue: number), notifier: notifier)
            try file.flush()
            entries.append(entry)
        }
        while file.counters.putOff == 0, entries.count < 40 { try give(2_000) }
        // The writer answers this after what it does when it has put the fold off.
        try file.flush()
        #expect(file.counters.putOff > 0 && disk.faultsMet > 0)
        func log() throws -> [UInt8] {
            try directory.contents().first { $0.name == "j-wal" }?.bytes ?? []
        }
        let before = try log()
        try give(10)
        file.abandon()
        var torn = try log()
        let first = try #require(
            stride(from: 32, to: torn.count, by: Self.frameBytes).first { start in
                let end = min(start + Self.frameBytes, torn.count)
                return end > before.count || torn[start..<end] != before[start..<end]
            })
        torn[first + 1_000] ^= 1
        // The mark of the last commit is lost with it.
        let others = try directory.contents().filter { !["j-wal", "j-lock"].contains($0.name) }
        try directory.hold(others + [("j-wal", torn)])
        disk.plant(nil)
        options.fault = nil
        let again = try JournalFile(path: path, options: options)
        var state = JournalState()
        state.apply(entries.dropLast())
        #expect(try JournalState(of: pairing, in: again) == state)
        again.close()
    }
}

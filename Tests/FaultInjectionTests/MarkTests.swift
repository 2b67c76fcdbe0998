import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

@testable import FaultInjection

/// The cost of the mark of the write-ahead log.
@Suite(.timeLimit(.minutes(5)))
struct MarkTests {
    /// A commit of one page: its two writes and its sync, as SQLite makes them, and one write of 32
    /// bytes beside the log that nothing waits for.
    @Test func a_commit_waits_for_the_disk_once() throws {
        let directory = try ScratchDirectory(in: "/tmp")
        let disk = RecordedDisk()
        var options = JournalOptions()
        options.fileSystem = disk.name
        let file = try JournalFile(path: directory.file("j"), options: options)
        let journal = try file.journal(for: PairingID(rawValue: 7))
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        for number in 1...8 as ClosedRange<UInt64> {
            let before = disk.callCount
            _ = journal.persist(
                [queued(number, [1])], writes: [],
                receipt: JournalReceipt(rawValue: number), notifier: notifier)
            try file.flush()
            let calls = disk.calls[before...].filter { $0.kind.changesTheDisk }
            #expect(calls.filter { $0.kind == .sync }.map(\.description) == ["sync j-wal"])
            let marks = calls.filter { $0.path.hasSuffix("-lock") }
            #expect(marks.map(\.description) == ["write j-lock 512+32"])
            // Once the pairing has its row.
            if number > 1 { #expect(calls.count == 4, "\(calls)") }
        }
        file.close()
        // Nor does anything else wait for the mark: it was a new file, beside which none stood.
        #expect(!disk.calls.contains { $0.kind == .sync && $0.path.hasSuffix("-lock") })
    }
}

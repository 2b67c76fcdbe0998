import Testing
import WatchProto
import WatchTransport

@testable import CrashKit
@testable import WatchJournal

/// A commit whose sync failed (issue 21, item 7): the system may have given its pages up, though it
/// still shows them to whoever reads.
@Suite(.timeLimit(.minutes(2)))
struct FailedSyncTests {
    private let directory: ScratchDirectory
    private let pairing = PairingID(rawValue: 7)

    init() throws { directory = try ScratchDirectory(in: "/tmp") }

    private func entry(_ number: UInt64) -> JournalEntry {
        let id = RecordID(
            epoch: EpochID(rawValue: 1), lane: .background, number: RecordNumber(number))
        let draft = RecordDraft(
            lane: .background, kind: .opaque, payload: [UInt8](repeating: 7, count: 3_000))
        return .queued(OutboundRecord(id: id, draft: draft))
    }

    private func give(_ number: UInt64, to file: JournalFile) throws {
        let mailbox = JournalMailbox(wake: try WakeDescriptor())
        _ = try file.journal(for: pairing).persist(
            [entry(number)], writes: [], receipt: JournalReceipt(rawValue: number),
            mailbox: mailbox)
        try file.flush()
    }

    /// How many of the records are in the journal.
    private func count(in file: JournalFile) throws -> Int {
        let image = try file.journal(for: pairing).restore()
        return image.outboundInOrder().count
    }

    /// What an opening after the fourth commit is worth, whose sync fails or not, when the power is
    /// lost at any moment from then on.
    private struct Result {
        /// Losses of power that were tried.
        var count = 0
        /// Those behind which the journal cannot be opened, or lacks a record that it had confirmed
        /// or shown.
        var faults: [String] = []
    }

    private func lostPower(afterFailedSync isFailed: Bool) throws -> Result {
        let path = directory.file("j")
        // How a new file comes to be on the disk is another matter.
        try JournalFile(path: path).close()
        let base = try directory.contents()
        let disk = RecordedDisk()
        var options = JournalOptions()
        options.fileSystem = disk.name
        options.logPagesAhead = 0
        let hurt = try JournalFile(path: path, options: options)
        for number in 1...3 as ClosedRange<UInt64> { try give(number, to: hurt) }
        if isFailed {
            disk.plant(
                DiskFault(after: 0, kinds: [.sync], failure: .inputOutput, isForever: false))
            #expect(throws: JournalError.self) { try give(4, to: hurt) }
            #expect(disk.faultsMet == 1)
            disk.plant(nil)
        } else {
            try give(4, to: hurt)
        }
        hurt.abandon()
        let broken = disk.callCount
        let again = try JournalFile(path: path, options: options)
        let (opened, shown) = (disk.callCount, try count(in: again))
        again.abandon()

        var result = Result()
        let calls = disk.calls
        for cut in broken...calls.count {
            for seed in UInt64(0)..<2 {
                var image = DiskImage(holding: base)
                for call in calls[..<cut] { image.apply(call) }
                let fate = seed == 0 ? DiskImage.Fate.dropUnsynced : .tear(seed: seed)
                try directory.hold(image.files(after: fate))
                result.count += 1
                do throws(JournalError) {
                    let file = try JournalFile(path: path)
                    defer { file.close() }
                    let found = (try? count(in: file)) ?? 0
                    if found < (cut < opened ? 3 : shown) { result.faults.append("\(found) left") }
                } catch {
                    result.faults.append("\(error)")
                }
            }
        }
        return result
    }

    /// The check below measures something: behind a sync that succeeds nothing is lost.
    @Test func behind_a_sync_that_succeeds_every_loss_of_power_is_survived() throws {
        let result = try lostPower(afterFailedSync: false)
        #expect(result.count > 40)
        #expect(result.faults == [])
    }

    /// Attacked: a journal, by a sync that fails once; it is opened again, and the power is lost
    /// meanwhile or afterwards. Must hold: the journal can be opened, with all that was confirmed
    /// or shown by then. Today the opening notes the commit as durable, whose pages may be lost;
    /// the next opening misses it and refuses.
    @Test func a_commit_whose_sync_failed_does_not_count_after_the_reopening() throws {
        let result = try lostPower(afterFailedSync: true)
        let (count, faults, first) = (result.count, result.faults.count, result.faults.first)
        #expect(count > 40)
        withKnownIssue("The log's tail is taken as it is read, and not written again.") {
            #expect(faults == 0, "\(faults) of \(count), the first: \(first ?? "")")
        }
    }
}

import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import FaultInjection
@testable import WatchProtoJournal

/// A sync that failed (issue 21, item 7): the system may have given its pages or names up, though
/// it still shows them to whoever reads.
@Suite(.timeLimit(.minutes(5)))
struct FailedSyncTests {
    private let directory: ScratchDirectory
    private let disk = RecordedDisk()
    private let pairing = PairingID(rawValue: 7)
    private var path: String { directory.file("j") }

    init() throws { directory = try ScratchDirectory(in: "/tmp") }

    private func options(_ bugs: Set<JournalMutant> = []) -> JournalOptions {
        var options = JournalOptions()
        options.fileSystem = disk.name
        options.fault = disk.fault()
        options.logPagesAhead = 0
        options.mutants = bugs
        return options
    }

    private func give(_ number: Int, to file: JournalFile) throws {
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        _ = try file.journal(for: pairing).persist(
            [queued(UInt64(number), [UInt8](repeating: 7, count: 3_000))], writes: [],
            receipt: JournalReceipt(rawValue: UInt64(number)), notifier: notifier)
        try file.flush()
    }

    /// How many records are in the journal, which is opened again where it has failed.
    private func count(in file: JournalFile) throws -> Int {
        let found = try JournalState(of: pairing, in: file)
        var state = JournalState()
        for count in 0...5 {
            if state == found { return count }
            state.apply([queued(UInt64(count + 1), [UInt8](repeating: 7, count: 3_000))])
        }
        throw CrashFailure("the journal holds something else")
    }

    /// Loses the power behind each call from `first` on, and opens what is left; says what is wrong
    /// where the journal cannot be opened or holds less than `promised` by then.
    private func faults(
        from first: Int, on base: [DiskImage.NamedFile], tears: UInt64,
        _ promised: (Int) -> Int
    ) throws -> [String] {
        let calls = disk.calls
        var faults: [String] = []
        for cut in first...calls.count {
            let image = CrashRecovery.disk(calls[..<cut], on: base)
            for fate in [.dropUnsynced] + (0..<tears).map({ DiskImage.Fate.tear(seed: $0) }) {
                try directory.hold(image.files(after: fate))
                do throws(JournalError) {
                    let file = try JournalFile(path: path)
                    defer { file.close() }
                    let found = (try? count(in: file)) ?? 0
                    if found < promised(cut) { faults.append("\(cut): \(found) left") }
                } catch {
                    faults.append("\(cut): \(error)")
                }
            }
        }
        return faults
    }

    /// The ways to go on with a journal whose commit has failed.
    enum Return: CaseIterable { case anotherOpening, restoring }

    /// The sync of the fourth commit fails. The journal is opened again, takes one more record, and
    /// the power is lost at any moment from the failure on.
    private func commitFails(
        _ isFailed: Bool, then way: Return, _ bugs: Set<JournalMutant> = []
    ) throws -> [String] {
        // How a new file comes to be on the disk is another matter.
        try JournalFile(path: path).close()
        let base = try directory.contents()
        var file = try JournalFile(path: path, options: options(bugs))
        for number in 1...3 { try give(number, to: file) }
        if isFailed {
            disk.plant(
                DiskFault(after: 0, kinds: [.sync], failure: .inputOutput, isForever: false))
            #expect(throws: JournalError.self) { try give(4, to: file) }
            #expect(disk.faultsMet == 1)
            disk.plant(nil)
        } else {
            try give(4, to: file)
        }
        let broken = disk.callCount
        if way == .anotherOpening {
            file.abandon()
            file = try JournalFile(path: path, options: options(bugs))
        }
        let shown = try count(in: file)
        let opened = disk.callCount
        #expect(file.failure == nil)
        try give(shown + 1, to: file)
        let acknowledged = disk.callCount
        file.abandon()
        #expect(disk.callCount > broken + 10)
        return try faults(from: broken, on: base, tears: 1) { cut in
            cut < opened ? 3 : cut < acknowledged ? shown : shown + 1
        }
    }

    /// The checks below measure something: behind a sync that succeeds nothing is lost.
    @Test func behind_a_sync_that_succeeds_every_loss_of_power_is_survived() throws {
        #expect(try commitFails(false, then: .anotherOpening) == [])
    }

    /// The journal can be opened, with all that was confirmed or shown by then.
    @Test(arguments: Return.allCases)
    func a_commit_whose_sync_failed_does_not_count_after_the_reopening(way: Return) throws {
        #expect(try commitFails(true, then: way) == [])
    }

    @Test(arguments: Return.allCases)
    func a_journal_that_trusts_such_a_commit_is_caught(way: Return) throws {
        #expect(try commitFails(true, then: way, [.trustsLog]) != [])
    }

    /// A new file's name is not durable when its making fails; the next opening finds the file.
    private func nameFails(_ bugs: Set<JournalMutant> = []) throws -> [String] {
        disk.plant(
            DiskFault(
                after: 0, kinds: [.syncDirectory], failure: .inputOutput, isForever: false))
        #expect(throws: JournalError.self) { try JournalFile(path: path, options: options()) }
        #expect(disk.faultsMet == 1)
        disk.plant(nil)
        let broken = disk.callCount
        let file = try JournalFile(path: path, options: options(bugs))
        try give(1, to: file)
        let acknowledged = disk.callCount
        file.abandon()
        return try faults(from: broken, on: [], tears: 8) { cut in cut < acknowledged ? 0 : 1 }
    }

    @Test func a_name_whose_sync_failed_is_synced_by_the_next_opening() throws {
        #expect(try nameFails() == [])
    }

    @Test func an_opening_that_trusts_the_name_it_finds_is_caught() throws {
        #expect(try nameFails([.leavesNameUnsynced]) != [])
    }
}

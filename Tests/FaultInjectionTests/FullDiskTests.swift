import Foundation
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import FaultInjection
@testable import WatchProtoJournal

/// A journal whose disk is full when it is opened can be read.
@Suite(.timeLimit(.minutes(5)))
struct FullDiskTests {
    private let directory: ScratchDirectory
    private let pairing = PairingID(rawValue: 7)
    private var path: String { directory.file("j") }

    init() throws { directory = try ScratchDirectory(in: "/tmp") }

    private func entry(_ number: UInt64) -> JournalEntry {
        queued(number, [UInt8](repeating: 7, count: 3_000))
    }

    private func give(_ number: UInt64, to file: JournalFile) throws {
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        _ = try file.journal(for: pairing).persist(
            [entry(number)], writes: [], receipt: JournalReceipt(rawValue: number),
            notifier: notifier)
        try file.flush()
    }

    private func state(_ count: UInt64) -> JournalState {
        var state = JournalState()
        state.apply((1...count).map(entry))
        return state
    }

    private func state(of file: JournalFile) throws -> JournalState {
        try JournalState(of: pairing, in: file)
    }

    /// From the n-th write of the opening on there is no room, for the log's mark first.
    @Test(arguments: 0...12) func it_opens_and_loses_nothing(passes: Int) throws {
        let disk = RecordedDisk()
        var options = JournalOptions()
        options.fileSystem = disk.name
        let killed = try JournalFile(path: path, options: options)
        for number in 1...8 as ClosedRange<UInt64> { try give(number, to: killed) }
        killed.abandon()
        for round in 0..<2 {
            disk.plant(
                DiskFault(after: passes, kinds: [.write], failure: .full, isForever: true))
            let file = try JournalFile(path: path, options: options)
            #expect(try state(of: file) == state(8), "round \(round)")
            let error = #expect(throws: JournalError.self) {
                for number in 9...60 as ClosedRange<UInt64> { try give(100 + number, to: file) }
            }
            #expect(error?.kind == .diskFull, "\(error as Any)")
            #expect(disk.faultsMet > 0)
            file.close()
            guard passes < 3 else { return }
        }
        disk.plant(nil)
        let file = try JournalFile(path: path, options: options)
        #expect(try state(of: file) == state(8))
        try give(9, to: file)
        file.close()
        let again = try JournalFile(path: path, options: options)
        #expect(try state(of: again) == state(9))
        again.close()
    }

    /// A log that could not be copied into the file when that was closed is missed when it is lost,
    /// whether the disk stays full or has room again after one call.
    @Test(arguments: [false, true]) func a_log_that_stays_is_missed(isForever: Bool) throws {
        var stayed = 0
        for passes in 0..<12 {
            let disk = RecordedDisk()
            var options = JournalOptions()
            options.fileSystem = disk.name
            let path = path + "-\(passes)"
            let file = try JournalFile(path: path, options: options)
            for number in 1...8 as ClosedRange<UInt64> { try give(number, to: file) }
            disk.plant(
                DiskFault(after: passes, kinds: [.write], failure: .full, isForever: isForever))
            file.close()
            disk.plant(nil)
            let hasLog = FileLook.bytes(of: path + "-wal", count: 1 << 20)?.isEmpty == false
            stayed += hasLog ? 1 : 0
            try? FileManager.default.removeItem(atPath: path + "-wal")
            switch Result(catching: { try JournalFile(path: path, options: options) }) {
            case .success(let file):
                #expect(!hasLog, "after \(passes) calls")
                #expect(try state(of: file) == state(8))
                file.close()
            case .failure(let error):
                #expect(hasLog && (error as? JournalError)?.kind == .commitsMissing, "\(error)")
            }
        }
        #expect(stayed > 0)
    }

    /// The rest of a torn commit behind the log goes before anything is written: a crash after that
    /// is not taken for damage.
    @Test func a_torn_commit_is_taken_away_without_room() throws {
        let disk = RecordedDisk()
        var options = JournalOptions()
        options.fileSystem = disk.name
        options.logPagesAhead = 0
        let killed = try JournalFile(path: path, options: options)
        for number in 1...8 as ClosedRange<UInt64> { try give(number, to: killed) }
        killed.abandon()
        let files = try directory.contents()
        var log = try #require(files.first { $0.name == "j-wal" }?.bytes)
        let file = try #require(files.first { $0.name == "j" })
        let whole = LogInspection(of: path + "-wal", size: log.count).committedPages
        log[log.count - 100] ^= 1
        // The loss of power took what was noted of that commit as well.
        try directory.hold([file, ("j-wal", log)])
        let left = LogInspection(of: path + "-wal", size: log.count).committedPages
        #expect(left < whole)
        disk.plant(DiskFault(after: 0, kinds: [.write], failure: .full, isForever: true))
        let full = try JournalFile(path: path, options: options)
        #expect(try state(of: full) == state(7))
        let size = try directory.contents().first { $0.name == "j-wal" }?.bytes.count
        #expect(size == LogInspection.bytes(ofPages: left))
        disk.plant(nil)
        try give(8, to: full)
        full.abandon()
        let again = try JournalFile(path: path, options: options)
        #expect(try state(of: again) == state(8))
        again.close()
    }
}

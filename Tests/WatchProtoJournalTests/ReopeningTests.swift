import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import WatchProtoJournal

/// A journal that failed comes back: restoring opens its file again.
@Suite(.timeLimit(.minutes(3)))
struct ReopeningTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    /// The code that every commit fails with; 0 for none.
    private final class Disk: Sendable {
        private let code = Mutex<Int32>(0)
        func fail(_ code: Int32) { self.code.withLock { $0 = code } }
        var fault: JournalFault {
            JournalFault { call in
                guard case .commit = call else { return nil }
                return self.code.withLock { $0 == 0 ? nil : $0 }
            }
        }
    }

    private func open(_ disk: Disk) throws -> JournalFile {
        var options = JournalOptions()
        options.fault = disk.fault
        return try JournalFile(path: path, options: options)
    }

    @Test(arguments: [Int32(13), 10])
    func a_disk_that_fills_and_empties(code: Int32) throws {
        let disk = Disk()
        let file = try open(disk)
        let (journal, post) = (try file.journal(for: pairing), try Post())
        journal.give([opened], 1, to: post)
        try file.flush()
        disk.fail(code)
        journal.give([queued(1)], 2, to: post)
        let error = #expect(throws: JournalError.self) { try file.flush() }
        #expect(error?.kind == (code == 13 ? .diskFull : .system))
        // As long as it is full nothing can be restored, and the reason is told.
        for _ in 0..<3 {
            let failure = #expect(throws: JournalFailure.self) { try journal.restore() }
            #expect(failure?.description.contains(path) == true)
            #expect(journal.give([queued(2)], 3, to: post) == .failed)
        }
        disk.fail(0)
        // Batches are refused until the pairing is restored.
        #expect(journal.give([queued(2)], 3, to: post) == .failed)
        #expect(try journal.restore() == JournalImage([opened]))
        #expect(file.failure == nil)
        #expect(journal.give([queued(3)], 1, to: post) == .later)
        try file.flush()
        #expect(post.take() == [1, -2, 1])
        file.abandon()
        let again = try open(disk)
        #expect(
            try again.journal(for: pairing).restore() == JournalImage([opened, queued(3)]))
        again.close()
    }

    /// Durable is only what the next process finds.
    @Test(arguments: ["j", "j-wal"])
    func a_file_that_somebody_removes_takes_nothing_more(name: String) throws {
        let file = try open(Disk())
        let (journal, post) = (try file.journal(for: pairing), try Post())
        journal.give([opened], 1, to: post)
        try file.flush()
        #expect(unsafe rename(directory.file(name), directory.file("away")) == 0)
        journal.give([queued(1)], 2, to: post)
        let error = #expect(throws: JournalError.self) { try file.flush() }
        #expect(error?.description.contains("removed or replaced") == true)
        #expect(post.take() == [1, -2])
        #expect(throws: JournalFailure.self) { try journal.restore() }
        #expect(unsafe rename(directory.file("away"), directory.file(name)) == 0)
        // The commit that failed may be durable or not.
        _ = try journal.restore()
        #expect(file.failure == nil)
        file.close()
    }

    /// A pairing whose batches all became durable goes on; one with a failed batch does not before
    /// it is restored, as the later batch would be durable without the earlier one.
    @Test func each_pairing_is_restored_for_itself() throws {
        let disk = Disk()
        let file = try open(disk)
        let post = try Post()
        let journals = try (0..<3).map { try file.journal(for: PairingID(rawValue: 7 + $0)) }
        for journal in journals {
            _ = try journal.restore()
            journal.give([opened], 1, to: post)
        }
        try file.flush()
        disk.fail(13)
        for journal in journals[..<2] { journal.give([queued(1)], 2, to: post) }
        #expect(throws: JournalError.self) { try file.flush() }
        disk.fail(0)
        #expect(try journals[0].restore() == JournalImage([opened]))
        #expect(journals[1].give([queued(2)], 3, to: post) == .failed)
        #expect(journals[2].give([queued(2)], 3, to: post) == .later)
        #expect(try journals[1].restore() == JournalImage([opened]))
        #expect(journals[1].give([queued(3)], 4, to: post) == .later)
        try file.flush()
        file.abandon()
        let again = try open(disk)
        let images = try (0..<3).map {
            try again.journal(for: PairingID(rawValue: 7 + $0)).restore()
        }
        #expect(images[0] == JournalImage([opened]))
        #expect(images[1] == JournalImage([opened, queued(3)]))
        #expect(images[2] == JournalImage([opened, queued(2)]))
        again.close()
    }

    /// A request of the application does the same, or says why it cannot be done.
    @Test func a_request_opens_the_file_again() throws {
        let disk = Disk()
        let file = try open(disk)
        disk.fail(13)
        #expect(throws: JournalError.self) { try file.deviceID() }
        let error = #expect(throws: JournalError.self) { try file.deviceID() }
        #expect(error?.kind == .diskFull)
        disk.fail(0)
        let name = try file.deviceID()
        #expect(file.failure == nil)
        #expect(try file.deviceID() == name)
        file.close()
    }

    /// Nobody else gets the file while it waits to be opened again.
    @Test func the_claim_is_kept() throws {
        let disk = Disk()
        let file = try open(disk)
        let journal = try file.journal(for: pairing)
        disk.fail(13)
        journal.give([opened], to: try Post())
        #expect(throws: JournalFailure.self) { try journal.restore() }
        let error = #expect(throws: JournalError.self) { try open(Disk()) }
        #expect(error?.kind == .held)
        file.close()
        let closed = #expect(throws: JournalFailure.self) { try journal.restore() }
        #expect(closed?.description.contains("closed") == true)
        try open(Disk()).close()
    }

    @Test func a_file_that_was_damaged_meanwhile_is_refused() throws {
        let disk = Disk()
        let file = try open(disk)
        let journal = try file.journal(for: pairing)
        journal.give([opened], 1, to: try Post())
        try file.flush()
        disk.fail(10)
        journal.give([queued(1)], 2, to: try Post())
        #expect(throws: JournalError.self) { try file.flush() }
        disk.fail(0)
        directory.write("j-wal", Array(directory.bytes("j-wal").prefix(40)))
        let failure = #expect(throws: JournalFailure.self) { try journal.restore() }
        #expect(failure?.description.contains("cut short") == true, "\(failure as Any)")
        file.close()
    }

    /// Rows of a pairing that no peer was opened on are put together as they stand.
    @Test func folding_keeps_pairings_without_a_peer() throws {
        var options = JournalOptions()
        options.logBytesBeforeImage = 0
        var life = Life(seed: 3)
        var all: [JournalEntry] = []
        let post = try Post()
        for round in 0..<4 {
            let file = try JournalFile(path: path, options: options)
            let journal = try file.journal(for: pairing)
            if round % 2 == 0 { _ = try journal.restore() }
            for _ in 0..<5 {
                let batch = life.batch()
                all += batch
                journal.give(batch, to: post)
                try file.flush()
            }
            file.close()
            #expect(file.counters.folds > 0)
        }
        let file = try JournalFile(path: path, options: options)
        #expect(try file.journal(for: pairing).restore() == JournalImage(all))
        file.close()
    }

    @Test func a_pairing_begins_with_its_ticket_once() throws {
        let ticket = Ticket(rawValue: 5)
        for _ in 0..<2 {
            let file = try JournalFile(path: path)
            let image = try file.journal(for: pairing, pairedWith: ticket).restore()
            #expect(image == JournalImage(TicketState.Image.paired(ticket)))
            #expect(file.pairings == [pairing])
            file.abandon()
        }
    }
}

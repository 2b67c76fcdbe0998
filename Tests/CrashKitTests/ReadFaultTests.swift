import Testing
import WatchJournal

@testable import CrashKit

/// A disk that cannot be read says nothing about what is on it.
@Suite(.timeLimit(.minutes(2)))
struct ReadFaultTests {
    @Test(arguments: [true, false])
    func a_page_that_cannot_be_read_is_no_damage(isForever: Bool) throws {
        let directory = try ScratchDirectory(in: "/tmp")
        let path = directory.file("j")
        let table = StoreSchema(
            name: "notes",
            migrations: [
                Migration(
                    adding: "notes",
                    [
                        "CREATE TABLE note(body BLOB)",
                        """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
                        INSERT INTO note SELECT randomblob(3000 + 200 * i) FROM n
                        """,
                    ])
            ])
        try JournalFile(path: path, options: JournalOptions(stores: [table])).close()
        let before = try directory.contents().first { $0.name == "j" }?.bytes
        let disk = RecordedDisk(isRecording: false)
        var options = JournalOptions(stores: [table])
        options.fileSystem = disk.name
        options.logPagesAhead = 0
        var refusals = 0
        var passes = 0
        while true {
            disk.plant(
                DiskFault(
                    after: passes, kinds: [.read], failure: .inputOutput, isForever: isForever))
            do throws(JournalError) {
                try JournalFile(path: path, options: options).close()
            } catch {
                // A program that another test is just starting still holds the lock.
                if error.kind == .held { continue }
                refusals += 1
                #expect(error.kind == .system, "read \(passes + 1): \(error)")
            }
            guard disk.faultsMet > 0 else { break }
            passes += 1
        }
        // One read that fails may be in a check that is made again.
        #expect(passes > 100)
        #expect(refusals == passes || !isForever && refusals > 0, "\(refusals) of \(passes)")
        disk.plant(nil)
        #expect(try directory.contents().first { $0.name == "j" }?.bytes == before)
    }
}

import Testing
import WatchProtoJournal
import WatchProtoRecords

@testable import FaultInjection

/// A disk that cannot be read says nothing about what is on it.
@Suite(.timeLimit(.minutes(5)))
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
        func bytes() throws -> [UInt8]? {
            try directory.contents().first { $0.name == "j" }?.bytes
        }
        var before = try bytes()
        var untouched = 0
        let disk = RecordedDisk()
        var options = JournalOptions(stores: [table])
        options.fileSystem = disk.name
        options.logPagesAhead = 0
        var (refusals, closings) = (0, 0)
        var passes = 0
        while true {
            let callCount = disk.callCount
            disk.plant(
                DiskFault(
                    after: passes, kinds: [.read], failure: .inputOutput, isForever: isForever))
            do throws(JournalError) {
                let file = try JournalFile(path: path, options: options)
                let wasMet = disk.faultsMet > 0
                file.close()
                // Pages that closing cannot read stay in the log.
                if !wasMet, disk.faultsMet > 0 { closings += 1 }
            } catch {
                // A program that another test is just starting still holds the lock.
                if error.kind == .held { continue }
                refusals += 1
                #expect(error.kind == .system, "read \(passes + 1): \(error)")
            }
            guard disk.faultsMet > 0 else { break }
            passes += 1
            // The file stays as it was, unless the opening wrote to it or failed to read it.
            let after = try bytes()
            let isAsked = disk.calls[callCount...].contains { $0.path.hasSuffix("/j") }
            #expect(isAsked || after == before, "read \(passes)")
            untouched += isAsked ? 0 : 1
            before = after
        }
        // One read that fails may be in a check that is made again.
        #expect(passes > 100)
        let met = passes - closings
        #expect(refusals == met || !isForever && refusals > 0, "\(refusals) of \(met)")
        #expect(untouched > (isForever ? 100 : 0))
        disk.plant(nil)
        let file = try JournalFile(path: path, options: JournalOptions(stores: [table]))
        let length = try file.read { store in
            try store.query("SELECT total(length(body)) FROM note") {
                row throws(StoreFailure) in row.integer(0)
            }
        }
        #expect(length == [(1...60).reduce(0) { $0 + 3000 + 200 * $1 }])
        file.close()
    }
}

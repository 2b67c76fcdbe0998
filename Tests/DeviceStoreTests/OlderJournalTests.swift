import Foundation
import PhoneKit
import Testing
import WatchProto
import WatchProtoRecords

@testable import DeviceStore
@testable import WatchJournal

/// Files that older versions wrote are opened with what they hold; see `Fixtures/journals`.
@Suite(.timeLimit(.minutes(1)))
struct OlderJournalTests {
    private static let names = [
        "Metformin", "Levothyroxine", "Insulin glargine", "Warfarin", "Salbutamol", "Amlodipine",
    ]

    /// A directory with copies of the fixture's files, gone when the test is over.
    private final class Copy {
        let directory: URL

        init(_ name: String, endings: [String]) throws {
            directory = FileManager.default.temporaryDirectory
                .appending(path: "wo\(UInt32.random(in: 0 ... .max))")
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false)
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            for ending in endings {
                try FileManager.default.copyItem(
                    at: root.appending(path: "Fixtures/journals/\(name)\(ending)"),
                    to: directory.appending(path: "j\(ending)"))
            }
        }

        var path: String { directory.appending(path: "j").path }

        deinit { try? FileManager.default.removeItem(at: directory) }
    }

    private func version(_ path: String) throws -> Int64? {
        let database = try Database(path: path, creating: false)
        return try database.integer("PRAGMA user_version")
    }

    /// The medications of the doses kept, and what the journal has of its one pairing.
    private func doses(_ file: JournalFile) throws -> (of: [MedicationID], image: JournalImage) {
        let rows = try FileStore(file).doses(of: nil, before: nil, limit: 100)
        let pairing = try #require(file.pairings.first)
        #expect(file.pairings.count == 1)
        return (
            try rows.map { try DoseEvent(decoding: $0.body).medication },
            try file.journal(for: pairing).restore()
        )
    }

    @Test(arguments: 1...2) func a_phone_of_an_older_schema_that_was_closed(number: Int) throws {
        let copy = try Copy("schema-\(number)-closed", endings: [""])
        #expect(try version(copy.path) == Int64(number))
        let schema = DeviceSchema.schema { try Medication.expected(of: $0) }
        var images: [JournalImage] = []
        for _ in 0..<2 {
            let file = try JournalFile(
                path: copy.path,
                options: JournalOptions(stores: [schema]))
            let all = try FileStore(file).list(after: 0, limit: 100).map {
                try Medication(stored: $0)
            }
            #expect(all.map(\.name) == Self.names)
            let (medications, image) = try doses(file)
            #expect(medications == [3, 2, 2, 1, 0].map { all[$0].id })
            images.append(image)
            file.close()
        }
        #expect(try version(copy.path) == Int64(JournalSchema.migrations.count))
        #expect(images[0] != JournalImage() && images[0] == images[1])
    }

    @Test(arguments: 1...2) func a_watch_of_an_older_schema_that_was_killed(number: Int) throws {
        let copy = try Copy("schema-\(number)-killed", endings: ["", "-wal"])
        for _ in 0..<2 {
            let file = try JournalFile(
                path: copy.path, options: JournalOptions(stores: [DeviceSchema.schema]))
            let all = try FileStore(file).list(after: 0, limit: 100).map {
                try LightweightMedication(decoding: $0.body)
            }
            #expect(all.map(\.name) == Self.names)
            let (medications, image) = try doses(file)
            #expect(medications == [3, 2, 2, 1, 0].map { all[$0].id })
            #expect(image != JournalImage())
            file.close()
        }
        #expect(try version(copy.path) == Int64(JournalSchema.migrations.count))
        // The last two doses stand in the log only.
        let without = try Copy("schema-\(number)-killed", endings: [""])
        let file = try JournalFile(
            path: without.path, options: JournalOptions(stores: [DeviceSchema.schema]))
        #expect(try doses(file).of.count == 3)
        file.close()
    }
}

import ControlProtocol
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Files of many doses, of which one resource at a time is in memory.
@Suite struct LongDoseFileTests {
    /// A text whose pieces are read from `bytes`.
    private func pieces(of bytes: [UInt8]) -> ChunkedText {
        ChunkedText(count: bytes.count) { place in
            let start = place * ChunkedText.chunkBytes
            return Array(bytes[start..<min(start + ChunkedText.chunkBytes, bytes.count)])
        }
    }

    private func foreign(_ number: Int, _ members: String) -> String {
        #"{"resourceType":"MedicationAdministration","id":"\#(number)","#
            + #""medicationCodeableConcept":{"text":"Aspirin"},\#(members)}"#
    }

    /// Doses of an export, of other programs, repeated ones, versions, and two forms of one.
    private func resources() -> [String] {
        var samples = DoseSamples(seed: 5)
        let text = DoseExporter.bytes(of: samples.events(400), .lines)
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        for number in 0..<300 {
            let day = 10 + number % 9
            lines.append(
                foreign(
                    number % 200,
                    #""status":"completed","meta":{"versionId":"\#(number / 200)"},"#
                        + #""effectiveDateTime":"2026-02-\#(day)T08:00:00Z""#))
        }
        lines.append(foreign(1_000, #""status":"in-progress""#))
        lines += lines[5..<9]
        // The same order for every run, with each kind of resource everywhere.
        return (0..<lines.count).map { lines[($0 * 211) % lines.count] }
    }

    @Test func `A file that is read in pieces gives the events and messages of one in memory`()
        throws
    {
        let lines = resources()
        #expect(lines.count % 211 != 0)
        let entries = lines.map { #"{"resource":\#($0)}"# }.joined(separator: ",\n")
        for (file, text) in [
            ("a.ndjson", lines.joined(separator: "\n")),
            ("a.json", "[\(lines.joined(separator: ",\n"))]"),
            ("a.json", #"{"resourceType":"Bundle","entry":[\#(entries)]}"#),
        ] {
            let bytes = Array(text.utf8)
            #expect(bytes.count > 4 * ChunkedText.chunkBytes)
            let whole = try DoseImporter.read(bytes, file: file)
            let found = try DoseImporter.read(pieces(of: bytes), file: file, isPartial: false)
            #expect(whole.doses.count == 400 + 200)
            let events = try found.events.map { try DoseEvent(decoding: $0) }
            #expect(events == whole.doses)
            #expect(found.summary.skips == whole.skips && whole.skips.count == 100 + 4 + 1)
            #expect(found.summary.warnings == whole.warnings)
            #expect(found.summary.skipCounts == whole.skipCounts)
            // Both versions of a dose are of one resource, and the newer one counts.
            #expect(whole.skipCounts.first { $0.name == "older version" }?.count == 100)
        }
    }

    @Test func `Of very many messages the first are kept, and all are counted`() throws {
        let skipped = (0..<5_000).map { foreign($0, #""status":"in-progress""#) }
        let summary = try DoseImporter.read(
            Array(skipped.joined(separator: "\n").utf8), file: "a.ndjson")
        #expect(summary.skipCount == 5_000 && summary.skips.count <= 2_000)
        #expect(summary.skipCounts.map(\.count) == [5_000])
        #expect(summary.skips.prefix(100).map(\.position.line) == Array(1...100))
        #expect(summary.details.contains("and 4900 more skipped"))
        #expect(summary.description.contains("5000 skipped"))

        let faulty = (0..<5_000).map { foreign($0, #""status":"finished""#) }
        let bytes = Array(faulty.joined(separator: "\n").utf8)
        let refusal = try #require(throws: ImportRefusal.self) {
            try DoseImporter.read(bytes, file: "a.ndjson")
        }
        #expect(refusal.errors.count <= 2_000 && refusal.errors.count + refusal.omitted == 5_000)
        #expect(refusal.errors.prefix(100).map(\.position.line) == Array(1...100))
        #expect(refusal.description.hasSuffix("5000 errors in 1 file; nothing was imported."))
        #expect(refusal.description.contains("and 4900 more"))
        let partial = try DoseImporter.read(bytes, file: "a.ndjson", isPartial: true)
        #expect(partial.faults.count + partial.omittedFaults == 5_000)
    }

    @Test func `Warnings are counted as well`() throws {
        let dated = (0..<5_000).map {
            foreign($0, #""status":"completed","effectiveDateTime":"2026-02-14""#)
        }
        let summary = try DoseImporter.read(
            Array(dated.joined(separator: "\n").utf8), file: "a.ndjson")
        #expect(summary.doses.count == 5_000 && summary.warningCount == 5_000)
        #expect(summary.warnings.count <= 2_000)
        #expect(summary.warnings.prefix(100).map(\.position.line) == Array(1...100))
    }
}

import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import Bench

/// The articles quote figures of `rig lab codec`. All of them follow from the seeds.
@Suite struct ArticleFigureTests {
    /// The generated records within the byte budget, as the report measures them.
    private static let medications = CodecFixtures.records().filter {
        (try? $0.encoded()) != nil
    }

    private static func article(_ module: String, _ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: "Sources/\(module)/\(module).docc/\(name).md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// A number in whole units, with commas between thousands.
    private static func whole(_ number: Double) -> String {
        let digits = String(Int(number.rounded()))
        guard digits.count > 3 else { return digits }
        return digits.dropLast(3) + "," + digits.suffix(3)
    }

    @Test func the_table_of_a_first_sync_is_that_of_the_report() throws {
        let sync = try FirstSync.measure(Self.medications)
        let article = try Self.article("WatchProtoRecords", "record-coding")
        for (name, row) in [("without the coding", sync.before), ("with the coding", sync.after)] {
            let line =
                "| \(name) | \(CodecReport.tenths(row.packets)) | \(Self.whole(row.bytes)) | "
                + "\(Self.whole(row.milliseconds)) | \(Self.whole(row.longestMilliseconds)) |"
            let isQuoted = article.contains(line)
            #expect(isQuoted, "\(line)")
        }
    }

    @Test func the_table_of_padding_is_that_of_the_report() throws {
        let table = try PaddingTable.measure(Self.medications)
        let article = try Self.article("WatchProtoSecurity", "transport-sealing")
        let tenths = CodecReport.tenths
        let count = " \(table.samples) samples of each action"
        let hasCount = article.contains(count)
        #expect(hasCount, "\(count)")
        for row in table.rows {
            let line =
                "| \(row.name)\(row.isInUse ? " (in use)" : "") | \(tenths(row.bits)) | "
                + "\(Self.whole(100 * row.guessed)) % | \(tenths(row.medicationBits)) | "
                + "\(Self.whole(row.bytes)) |"
            let isQuoted = article.contains(line)
            #expect(isQuoted, "\(line)")
        }
    }

    @Test func sizes_are_those_of_the_report() throws {
        let (coded, medications) = (CodedSizes(Self.medications), Self.medications)
        let updates = try UpdateSizes.measure(medications)
        let plain = ByteSpread(medications.map(\.encodedSize))
        let article = try Self.article("WatchProtoRecords", "record-coding")
        let alone = Self.whole(coded.aloneMean)
        for text in [
            "encoding takes \(Self.whole(plain.mean)) bytes on average and "
                + "\(plain.largest) at most",
            "coding takes \(alone) bytes on average and \(coded.largest) at most",
            "An update takes \(CodecReport.tenths(updates.dose.mean)) bytes on average and "
                + "\(updates.dose.largest) at most",
        ] {
            let isQuoted = article.contains(text)
            #expect(isQuoted, "\(text)")
        }
    }

    /// Texts like real ones: the coding is the shorter one, however long the record.
    @Test func full_records_are_coded_in_90_bytes_at_most() throws {
        let reference = CodedSizes.reference(Self.medications)
        let sentences = FixtureWords.english.instructions
        for (index, record) in Self.medications.enumerated() where index.isMultiple(of: 5) {
            var (full, place) = (record, index)
            while full.encodedSize < 200 {
                let sentence = sentences[place % sentences.count]
                full.instructions += (full.instructions.isEmpty ? "" : ". ") + sentence
                place += 1
            }
            while full.encodedSize > 197 + index % 4 { full.instructions.removeLast() }
            #expect((196...200).contains(full.encodedSize))
            let coding = try #require(Vocabulary.shared.encode([full], reference))
            #expect(coding.count + 16 <= 90, "\(full)")
        }
    }

    /// Other texts leave in the canonical encoding, which therefore must be short enough.
    @Test func a_text_of_random_characters_has_no_shorter_coding() throws {
        var random = SeededGenerator(seed: 9)
        for record in Self.medications.prefix(50) {
            var full = record
            full.instructions = ""
            while full.encodedSize < 199 {
                full.instructions.unicodeScalars.append(
                    Unicode.Scalar(UInt8(33 + random.next() % 94)))
            }
            let reference = CodedSizes.reference(Self.medications)
            let coding = try #require(Vocabulary.shared.encode([full], reference))
            #expect(coding.count > full.encodedSize)
        }
    }
}

import ControlProtocol
import Testing
import WatchProtoCore

@testable import ReferenceDevice

/// Refusals and summaries of files that have very much wrong with them, or very long texts in them.
@Suite struct ManyFaultsTests {
    private static let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!
    private static let head = #"{"format":"watchproto.medications/1","medications":["#

    private func refusal(of text: String) throws -> (ImportRefusal, [UInt8]) {
        let bytes = Array(text.utf8)
        let refusal = #expect(throws: ImportRefusal.self) {
            try MedicationImporter.read(bytes, file: "list.json", now: Self.now)
        }
        return (try #require(refusal), bytes)
    }

    private static func faulty(_ count: Int, between: String = ",") -> String {
        head
            + (0..<count).map { #"{"name":"Testamin \#($0)","id":"bad\#($0)"}"# }
            .joined(separator: between) + "]}"
    }

    @Test func of_many_faults_the_first_are_shown_and_the_others_counted() throws {
        let (refusal, bytes) = try refusal(of: Self.faulty(250))
        for text in [refusal.description, refusal.description(source: bytes)] {
            let lines = text.split(separator: "\n")
            #expect(lines.count { $0.hasPrefix("list.json:1:") } == 100)
            #expect(
                lines.suffix(2) == ["and 150 more", "250 errors in 1 file; nothing was imported."])
        }
        let (few, _) = try self.refusal(of: Self.faulty(100))
        #expect(!few.description.contains("more"))
        #expect(few.description.hasSuffix("100 errors in 1 file; nothing was imported."))
    }

    /// The same faults on one line and on a line each show the same marks; and a line of a
    /// megabyte is not gone through for each of them. Time in ratio to the file with line breaks,
    /// so that a slow machine fails nothing.
    @Test func a_long_line_costs_no_more_than_many_short_ones() throws {
        let filler = #"{"name":"\#(String(repeating: "x", count: 500_000))"}"#
        let clock = ContinuousClock()
        func cost(_ between: String) throws -> (Duration, [Substring]) {
            let faults = Self.faulty(100, between: between).dropFirst(Self.head.count).dropLast(2)
            let text = [filler, String(faults), filler].joined(separator: between)
            let (refusal, bytes) = try refusal(of: Self.head + text + "]}")
            var shown = ""
            let time = clock.measure { shown = refusal.description(source: bytes) }
            return (time, shown.split(separator: "\n").filter { $0.contains("^") })
        }
        let (short, marksOfLines) = try cost(",\n")
        let (long, marks) = try cost(",")
        #expect(marks.count == 100)
        #expect(marks.map { $0.count { $0 == "^" } } == marksOfLines.map { $0.count { $0 == "^" } })
        #expect(long < short * 10 + .milliseconds(200), "\(long), with line breaks \(short)")
    }

    @Test func the_mark_stands_below_the_fault_wherever_it_is() throws {
        let before = String(repeating: "ä", count: 500)
        let text =
            Self.head + #"{"name":"\#(before)","id":"wrong"},{"name":"b","id":"\#u{1B}no"}]}"#
        let (refusal, bytes) = try refusal(of: text.replacing("\u{1B}", with: "\\u001b"))
        let lines = refusal.description(source: bytes).split(
            separator: "\n", omittingEmptySubsequences: false)
        let mark = try #require(lines[2].firstIndex(of: "^"))
        let column = lines[2].distance(from: lines[2].startIndex, to: mark)
        #expect(lines[1].dropFirst(column).hasPrefix(#""wrong""#), "\(lines)")
        #expect(lines[2].count { $0 == "^" } == 7)
        #expect(lines[1].contains("ä"))
        #expect(lines[1].count <= 110)
        #expect(!refusal.description(source: bytes).unicodeScalars.contains("\u{1B}"))
    }

    @Test(arguments: [[UInt8](repeating: 0x80, count: 300), [0x0A, 0x80, 0x80, 0x80, 0x80], []])
    func an_excerpt_of_what_is_no_text_stays_on_one_line(bytes: [UInt8]) {
        for offset in [0, 1, bytes.count / 2, bytes.count, bytes.count + 5] {
            let error = JSONError(
                .invalidUTF8, at: JSONPosition(byteOffset: offset, line: 1, column: 1),
                byteCount: 9999, expected: "text", found: "bytes")
            let text = ImportRefusal(file: "f", errors: [error]).description(source: bytes)
            #expect(text.split(separator: "\n").count == 4, "\(offset): \(text)")
        }
    }

    @Test func a_long_text_of_the_file_is_never_repeated_whole() throws {
        let long = String(repeating: "1 mg ", count: 20_000)
        let summary = try MedicationImporter.read(
            Array((Self.head + #"{"name":"\#(long)","strength":"\#(long)"}]}"#).utf8),
            file: "list.json", now: Self.now)
        #expect(summary.skips.map(\.reason) == [.doesNotFit])
        #expect(summary.details.utf8.count < 600, "\(summary.details.utf8.count) bytes")
        #expect(summary.details.contains("does not fit a watch"))
        for entry in [
            #"{"name":"a","\#(long)":1}"#, #"{"name":"a","id":"\#(long)"}"#,
            #"{"name":"a","revision":\#(String(repeating: "9", count: 300))}"#,
            #"{"name":"a","\#(long)":1,"\#(long)":2}"#,
            #"{"name":"a","color":"e\#(String(repeating: "\u{301}", count: 50_000))"}"#,
        ] {
            let (refusal, bytes) = try refusal(of: Self.head + entry + "]}")
            #expect(refusal.description(source: bytes).utf8.count < 3000, "\(entry.prefix(40))")
        }
    }

    /// Of a bundle in which every resource is of another type.
    @Test func many_types_cost_no_more_than_one() throws {
        let clock = ContinuousClock()
        func cost(_ type: (Int) -> String) throws -> (Duration, [ImportSummary.Count]) {
            let resources = (10_000..<30_000).map { #"{"resourceType":"\#(type($0))"}"# }
            let bytes = Array(("[" + resources.joined(separator: ",") + "]").utf8)
            var counts: [ImportSummary.Count] = []
            let time = try clock.measure {
                let summary = try MedicationImporter.read(bytes, file: "a.json", now: Self.now)
                counts = summary.otherResources
            }
            return (time, counts)
        }
        let (few, one) = try cost { _ in "Type12345" }
        let (many, each) = try cost { "Type\($0)" }
        #expect(one.map(\.count) == [20_000])
        #expect(each.count == 20_000 && each.allSatisfy { $0.count == 1 })
        #expect(many < few * 5 + .milliseconds(500), "\(many), of one type \(few)")
    }

    @Test func of_many_that_are_skipped_the_first_are_told() throws {
        var summary = ImportSummary(file: "list.json", format: .plainList)
        for index in 0..<130 {
            let place = JSONPosition(byteOffset: index, line: index + 1, column: 1)
            summary.skips.append(
                .init(reason: .duplicate, position: place, subject: "a\nb", detail: ""))
            summary.warnings.append(.init(position: place, subject: "a", text: "b"))
        }
        let lines = summary.details.split(separator: "\n")
        #expect(lines.count == 1 + 101 + 101)
        #expect(lines[101] == "and 30 more skipped")
        #expect(lines[202] == "and 30 more warnings")
    }
}

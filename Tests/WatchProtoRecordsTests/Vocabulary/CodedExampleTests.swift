import Articles
import Foundation
import Testing
import WatchProtoCore

@testable import WatchProtoRecords

/// The worked example of the article *Record coding*.
@Suite struct CodedExampleTests {
    private static let path = "Sources/WatchProtoRecords/WatchProtoRecords.docc/record-coding.md"
    private static let title = "A worked example"

    private static var medication: LightweightMedication {
        var value = CodedExample.medication("Aspirin Zy", "81 mg")
        value.id = MedicationID(rawValue: 50)
        value.schedule = DoseSchedule(slots: DoseSlots(minutes: [480])!)
        value.nextDose = WallMinute(minutes: 3_229_920 + 480 - 60)
        return value
    }

    /// The name of each symbol, in order.
    private static let parts = [
        "one time", "times: new, of the table", "times: the first list", "days: usual",
        "zone: floating", "bit 0: set", "bit 1: no", "bit 2: no", "bit 3: no", "bit 4: no",
        "bit 5: no", "bit 6: no", "bit 7: no", "form: new, tablet", "amount: none",
        "last edit: minutes", "age: not below 0", "age: of 4 bits", "its lowest 3 bits",
        "revision: of 1 bit", "alpha: 255", "palette: 1", "colour: 1 of 13", "next dose: yes",
        "at a time: yes", "day: that of the reference", "newer fields: none",
        "name: class 0", "substance: aspirin", "case: 1", "kind 14, a spelled word", "case: 1",
        "z", "y", "end of the word", "end of the name", "strength: class 10", "number: 81", "mg",
        "case: 0", "end of the strength", "no sentence",
    ]

    @Test func golden_symbols_are_those_of_the_worked_example() throws {
        let table = Vocabulary.shared
        let medication = Self.medication
        let encoding = try medication.encoded()
        let symbols = SymbolRecorder.symbols([medication])
        #expect(symbols.count == Self.parts.count, "a symbol without a name, or a name too many")
        var writer = SymbolWriter()
        var rows: [[String]] = []
        for (part, symbol) in zip(Self.parts, symbols) {
            writer.write(symbol.start, symbol.size, of: symbol.total)
            rows.append([
                part, "\(symbol.start)", "\(symbol.size)", "\(symbol.total)",
                Self.hex(writer.low), Self.hex(UInt64(writer.range)),
            ])
        }
        let check = ContentHash.of(encoding)
        let end = SymbolEnd(low: writer.low, range: writer.range)
        rows.append([
            "the end", "\(check % end.count)", "1", "\(end.count)",
            Self.hex(writer.low + end.chosen(by: check)), "-",
        ])
        let coding = try #require(table.encode([medication], CodedExample.usual))
        #expect(writer.finish(check: check) == coding)
        let bytes = [encoding, coding].map { "`\(Hex.string($0))`" }
        if FixtureFiles.isWriting { try Self.write(bytes, rows) }
        let shown = try #require(try MarkdownTable.below(Self.title, in: Self.path))
        #expect(shown.rows == rows, "run with WATCHPROTO_WRITE_FIXTURES=1")
        let article = try String(contentsOf: Self.file, encoding: .utf8)
        for line in bytes { #expect(article.contains("\n\(line)\n"), "\(line)") }
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static var file: URL { FixtureFiles.root.appendingPathComponent(path) }

    /// Replaces the bytes and the rows of the example.
    private static func write(_ bytes: [String], _ rows: [[String]]) throws {
        var lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let heading = try #require(lines.firstIndex { $0.hasSuffix("# " + title) })
        let places = lines.indices.filter { $0 > heading && lines[$0].hasPrefix("`") }
        for (place, line) in zip(places, bytes) { lines[place] = line }
        let table = try #require(lines[heading...].firstIndex { $0.hasPrefix("| ---") })
        let end = lines[table...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        let shown = rows.map { "| " + $0.joined(separator: " | ") + " |" }
        lines.replaceSubrange((table + 1)..<end, with: shown)
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
}

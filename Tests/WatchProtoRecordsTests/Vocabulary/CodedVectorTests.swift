import Articles
import Foundation
import Testing
import WatchProtoCore

@testable import WatchProtoRecords

/// The vectors of the article *Record coding*: a change of them is a change of the table's version.
/// One after the other, because the first one writes the file that the next ones read.
@Suite(.serialized) struct CodedVectorTests {
    private let table = Vocabulary.shared

    private static func hex(_ medication: LightweightMedication) throws -> String {
        Hex.string(try medication.encoded())
    }

    private static func digits(_ identities: [MedicationID]) -> String {
        identities.map { identity in
            let digits = String(identity.rawValue, radix: 16)
            return String(repeating: "0", count: 32 - digits.count) + digits
        }.joined(separator: ",")
    }

    @Test func golden_codings_do_not_change() throws {
        let rows = try CodedExample.all.map { example in
            let bytes = try #require(
                example.base.map {
                    table.encode(example.medications[0], from: $0, example.reference)
                } ?? table.encode(example.medications, example.reference), "\(example.name)")
            return [
                example.name, "\(example.reference.minute)", "\(example.reference.offset)",
                Self.digits(example.medications.map(\.id)), try example.base.map(Self.hex) ?? "-",
                try example.medications.map(Self.hex).joined(separator: ","), Hex.string(bytes),
            ]
        }
        let head = "# name, minute and offset, identities, base, canonical encodings, coding"
        #expect(try FixtureFiles.rows("wire/records/coded.tsv", head, rows) == rows)
        #expect(rows.count > 150)
    }

    @Test func golden_codings_give_the_canonical_encodings() throws {
        for row in try FixtureFiles.rows("wire/records/coded.tsv") {
            let back = try decode(row[1], row[2], row[3], row[4], row[6])
            #expect(try back.map(Self.hex).joined(separator: ",") == row[5], "\(row[0])")
        }
    }

    /// Decodes the cells of a row.
    private func decode(
        _ minute: String, _ offset: String, _ identities: String, _ base: String, _ coding: String
    ) throws -> [LightweightMedication] {
        let reference = CodingReference(
            minute: try #require(Int32(minute)), offset: try #require(Int16(offset)))
        let coding = try #require(Hex.bytes(coding))
        if base != "-" {
            let base = try LightweightMedication(decoding: #require(Hex.bytes(base)))
            return [try table.decode(coding, from: base, reference)]
        }
        let identities = try identities.split(separator: ",").map {
            MedicationID(rawValue: try #require(UInt128($0, radix: 16)))
        }
        return try table.decode(coding, identities, reference)
    }

    /// Codings that a decoder refuses, each for its reason: golden ones with a fault, and those of
    /// the article's section *Refusals*.
    @Test func rejected_codings_are_refused() throws {
        let golden = try FixtureFiles.rows("wire/records/coded.tsv")
        let alone = golden.filter { $0[3].count == 32 && $0[4] == "-" }
        let updates = golden.filter { $0[4] != "-" }
        let batches = golden.filter { $0[3].contains(",") }
        var rows: [[String]] = []
        /// The first of some codings whose fault is shown: the check shows two of three.
        func add(
            _ name: String, _ pool: [[String]], _ change: (inout [String]) -> Void
        ) throws {
            for row in pool {
                var row = row
                change(&row)
                row[0] = "\(row[0]): \(name)"
                row.remove(at: 5)
                let words = try refusal(row)
                guard words == "decoded" else { return rows.append(row + [words]) }
            }
            Issue.record("no coding shows it: \(name)")
        }
        for pool in [alone, updates, batches] {
            try add("a zero behind the end", pool) { $0[6] += "00" }
            try add("bytes behind the end", pool) { $0[6] += "0102030405" }
            try add("without its last byte", pool) { $0[6].removeLast(2) }
            try add("no byte", pool) { $0[6] = "" }
            try add("all bits set", pool) { $0[6] = String(repeating: "ff", count: 30) }
        }
        for pool in [alone, batches] {
            try add("another reference", pool) { $0[1] = "3230001" }
        }
        try add("another base", updates) { $0[4] = alone[0][5] }
        try add("without a base", updates) { $0[4] = "-" }
        try add("another identity", alone) { $0[3] = String(repeating: "7", count: 32) }
        try add("identities in another order", batches) { row in
            row[3] = row[3].split(separator: ",").reversed().joined(separator: ",")
        }
        for rejected in RejectedCoding.all {
            let row = [
                rejected.name, "\(rejected.reference.minute)", "\(rejected.reference.offset)",
                Self.digits(rejected.identities), try rejected.base.map(Self.hex) ?? "-",
                Hex.string(rejected.bytes),
            ]
            let words = try refusal(row)
            #expect(words == rejected.expected, "\(rejected.name)")
            rows.append(row + [rejected.expected])
        }
        let head = "# name, minute and offset, identities, base, coding, the words of the error"
        #expect(try FixtureFiles.rows("wire/records/coded-rejected.tsv", head, rows) == rows)
        #expect(rows.allSatisfy { $0[6] != "decoded" } && rows.count > 45)
    }

    /// The words of the error of a row without its encodings; "decoded" if there is none.
    private func refusal(_ row: [String]) throws -> String {
        do {
            _ = try decode(row[1], row[2], row[3], row[4], row[5])
            return "decoded"
        } catch let error as WireError {
            return "\(error.expected)"
        }
    }

    /// The largest batch halves the flag of remembered substances, and has one more often than its
    /// frequency grows.
    @Test func the_largest_batch_reaches_the_limits_of_what_is_remembered() throws {
        let batch = try #require(CodedExample.all.first { $0.name == "batch of 100" })
        let symbols = SymbolRecorder.symbols(batch.medications)
        let full = try #require(symbols.firstIndex { $0.total == 4_000 })
        let later = symbols[(full + 1)...]
        #expect(
            later.contains { $0.total == 2_002 && ($0.start == 0 || $0.start + $0.size == 2_002) })
        #expect(symbols.count { $0.size == 401 } > 50)
        #expect(!symbols.contains { $0.size == 403 })
        let clocks = Set(CodedExample.all.map(\.reference))
        #expect(clocks.count > 8)
    }

    /// The letters, the pairs of capital and small ones, and the blocks, as files have them.
    @Test func golden_characters_are_those_of_the_coder() throws {
        func text(_ scalar: UInt32) -> String { String(scalar, radix: 16, uppercase: true) }
        var rows: [[String]] = []
        for (name, isMember) in [
            ("letters", Letters.isLetter), ("ideographs", Letters.isIdeograph),
        ] {
            var first: UInt32?
            for scalar in 0...0x11_0000 as ClosedRange<UInt32> {
                if scalar < 0x11_0000, isMember(scalar) {
                    first = first ?? scalar
                } else if let start = first {
                    rows.append([name, text(start), text(scalar - 1)])
                    first = nil
                }
            }
        }
        for block in TextCoder.blocks {
            rows.append([
                "block", text(block.range.lowerBound), text(block.range.upperBound - 1),
                "\(block.frequency)",
            ])
        }
        for scalar in 0..<0x11_0000 as Range<UInt32> {
            let small = Letters.lowercase(scalar)
            if small != scalar { rows.append(["capital", text(scalar), text(small)]) }
            let capital = Letters.uppercase(scalar)
            #expect(capital == scalar || Letters.lowercase(capital) == scalar)
            #expect(small == scalar || Letters.uppercase(small) == scalar)
        }
        let head = "# letters, ideographs: first, last; block: the frequency too; capital, small"
        #expect(try FixtureFiles.rows("wire/records/characters.tsv", head, rows) == rows)
    }
}

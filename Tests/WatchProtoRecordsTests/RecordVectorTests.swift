import Articles
import ControlProtocol
import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

/// The golden vectors hold the wire: a change of them is a change of the version.
@Suite struct RecordVectorTests {
    @Test func golden_bytes_do_not_change() throws {
        let vectors = try RecordVector.golden()
        let written = vectors.map(\.json)
        #expect(try RecordVector.fixture("golden.json", written) == written)
        #expect(vectors.count > 60)
    }

    @Test func golden_fields_give_the_bytes() throws {
        for line in try RecordVector.fixture("golden.json", RecordVector.golden().map(\.json)) {
            let hex = try #require(line["hex"]?.string)
            let bytes = try #require(Hex.bytes(hex))
            let value = try #require(line["value"])
            let name = line["name"]?.string ?? ""
            switch line["kind"]?.string {
            case "medication":
                let medication = try #require(RecordJSON.medication(value), "\(name)")
                #expect(try medication.encoded() == bytes, "\(name)")
                #expect(try LightweightMedication(decoding: bytes) == medication, "\(name)")
            case "doseEvent":
                let event = try #require(RecordJSON.doseEvent(value), "\(name)")
                #expect(try event.encoded() == bytes, "\(name)")
                #expect(try DoseEvent(decoding: bytes) == event, "\(name)")
            case "complication":
                let state = try #require(RecordJSON.complication(value), "\(name)")
                #expect(try state.encoded() == bytes, "\(name)")
                #expect(try ComplicationState(decoding: bytes) == state, "\(name)")
            case let kind?:
                let base = try #require(value["base"]?.string.flatMap { Hex.bytes($0) })
                let next = try #require(value["next"]?.string.flatMap { Hex.bytes($0) })
                let content = RecordVector.contentKind(kind)
                #expect(RecordDelta.make(kind: content, base: base, next: next) == bytes)
                #expect(
                    try RecordDelta.apply(kind: content, delta: bytes.span, to: base) == next)
            case nil:
                Issue.record("a vector without a kind: \(name)")
            }
        }
    }

    @Test func the_worked_example_is_what_is_encoded() throws {
        let article = try String(
            contentsOf: FixtureFiles.root.appendingPathComponent(
                "Sources/WatchProtoRecords/WatchProtoRecords.docc/record-encoding.md"),
            encoding: .utf8)
        let bytes = Hex.string(try RecordExamples.usual.encoded())
        let digits = article.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { row in
                row.split(separator: "`").dropFirst().first?.filter { $0 != " " }
            }
        #expect(
            digits.joined().hasPrefix(bytes), "the example in record-encoding.md is out of date")
        let delta = try #require(
            RecordDelta.make(
                kind: .medication, base: try RecordExamples.usual.encoded(),
                next: try RecordExamples.medications[1].value.encoded()))
        #expect(digits.joined().hasSuffix(Hex.string(delta)))
    }
}

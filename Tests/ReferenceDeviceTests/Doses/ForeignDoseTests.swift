import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Doses that another program recorded.
@Suite struct ForeignDoseTests {
    @Test func `A dose without our extensions is a dose with an identity of its own`() throws {
        let text = #"""
            [{"resourceType":"MedicationRequest","id":"7","status":"active","intent":"order"},
             {"resourceType":"MedicationAdministration","id":"a",
              "identifier":[{"system":"http://a.example/doses","value":"77"}],
              "status":"completed","request":{"reference":"http://a.example/fhir/MedicationRequest/7"},
              "effectiveDateTime":"2026-02-14T08:00:30+01:00",
              "dosage":{"dose":{"value":0.5,"code":"{tbl}"}}},
             {"resourceType":"MedicationAdministration","id":"b","status":"not-done",
              "medicationCodeableConcept":{"text":"Aspirin 100 MG Oral Tablet"},
              "effectivePeriod":{"start":"2026-02-14T09:00:00Z"}}]
            """#
        let summary = try read(text)
        #expect(summary.doses.count == 2 && summary.skips.isEmpty && summary.warnings.isEmpty)
        let (taken, skipped) = (summary.doses[0], summary.doses[1])
        #expect(taken.status == .taken(Amount(mantissa: 5, scale: 1, unit: .tablet)))
        #expect(taken.time.wall == WallTime(iso8601: "2026-02-14T07:00:30Z"))
        #expect(taken.time.zoneOffset.minutes == 60)
        // The dose is of the medication that an import of the order makes.
        #expect(taken.medication == MedicationID(derivedFrom: "fhir:MedicationRequest/7"))
        #expect(skipped.status == .skipped)
        #expect(skipped.medication == MedicationID(derivedFrom: "fhir:Aspirin|100 MG"))
        #expect(summary.doses.allSatisfy { $0.planned == nil && $0.action == .record })
        // The identifier counts, not the id that a server gave.
        let moved = try read(text.replacing(#""id":"a""#, with: #""id":"other""#))
        #expect(moved.doses == summary.doses)
        #expect(Set(summary.doses.map(\.id)).count == 2)
        let other = try read(text.replacing(#""value":"77""#, with: #""value":"78""#))
        #expect(other.doses[0].id != taken.id)
    }

    @Test func `A dose entered in error is withdrawn, in whichever order the files come`() throws {
        let dose = Self.dose(#""status":"completed""#)
        let taken = try #require(try read(dose).doses.first)
        let withdrawn = try read(Self.dose(#""status":"entered-in-error""#)).doses
        #expect(withdrawn.count == 1)
        #expect(withdrawn[0].action == .withdraw && withdrawn[0].replaces == [taken.id])
        for events in [[taken] + withdrawn, withdrawn + [taken]] {
            let ledger = DoseLedger(events)
            #expect(ledger.asNeeded(taken.medication).isEmpty)
        }
        #expect(DoseLedger([taken]).asNeeded(taken.medication).count == 1)
    }

    @Test(arguments: [
        (#""status":"in-progress""#, ImportSummary.Reason.notCompleted),
        (#""status":"on-hold""#, .notCompleted), (#""status":"stopped""#, .notCompleted),
        (#""status":"unknown""#, .notCompleted),
        (#""status":"completed","id":null"#, .noIdentifier),
        (#""status":"completed","effectiveDateTime":"2026-02""#, .noTime),
        (#""status":"completed","effectiveDateTime":null"#, .noTime),
        (#""status":"completed","medicationCodeableConcept":null"#, .noMedication),
    ])
    func `A dose of no use is skipped with the reason`(
        members: String, reason: ImportSummary.Reason
    ) throws {
        let summary = try read(Self.dose(members))
        #expect(summary.doses.isEmpty)
        #expect(summary.skips.map(\.reason) == [reason])
        #expect(!summary.skips[0].detail.isEmpty)
    }

    @Test func `What cannot be kept of a dose is said`() throws {
        for (dose, text) in [
            (#"{"value":1,"unit":"hogshead"}"#, "the amount is not kept: 1.0 hogshead"),
            (#"{"value":-1,"unit":"mg"}"#, "the amount is not kept: -1.0 mg"),
            (#"{"value":1e-12,"unit":"mg"}"#, "the amount is not kept: 1e-12 mg"),
        ] {
            let summary = try read(Self.dose(#""status":"completed","dosage":{"dose":\#(dose)}"#))
            #expect(summary.doses.map(\.status) == [.taken])
            #expect(summary.warnings.map(\.text) == [text])
        }
        let day = try read(Self.dose(#""status":"completed","effectiveDateTime":"2026-02-14""#))
        #expect(day.doses[0].time.wall == WallTime(iso8601: "2026-02-14T00:00:00Z"))
        #expect(day.warnings.count == 1)
    }

    @Test func `Of two versions the newer counts, and two contents of one identity are refused`()
        throws
    {
        func version(_ day: Int, _ number: Int?) -> String {
            let meta = number.map { #","meta":{"versionId":"\#($0)"}"# } ?? ""
            return Self.dose(
                #""status":"completed","effectiveDateTime":"2026-02-0\#(day)T08:00:00Z"\#(meta)"#)
        }
        for order in [[1, 2], [2, 1]] {
            let text = "[" + order.map { version($0, $0) }.joined(separator: ",") + "]"
            let summary = try read(text)
            #expect(summary.doses.map(\.time.wall) == [WallTime(iso8601: "2026-02-02T08:00:00Z")!])
            #expect(summary.skips.map(\.reason) == [.olderVersion])
        }
        let equal = try read("[" + version(1, nil) + "," + version(1, nil) + "]")
        #expect(equal.doses.count == 1 && equal.skips.map(\.reason) == [.duplicate])
        let clash = "[" + version(1, nil) + "," + version(2, nil) + "]"
        let refusal = try #require(throws: ImportRefusal.self) { try read(clash) }
        #expect(refusal.errors.count == 1)
        #expect(refusal.description.contains("differs from this one"))
        let partial = try DoseImporter.read(Array(clash.utf8), file: "a.json", isPartial: true)
        #expect(partial.doses.count == 1 && partial.faults.count == 1)
    }

    @Test func `A dose entered in error counts again in a newer version alone`() throws {
        func version(_ status: String, _ number: Int?) -> String {
            let meta = number.map { #","meta":{"versionId":"\#($0)"}"# } ?? ""
            return Self.dose(#""status":"\#(status)"\#(meta)"#)
        }
        for (first, second, action) in [
            (version("entered-in-error", 1), version("completed", 2), DoseAction.record),
            (version("completed", 1), version("entered-in-error", 2), .withdraw),
            (version("completed", nil), version("entered-in-error", nil), .withdraw),
        ] {
            for text in ["[\(first),\(second)]", "[\(second),\(first)]"] {
                let summary = try read(text)
                #expect(summary.doses.map(\.action) == [action])
                #expect(summary.skips.map(\.reason) == [.olderVersion])
            }
        }
    }

    @Test(.enabled(if: TestFiles.hasVectors, "needs ../shared/vectors"))
    func `HL7's examples are doses, or it is said why not`() throws {
        let file = TestFiles.vectors.appending(path: "fhir/hl7_r4_medication_examples.ndjson")
        let summary = try DoseImporter.read(TestFiles.bytes(file), file: file.lastPathComponent)
        print(summary)
        #expect(summary.doses.count + summary.skips.count == 14)
        #expect(summary.doses.count { $0.action == .withdraw } == 1)
        #expect(summary.skips.map(\.reason) == [.notCompleted, .notCompleted])
        let taken = summary.doses.filter { $0.status?.isTaken == true }
        #expect(taken.count == 11)
        #expect(taken.count { $0.status?.amount != nil } > 0)
    }

    private func read(_ text: String) throws -> ImportSummary {
        try DoseImporter.read(Array(text.utf8), file: "a.json")
    }

    /// A dose of another program, with the members beside or in place of its own.
    private static func dose(_ members: String) -> String {
        let usual = [
            ("resourceType", #""MedicationAdministration""#), ("id", #""a""#),
            ("medicationCodeableConcept", #"{"text":"Aspirin"}"#),
            ("effectiveDateTime", #""2026-02-14T08:00:00Z""#),
        ]
        let others = usual.filter { !members.contains("\"\($0.0)\":") }
        let kept = members.split(separator: ",").filter { !$0.hasSuffix(":null") }
            .joined(separator: ",")
        return "{" + (others.map { "\"\($0.0)\":\($0.1)" } + [kept]).joined(separator: ",") + "}"
    }
}

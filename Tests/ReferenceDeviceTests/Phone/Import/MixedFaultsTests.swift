import ControlProtocol
import Testing
import WatchProtoCore

@testable import ReferenceDevice

/// Faults of the text and faults of its meaning are told at once; what only follows from a fault of
/// the text is not.
@Suite struct MixedFaultsTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    private func faults(_ text: String, file: String = "x.json") -> [String] {
        do throws(ImportRefusal) {
            _ = try MedicationImporter.read(Array(text.utf8), file: file, now: now)
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    private func places(_ text: String, file: String = "x.json") -> [String] {
        faults(text, file: file).map { String($0.prefix { $0 != " " }.dropLast()) }
    }

    @Test func `A wrong form between two faults of the text is told as well`() {
        let text = """
            {"format": "watchproto.medications/1", "medications": [
            {"name": "A" "strength": "5 mg"},
            {"name": "B", "form": "tablt"},
            {"name": "C", "strength": 5mg}
            ]}
            """
        #expect(places(text) == ["2:14", "3:23", "4:27"])
    }

    @Test func `A line between two that cannot be read is looked at`() {
        let order = #""resourceType": "MedicationRequest", "intent": "order""#
        let lines = [
            #"{\#(order), "status": "active""#, #"{\#(order) "status": "active"}"#,
            #"{\#(order), "status": "actve", "medicationCodeableConcept": {"text": "A"}}"#,
            #"{\#(order), "status" "active"}"#,
        ]
        let found = faults(lines.joined(separator: "\n"), file: "x.ndjson")
        #expect(found.map { $0.prefix(2) } == ["1:", "2:", "3:", "4:"])
        #expect(found[2].contains("expected a status, perhaps 'active'"))
    }

    @Test(arguments: [
        // Cut short: what is missing stood behind the cut.
        (#"{"format": "watchproto.medications/1", "medications": [{"strength": "5 mg""#, 1),
        (#"{"format": "watchproto.medications/1", "medica"#, 1),
        // The name could not be read, the amount is no number, the id stands twice.
        (#"{"format": "watchproto.medications/1", "medications": [{"name": Aspirin}]}"#, 1),
        (
            #"{"format": "watchproto.medications/1", "medications": [{"name": "A", "dose": "#
                + #"{"amount": 1mg, "unit": "mg"}}]}"#, 1
        ),
        (#"{"format": "watchproto.medications/1", "medications": [{"name": "\x"}]}"#, 1),
        (#"{"medications": [], "medications": []}"#, 1),
        (#"{"resourceType": "#, 1), ("not json", 1), ("", 1),
    ])
    func `What follows from a fault of the text is no fault of its own`(text: String, count: Int) {
        #expect(faults(text).count == count, "\(faults(text))")
    }

    @Test func `Two contents under one id are no clash where one could not be read`() {
        let id = #""id": "0f5ba4e2-8e36-4484-ab7c-829778aa3b71""#
        let text = #"""
            {"format": "watchproto.medications/1", "medications": [
            {\#(id), "name": "A", "notes": "\x"},
            {\#(id), "name": "A", "notes": "y"}
            ]}
            """#
        #expect(places(text).map { $0.prefix(2) } == ["2:"])
        #expect(places(text.replacing(#"\x"#, with: "x")).map { $0.prefix(2) } == ["3:"])
    }

    @Test(arguments: ["1e6", "-0.50", "1E2", "0.1234567890123", "true"])
    func `A fault shows the file's own text`(number: String) {
        let text = """
            {"format": "watchproto.medications/1", "medications": [
            {"name": "A", "schedule": {"everyDays": \(number)}}]}
            """
        #expect(
            faults(text) == [
                "2:41: expected a whole number from 1 to 366 (everyDays), found \(number)"
            ])
    }
}

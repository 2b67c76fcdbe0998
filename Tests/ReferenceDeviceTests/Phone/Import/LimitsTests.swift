import ControlProtocol
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The limits of a medication's doses, from a file to the watch's record (rule 16).
@Suite struct LimitsTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    private func list(_ members: String) throws -> ImportSummary {
        let text = """
            {"format": "watchproto.medications/1", "medications": [
            {"name": "Ibuprofen", "strength": "400 mg", "isAsNeeded": true\(members)}]}
            """
        return try MedicationImporter.read(Array(text.utf8), file: "x.json", now: now)
    }

    /// The one medication of an order with these dosages.
    private func order(_ dosages: String...) throws -> ImportSummary {
        let all = dosages.map { "{\($0)}" }.joined(separator: ", ")
        let text = """
            {"resourceType": "MedicationRequest", "id": "1", "status": "active", "intent": "order",
            "authoredOn": "2026-02-10",
            "medicationCodeableConcept": {"text": "Ibuprofen 400 mg tablet"},
            "dosageInstruction": [\(all)]}
            """
        return try MedicationImporter.read(Array(text.utf8), file: "x.json", now: now)
    }

    private func limits(_ summary: ImportSummary) throws -> AsNeededLimits {
        try #require(summary.medications.first).limits
    }

    @Test(
        arguments: [
            ("", nil, nil), (#", "limits": {}"#, nil, nil),
            (#", "limits": {"minimumInterval": 240}"#, 240, nil),
            (#", "limits": {"maximumPerDay": 255}"#, nil, 255),
            (#", "limits": {"minimumInterval": 65535, "maximumPerDay": 1}"#, 65_535, 1),
        ] as [(String, Int?, Int?)])
    func a_list_states_limits(members: String, interval: Int?, maximum: Int?) throws {
        let medication = try #require(try list(members).medications.first)
        let expected = AsNeededLimits(minimumInterval: interval, maximumPerDay: maximum)
        #expect(medication.limits == expected)
        #expect(try MedicationProjection.project(medication).limits == expected)
        // Written as JSON it reads back equal, and limits are no part of its identity.
        let again: JSONValue = [
            "format": .string(PlainList.format), "medications": [medication.json],
        ]
        let summary = try MedicationImporter.read(
            JSONWriter.bytes(again), file: "again.json", now: now)
        #expect(summary.medications == [medication])
        #expect(try list("").medications.first?.id == medication.id)
    }

    @Test(arguments: [
        "1", #"{"minimumInterval": 0}"#, #"{"minimumInterval": 65536}"#, #"{"maximumPerDay": 256}"#,
        #"{"maximumPerDay": 1.5}"#, #"{"maximumPerDay": "3"}"#, #"{"maximum": 3}"#,
    ])
    func a_list_with_faulty_limits_is_refused(limits: String) {
        let refusal = #expect(throws: ImportRefusal.self) { try list(#", "limits": \#(limits)"#) }
        #expect(refusal?.errors.count == 1)
    }

    private static let dose = #""doseAndRate": [{"doseQuantity": {"value": 400, "unit": "mg"}}]"#

    @Test(
        arguments: [
            (#""frequency": 1, "period": 6, "periodUnit": "h""#, 360, nil),
            (#""frequency": 1, "period": 4, "periodMax": 6, "periodUnit": "h""#, 240, nil),
            (#""period": 90, "periodUnit": "min""#, 90, nil),
            (#""frequency": 1, "period": 2, "periodUnit": "d""#, 2_880, nil),
            (#""frequency": 3, "period": 1, "periodUnit": "d""#, nil, 3),
            (#""frequency": 1, "frequencyMax": 4, "period": 1, "periodUnit": "d""#, nil, 4),
            (#""frequency": 3, "period": 24, "periodUnit": "h""#, nil, 3),
            (#""frequency": 1, "period": 24, "periodUnit": "h""#, 1_440, nil),
            (#""frequency": 2"#, nil, 2),
            (#""frequency": 2, "period": 6, "periodUnit": "h""#, nil, nil),
            (#""frequency": 1, "period": 1, "periodUnit": "mo""#, nil, nil),
            (#""frequency": 1, "period": 50, "periodUnit": "d""#, nil, nil),
            (#""when": ["HS"]"#, nil, nil),
        ] as [(String, Int?, Int?)])
    func the_rate_of_an_order_as_needed_is_a_limit(
        repeated: String, interval: Int?, maximum: Int?
    ) throws {
        let timing = #""timing": {"repeat": {\#(repeated)}}"#
        let found = try limits(order(#""asNeededBoolean": true, \#(timing)"#))
        #expect(found == AsNeededLimits(minimumInterval: interval, maximumPerDay: maximum))
        #expect(try limits(order(timing)) == AsNeededLimits(), "it is taken by the clock")
    }

    @Test func the_code_of_a_rate_is_a_limit() throws {
        let timing = #""timing": {"code": {"coding": [{"code": "Q4H"}]}}"#
        let found = try limits(order(#""asNeededBoolean": true, \#(timing)"#))
        #expect(found == AsNeededLimits(minimumInterval: 240))
    }

    @Test(
        arguments: [
            (#"{"value": 1200, "code": "mg"}"#, #"{"value": 1, "code": "d"}"#, 3),
            (#"{"value": 1500, "unit": "mg"}"#, #"{"value": 24, "code": "h"}"#, 3),
            (#"{"value": 6}"#, #"{"value": 1, "code": "d"}"#, 6),
            (#"{"value": 6, "unit": "doses"}"#, #"{"value": 1, "code": "d"}"#, 6),
            (#"{"value": 6, "unit": "tablet"}"#, #"{"value": 1, "code": "d"}"#, nil),
            (#"{"value": 200, "unit": "mg"}"#, #"{"value": 1, "code": "d"}"#, nil),
            (#"{"value": 6}"#, #"{"value": 1, "code": "wk"}"#, nil),
            (#"{"value": 1e300}"#, #"{"value": 1, "code": "d"}"#, nil),
            (#""six""#, #"{"value": 1, "code": "d"}"#, nil),
        ] as [(String, String, Int?)])
    func a_maximum_in_a_day_is_a_limit(most: String, period: String, maximum: Int?) throws {
        let ratio = #""maxDosePerPeriod": {"numerator": \#(most), "denominator": \#(period)}"#
        let rate = #""timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}}"#
        let summary = try order(#""asNeededBoolean": true, \#(rate), \#(Self.dose), \#(ratio)"#)
        #expect(try limits(summary) == AsNeededLimits(maximumPerDay: maximum ?? 2))
        #expect(summary.warnings.isEmpty == (maximum != nil))
    }

    @Test func tenths_are_counted_exactly() throws {
        let dose = #""doseAndRate": [{"doseQuantity": {"value": 0.1, "unit": "mL"}}]"#
        let ratio =
            #""maxDosePerPeriod": {"numerator": {"value": 0.3, "unit": "mL"}, "#
            + #""denominator": {"value": 1, "code": "d"}}"#
        let found = try limits(order(#""asNeededBoolean": true, \#(dose), \#(ratio)"#))
        #expect(found == AsNeededLimits(maximumPerDay: 3))
    }

    @Test func several_dosages_have_limits_only_in_common() throws {
        func dosage(_ hours: Int) -> String {
            #""asNeededBoolean": true, "timing": {"repeat": {"frequency": 1, "#
                + #""period": \#(hours), "periodUnit": "h"}}"#
        }
        #expect(
            try limits(order(dosage(4), dosage(4))) == AsNeededLimits(minimumInterval: 240))
        let different = try order(dosage(4), dosage(6))
        #expect(try limits(different) == AsNeededLimits())
        #expect(different.warnings.count == 1)
    }

    /// Instructions and name give way; then the limits do, before the medication is refused.
    @Test func a_full_record_has_the_limits_as_long_as_they_fit() throws {
        var medication = Medication(
            id: MedicationID(rawValue: 1), name: "Ibuprofen", createdAt: now)
        medication.isAsNeeded = true
        medication.limits = AsNeededLimits(minimumInterval: 360, maximumPerDay: 4)
        medication.instructions = String(repeating: "Take it with water and rest. ", count: 20)
        var kept = 0
        for length in 0...255 {
            medication.strength = String(repeating: "9", count: length)
            let full = medication
            var plain = full
            plain.limits = AsNeededLimits()
            guard let without = try? MedicationProjection.project(plain) else {
                #expect(throws: ProjectionRefusal.self) {
                    try MedicationProjection.project(full)
                }
                continue
            }
            let record = try MedicationProjection.project(full)
            #expect(record.encodedSize <= LightweightMedication.byteBudget)
            #expect(record.dosage == without.dosage)
            if record.limits == medication.limits {
                kept = length
            } else {
                #expect(record == without)
            }
        }
        #expect(kept > 100)
    }
}

import ControlProtocol
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

@Suite struct FHIRTimingTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    /// The one medication of an order with `dosage`, a JSON object's members.
    private func order(_ dosage: String, more: String = "") throws -> ImportSummary {
        let text = """
            {"resourceType": "MedicationRequest", "id": "1", "status": "active", "intent": "order",
            "authoredOn": "2026-02-10",
            "medicationCodeableConcept": {"text": "Aspirin 100 mg tablet"},
            "dosageInstruction": [{\(dosage)}]\(more)}
            """
        return try MedicationImporter.read(Array(text.utf8), file: "x.json", now: now)
    }

    @Test(arguments: [
        (#""frequency": 1, "period": 1, "periodUnit": "d""#, [480], 1),
        (#""frequency": 2, "period": 1, "periodUnit": "d""#, [480, 1200], 1),
        (#""frequency": 3, "period": 1, "periodUnit": "d""#, [480, 840, 1200], 1),
        (#""frequency": 4"#, [480, 720, 960, 1200], 1),
        (#""frequency": 1, "period": 8, "periodUnit": "h""#, [360, 840, 1320], 1),
        (
            #""frequency": 1, "period": 4, "periodMax": 6, "periodUnit": "h""#,
            [0, 360, 720, 1080], 1
        ),
        (#""frequency": 1, "period": 48, "periodUnit": "h""#, [480], 2),
        (#""frequency": 1, "period": 3, "periodUnit": "d""#, [480], 3),
        (#""frequency": 1, "period": 2, "periodUnit": "wk""#, [480], 14),
        (#""timeOfDay": ["20:00:00", "08:30:00"]"#, [510, 1200], 1),
        (#""when": ["MORN", "HS"]"#, [480, 1320], 1),
        (#""when": ["AC"], "offset": 30"#, [420, 720, 1080], 1),
        (#""when": ["PCV"], "offset": 60"#, [1230], 1),
        (#""frequency": 1, "period": 1, "periodUnit": "mo""#, [], 1),
        (#""frequency": 7, "period": 1, "periodUnit": "d""#, [], 1),
        (#""frequency": 1, "period": 2, "periodUnit": "h""#, [], 1),
        (#""count": 1"#, [], 1),
    ])
    func `A repetition becomes times of the day`(
        repeated: String, minutes: [Int], everyDays: Int
    ) throws {
        let summary = try order(#""timing": {"repeat": {\#(repeated)}}"#)
        let schedule = try #require(summary.medications.first?.schedule)
        #expect(schedule.minutes == minutes)
        #expect(schedule.everyDays == everyDays)
        #expect(!summary.warnings.isEmpty == (minutes.isEmpty || repeated.contains("Max")))
        #expect(schedule.isAssumed == (!minutes.isEmpty && !repeated.contains("timeOfDay")))
    }

    /// Members of a repetition, then days from one to the next, days of the week; 0 for no times
    /// and a warning, where they contradict each other. The order is of a Tuesday, 10 February.
    @Test(
        arguments: [
            (#""frequency": 1, "period": 1, "periodUnit": "wk""#, 1, Weekdays.tuesday),
            (#""period": 1, "periodUnit": "wk""#, 1, .tuesday),
            (#""frequency": 2, "period": 1, "periodUnit": "wk""#, 1, [.monday, .thursday]),
            (#""frequency": 1, "period": 7, "periodUnit": "d""#, 7, .all),
            (#""frequency": 1, "period": 2, "periodUnit": "wk""#, 14, .all),
            (#""frequency": 1, "period": 48, "periodUnit": "h""#, 2, .all),
            (#""frequency": 1, "period": 24, "periodUnit": "h""#, 1, .all),
            (#""frequency": 1, "period": 1, "periodUnit": "d""#, 1, .all),
            (#""frequency": 1, "period": 1, "periodUnit": "wk", "dayOfWeek": ["fri"]"#, 1, .friday),
            (
                #""frequency": 1, "period": 2, "periodUnit": "wk", "dayOfWeek": ["fri"]"#, 14,
                .friday
            ),
            (
                #""frequency": 2, "period": 1, "periodUnit": "wk", "dayOfWeek": ["fri", "mon"]"#, 1,
                [.monday, .friday]
            ),
            (#""frequency": 1, "period": 1, "periodUnit": "mo""#, 0, .all),
            (#""frequency": 1, "period": 3, "periodUnit": "a""#, 0, .all),
            (#""frequency": 1, "period": 8, "periodUnit": "h""#, 0, .all),
            (#""frequency": 3, "period": 1, "periodUnit": "d""#, 0, .all),
            (#""frequency": 1, "period": 3, "periodUnit": "d", "dayOfWeek": ["fri"]"#, 0, .friday),
        ] as [(String, Int, Weekdays)])
    func `Times of the day hold on the days that the frequency leaves`(
        repeated: String, everyDays: Int, weekdays: Weekdays
    ) throws {
        for times in [#""when": ["HS"]"#, #""timeOfDay": ["22:00:00"]"#] {
            let summary = try order(#""timing": {"repeat": {\#(repeated), \#(times)}}"#)
            let schedule = try #require(summary.medications.first?.schedule)
            #expect(schedule.minutes == (everyDays == 0 ? [] : [1320]), "\(times)")
            #expect(schedule.everyDays == max(everyDays, 1))
            #expect(schedule.weekdays == weekdays)
            #expect(summary.warnings.isEmpty == (everyDays > 0))
            if everyDays == 14 {
                #expect(
                    schedule.start?.description
                        == (weekdays == .friday ? "2026-02-13" : "2026-02-10"))
            }
        }
    }

    @Test func `Several times a day on some days`() throws {
        for (frequency, days) in [(2, Weekdays.tuesday), (4, [.monday, .thursday])] {
            let summary = try order(
                #"""
                "timing": {"repeat": {"frequency": \#(frequency), "period": 1, "periodUnit": "wk",
                "timeOfDay": ["08:00:00", "20:00:00"]}}
                """#)
            let schedule = try #require(summary.medications.first?.schedule)
            #expect(schedule.minutes == [480, 1200] && schedule.weekdays == days)
        }
        let weekly = try order(
            #""timing": {"code": {"coding": [{"code": "WK"}]}, "repeat": {"when": ["MORN"]}}"#)
        let schedule = try #require(weekly.medications.first?.schedule)
        #expect(schedule.minutes == [480] && schedule.weekdays == .tuesday)
    }

    @Test func `Days of the week and bounds are kept`() throws {
        var summary = try order(
            #"""
            "timing": {"repeat": {"frequency": 1, "period": 1, "periodUnit": "wk",
            "dayOfWeek": ["mon", "thu"],
            "boundsPeriod": {"start": "2026-02", "end": "2026-03-05T10:00:00Z"}}}
            """#)
        var schedule = try #require(summary.medications.first?.schedule)
        #expect(schedule.weekdays == [.monday, .thursday])
        #expect(schedule.start?.description == "2026-02-01")
        #expect(schedule.end?.description == "2026-03-05")
        summary = try order(
            #""timing": {"repeat": {"frequency": 1, "period": 1, "periodUnit": "wk"}}"#)
        schedule = try #require(summary.medications.first?.schedule)
        // Ordered on a Tuesday.
        #expect(schedule.weekdays == .tuesday)
        summary = try order(
            #""timing": {"repeat": {"boundsDuration": {"value": 7, "code": "d"}, "frequency": 1}}"#)
        schedule = try #require(summary.medications.first?.schedule)
        #expect(schedule.start?.description == "2026-02-10")
        #expect(schedule.end?.description == "2026-02-16")
    }

    @Test func `Abbreviations are known`() throws {
        for (code, minutes) in [
            ("BID", [480, 1200]), ("BED", [1320]), ("Q6H", [0, 360, 720, 1080]),
        ] {
            let summary = try order(#""timing": {"code": {"coding": [{"code": "\#(code)"}]}}"#)
            #expect(summary.medications.first?.schedule.minutes == minutes)
        }
    }

    @Test func `As needed means no times`() throws {
        let summary = try order(#""asNeededBoolean": true, "timing": {"repeat": {"frequency": 2}}"#)
        let medication = try #require(summary.medications.first)
        #expect(medication.isAsNeeded)
        #expect(medication.schedule.minutes == [])
    }

    @Test func `Amounts are exact, ranges stay ranges, other amounts stay words`() throws {
        func dose(_ text: String) throws -> DosePerTime? {
            try order(#""text": "as told", "doseAndRate": [{\#(text)}]"#).medications.first?.dose
        }
        #expect(
            try dose(#""doseQuantity": {"value": 0.5, "code": "TAB"}"#)
                == .exact(Amount(mantissa: 5, scale: 1, unit: .tablet)!))
        #expect(
            try dose(
                #""doseRange": {"low": {"value": 1, "unit": "mL"}, "#
                    + #""high": {"value": 2, "unit": "mL"}}"#
            )
                == .range(
                    Amount(mantissa: 1, unit: .milliliter)!, Amount(mantissa: 2, unit: .milliliter)!
                ))
        #expect(try dose(#""rateQuantity": {"value": 2, "unit": "mL/h"}"#) == .text("as told"))
        // Half a range, and one of two units.
        for range in [
            #""high": {"value": 2, "unit": "mL"}"#, #""low": {"value": 2, "unit": "mL"}"#,
            #""low": {"value": 1, "unit": "mg"}, "high": {"value": 2, "unit": "mL"}"#,
        ] {
            #expect(try dose(#""doseRange": {\#(range)}"#) == .text("as told"))
            let wordless = try order(#""doseAndRate": [{"doseRange": {\#(range)}}]"#)
            #expect(wordless.medications.isEmpty)
        }
        // One of what it is given as.
        #expect(
            try dose(#""doseQuantity": {"value": 1, "unit": "ea"}"#)
                == .exact(Amount(mantissa: 1, unit: .tablet)!))
        #expect(try dose(#""doseQuantity": {"value": 1, "unit": "firkin"}"#) == nil)
        #expect(try dose(#""doseQuantity": {"value": 1e-12, "unit": "mg"}"#) == nil)
    }

    @Test func `Several amounts are kept in words, without assumed times`() throws {
        let summary = try order(
            #"""
            "sequence": 2, "text": "1 tablet at night", "timing": {"repeat": {"when": ["HS"]}},
            "doseAndRate": [{"doseQuantity": {"value": 1, "unit": "tablet"}}]},
            {"sequence": 1, "text": "2 tablets in the morning",
            "doseAndRate": [{"doseQuantity": {"value": 2, "unit": "tablet"}}],
            "timing": {"repeat": {"when": ["MORN"]}}
            """#)
        let medication = try #require(summary.medications.first)
        #expect(medication.dose == .text("2 tablets in the morning. 1 tablet at night."))
        #expect(medication.schedule.minutes == [])
        #expect(summary.warnings.count == 2)
        let record = try MedicationProjection.project(medication)
        #expect(record.instructions == "2 tablets in the morning. 1 tablet at night.")
        #expect(record.dosage.amount == nil)
    }

    @Test func `Stopped orders are kept as not active`() throws {
        let text = """
            [{"resourceType": "MedicationStatement", "id": "a", "status": "stopped",
            "medicationReference":
            {"reference": "Medication/gone", "display": "Myleran 2mg tablet"}},
            {"resourceType": "MedicationStatement", "id": "b", "status": "active",
            "medicationReference": {"reference": "Medication/gone"}}]
            """
        let summary = try MedicationImporter.read(Array(text.utf8), file: "x.json", now: now)
        let medication = try #require(summary.medications.first)
        #expect(!medication.isActive)
        #expect((medication.name, medication.strength) == ("Myleran", "2mg"))
        #expect(
            summary.warnings.map(\.text) == [
                "'Medication/gone' is not in the file; taken by its display"
            ])
        #expect(summary.skips.map(\.reason) == [.noMedication])
    }

    @Test func `Identities are UUIDs where there are some, else derived and stable`() throws {
        #expect(
            MedicationID(derivedFrom: "fhir:MedicationRequest/1")
                == (try order(#""text": "x""#)).medications.first?.id)
        let id = try #require(MedicationID(uuid: "urn:uuid:0f5Ba4e2-8e36-4484-ab7c-829778aa3b71"))
        #expect(id.uuidText == "0f5ba4e2-8e36-4484-ab7c-829778aa3b71")
        #expect(MedicationID(uuid: "0f5ba4e28e364484ab7c829778aa3b71") == nil)
        let derived = MedicationID(derivedFrom: "x").uuidText
        #expect(derived == MedicationID(derivedFrom: "x").uuidText)
        #expect(derived.dropFirst(14).first == "8")
        #expect("89ab".contains(derived.dropFirst(19).first!))
    }
}

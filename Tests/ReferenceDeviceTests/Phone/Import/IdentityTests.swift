import ControlProtocol
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Two different prescriptions of one drug both reach the watch; only an equal one is left out.
@Suite struct IdentityTests {
    private static let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    private func list(_ medications: String..., at now: WallTime = now) throws -> ImportSummary {
        let text =
            #"{"format": "watchproto.medications/1", "medications": [\#n"#
            + medications.joined(separator: ",\n") + "]}"
        return try MedicationImporter.read(Array(text.utf8), file: "x.json", now: now)
    }

    private func orders(_ members: String...) throws -> ImportSummary {
        let orders = members.map { members in
            #"""
            {"resourceType": "MedicationRequest", "status": "active", "intent": "order",
            "authoredOn": "2026-02-10",
            "medicationCodeableConcept": {"text": "Prednisone 5 mg tablet"}, \#(members)}
            """#
        }
        let text = "[" + orders.joined(separator: ",\n") + "]"
        return try MedicationImporter.read(Array(text.utf8), file: "x.json", now: Self.now)
    }

    private static func drug(_ members: String) -> String {
        #"{"name": "Prednisone", "strength": "5 mg", \#(members)}"#
    }
    private static let tablet = drug(#""form": "tablet", "schedule": {"times": ["08:00"]}"#)
    private static let evening = drug(#""form": "tablet", "schedule": {"times": ["20:00"]}"#)
    private static let solution = drug(#""form": "solution", "schedule": {"times": ["20:00"]}"#)
    private static let uuid = "0f5ba4e2-8e36-4484-ab7c-829778aa3b71"

    private static func dosage(_ text: String) -> String {
        #""dosageInstruction": [{"text": "\#(text)"}]"#
    }

    // MARK: The project's own list

    @Test(arguments: [
        [tablet, solution], [tablet, evening], [evening, tablet, solution],
        [
            drug(#""dose": {"amount": 1, "unit": "tablet"}"#),
            drug(#""dose": {"amount": 2, "unit": "tablet"}"#),
        ],
        [drug(#""isAsNeeded": true"#), drug(#""isAsNeeded": false"#)],
        [drug(#""route": "oral""#), drug(#""route": "rectal""#)],
        [drug(#""instructions": "With food.""#), drug(#""instructions": "Fasting.""#)],
        [drug(#""isActive": true"#), drug(#""isActive": false"#)],
        [drug(#""createdAt": "2026-01-01""#), drug(#""createdAt": "2026-01-02""#)],
        [
            drug(#""stock": {"dosesLeft": 1}"#), drug(#""stock": {"dosesLeft": 2}"#),
            drug(#""x-a": 1"#),
        ],
    ])
    func `Different records of one name and strength are all imported`(records: [String]) throws {
        let text =
            #"{"format": "watchproto.medications/1", "medications": [\#n"#
            + records.joined(separator: ",\n") + "]}"
        func read(at now: WallTime) throws -> ImportSummary {
            try MedicationImporter.read(Array(text.utf8), file: "x.json", now: now)
        }
        let summary = try read(at: Self.now)
        #expect(summary.medications.count == records.count)
        #expect(summary.skips == [])
        let ids = summary.medications.map(\.id)
        #expect(Set(ids).count == records.count)
        #expect(ids.first == MedicationID(derivedFrom: "list:Prednisone|5 mg"))
        #expect(summary.warnings.map(\.position.line) == Array(3..<(records.count + 2)))
        // The watch keeps them apart as well.
        let keys = try summary.medications.map { try MedicationProjection.project($0).recordKey }
        #expect(Set(keys).count == records.count)
        // The same file again changes nothing, whenever it is read.
        var store = MedicationStore()
        #expect(try store.take(summary, at: WallClock(time: Self.now)).count == records.count)
        let later = try read(at: WallTime(milliseconds: Self.now.milliseconds + 1_000_000))
        #expect(later.medications.map(\.id) == ids)
        #expect(try store.take(later, at: WallClock(time: Self.now)) == [])
    }

    @Test func `An equal record is a duplicate, told with the place of the first`() throws {
        let summary = try list(Self.tablet, Self.solution, Self.tablet, Self.solution)
        #expect(summary.medications.map(\.form) == [.tablet, .solution])
        #expect(summary.skips.map(\.reason) == [.duplicate, .duplicate])
        #expect(
            summary.skips.map(\.detail) == ["equal to the one at 2:1", "equal to the one at 3:1"])
        let stated = Self.tablet.replacing(
            "{", with: #"{"id": "\#(Self.uuid)", "#, maxReplacements: 1)
        let mixed = try list(Self.tablet, stated, stated)
        #expect(mixed.medications.map(\.id.uuidText) == [Self.uuid])
        #expect(mixed.skips.map(\.position.line) == [2, 4])
    }

    @Test func `An edit of the hour leaves an identity alone`() throws {
        let ids = try list(Self.tablet, Self.solution).medications.map(\.id)
        let moved = Self.solution.replacing("20:00", with: "21:30")
        #expect(try list(Self.tablet, moved).medications.map(\.id) == ids)
    }

    @Test func `A derived identity never takes one that is stated`() throws {
        let derived = MedicationID(derivedFrom: "list:Prednisone|5 mg").uuidText
        let summary = try list(
            Self.tablet, #"{"id": "\#(derived)", "name": "Aspirin", "strength": "100 mg"}"#)
        #expect(summary.medications.map(\.name) == ["Prednisone", "Aspirin"])
        #expect(summary.medications[0].id.uuidText != derived)
        #expect(summary.medications[1].id.uuidText == derived)
    }

    @Test func `One stated identity with two contents is refused with both places`() throws {
        let refusal = #expect(throws: ImportRefusal.self) {
            try list(
                #"{"id": "\#(Self.uuid)", "name": "Prednisone", "strength": "5 mg"}"#, Self.tablet,
                #"{"id": "\#(Self.uuid)", "name": "Prednisone", "strength": "50 mg"}"#)
        }
        #expect(
            refusal?.errors.map(\.description) == [
                "4:8: expected an id of its own, found that of the record at 2:1, which differs "
                    + "from this one"
            ])
    }

    // MARK: FHIR

    @Test func `Orders without ids that differ are all imported`() throws {
        let summary = try orders(
            Self.dosage("1 tablet"), Self.dosage("2 tablets"), Self.dosage("1 tablet"))
        #expect(summary.medications.map(\.instructions) == ["1 tablet.", "2 tablets."])
        #expect(Set(summary.medications.map(\.id)).count == 2)
        #expect(summary.skips.map(\.reason) == [.duplicate])
        #expect(summary.warnings.count == 1)
    }

    @Test(arguments: [#""id": "7""#, #""id": "\#(uuid)""#])
    func `One id with two contents is refused unless a version decides`(id: String) throws {
        let refusal = #expect(throws: ImportRefusal.self) {
            try orders("\(id), \(Self.dosage("1 tablet"))", "\(id), \(Self.dosage("2 tablets"))")
        }
        let text = refusal?.errors.map(\.description) ?? []
        #expect(text.count == 1)
        #expect(text.first?.contains("found that of the record at 1:2, which differs") == true)
        let equal = try orders(
            "\(id), \(Self.dosage("1 tablet"))", "\(id), \(Self.dosage("1 tablet"))")
        #expect((equal.medications.count, equal.skips.map(\.reason)) == (1, [.duplicate]))
    }

    @Test(arguments: [
        (#""lastUpdated": "2026-02-02T00:00:00Z""#, #""lastUpdated": "2026-02-01T00:00:00Z""#),
        (#""versionId": "10""#, #""versionId": "9""#),
    ])
    func `Of two versions the newer counts, wherever it stands`(new: String, old: String) throws {
        func version(_ meta: String, _ text: String) -> String {
            #""id": "7", "meta": {\#(meta)}, "# + Self.dosage(text)
        }
        for isFirst in [true, false] {
            let parts = [version(new, "2 tablets"), version(old, "1 tablet")]
            let summary = try orders(parts[isFirst ? 0 : 1], parts[isFirst ? 1 : 0])
            #expect(summary.medications.map(\.instructions) == ["2 tablets."])
            #expect(summary.skips.map(\.reason) == [.olderVersion])
        }
    }

    /// An order that was voided must not come back with an older version.
    @Test func `A newer version that voids the order counts as well`() throws {
        let void = """
            [{"resourceType": "MedicationRequest", "id": "7", "status": "active",
            "intent": "order", "meta": {"versionId": "1"},
            "medicationCodeableConcept": {"text": "Prednisone 5 mg tablet"}},
            {"resourceType": "MedicationRequest", "id": "7", "status": "entered-in-error",
            "intent": "order", "meta": {"versionId": "2"},
            "medicationCodeableConcept": {"text": "Prednisone 5 mg tablet"}}]
            """
        func read(_ text: String) throws -> ImportSummary {
            try MedicationImporter.read(Array(text.utf8), file: "x.json", now: Self.now)
        }
        let summary = try read(void)
        #expect(summary.medications == [])
        #expect(summary.skips.map(\.reason) == [.olderVersion, .enteredInError])
        #expect(throws: ImportRefusal.self) { try read(void.replacing("versionId", with: "x")) }
    }

    @Test func `Resources of two types or servers may have one id`() throws {
        func entry(_ type: String, _ url: String, _ drug: String) -> String {
            #"""
            {"fullUrl": "\#(url)", "resource": {"resourceType": "\#(type)", "id": "\#(Self.uuid)",
            "status": "active", "medicationCodeableConcept": {"text": "\#(drug)"}}}
            """#
        }
        let entries = [
            entry("MedicationRequest", "http://a.example/MedicationRequest/1", "Aspirin 100 mg"),
            entry("MedicationRequest", "http://b.example/MedicationRequest/1", "Codeine 30 mg"),
            entry("MedicationStatement", "http://a.example/MedicationStatement/1", "Digoxin 1 mg"),
        ].joined(separator: ",")
        let text = #"{"resourceType": "Bundle", "entry": [\#(entries)]}"#
        let summary = try MedicationImporter.read(
            Array(text.utf8), file: "x.json", now: Self.now)
        #expect(summary.medications.map(\.name) == ["Aspirin", "Codeine", "Digoxin"])
        #expect(Set(summary.medications.map(\.id)).count == 3)
    }
}

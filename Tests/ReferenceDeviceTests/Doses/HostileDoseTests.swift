import ControlProtocol
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Exports that somebody changed: refused with place, expected and found, or imported, never more.
@Suite struct HostileDoseTests {
    /// A dose, taken at 08:05 and entered later, and its undo.
    private static let events: [DoseEvent] = {
        let taken = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: MedicationID(rawValue: 2),
            planned: PlannedDose(day: 2236, minute: 480),
            status: .taken(
                Amount(mantissa: 1, unit: .tablet),
                at: WallMinute(WallTime(iso8601: "2026-02-14T07:05:00Z")!)),
            time: DoseTime(
                WallTime(iso8601: "2026-02-14T07:06:11.250Z")!,
                zoneOffset: ZoneOffset(clamping: 60),
                device: 7, uptime: DoseUptime(boot: 3, milliseconds: 4), phoneOffset: -20))
        let undo = DoseEvent(
            id: DoseEventID(rawValue: 9), .withdraw, [taken], status: nil,
            time: DoseTime(WallTime(iso8601: "2026-02-14T07:07:00Z")!))!
        return [taken, undo]
    }()

    private static let text = String(decoding: DoseExporter.bytes(of: events), as: UTF8.self)

    @Test func `An export reads as people and other programs expect`() {
        let text = Self.text
        #expect(text.contains(#""status":"entered-in-error""#))
        #expect(text.contains(#""effectiveDateTime":"2026-02-14T08:05:00+01:00""#))
        #expect(text.contains(#""valueDateTime":"2026-02-14T08:06:11.250+01:00""#))
        #expect(
            text.contains(
                #""value":1,"unit":"tablet","system":"http://unitsofmeasure.org","code":"{tbl}""#))
        let alone = String(decoding: DoseExporter.bytes(of: [Self.events[0]]), as: UTF8.self)
        #expect(alone.contains(#""status":"completed""#))
        #expect(
            String(decoding: DoseExporter.bytes(of: []), as: UTF8.self)
                == "{\"resourceType\":\"Bundle\",\"type\":\"collection\"}\n")
    }

    @Test(arguments: [
        (
            #""status":"entered-in-error""#, #""status":"not-done""#,
            "expected 'completed' or 'entered-in-error', as the extensions of the event say, found "
                + "'not-done'"
        ),
        (#""status":"entered-in-error""#, #""status":"finished""#, "expected a status"),
        (
            "2026-02-14T08:05:00+01:00\",\"dosage", "2026-02-14T09:05:00+01:00\",\"dosage",
            "expected '2026-02-14T08:05:00+01:00', as the extensions of the event say"
        ),
        (
            "fhir/dose-action", "fhir/dose-acting",
            "perhaps 'https://watchproto.example/fhir/dose-action'"
        ),
        (#""valueCode":"record""#, #""valueCode":"recorded""#, "a code, perhaps 'record'"),
        (#""valueCode":"record""#, #""valueCode":"withdraw""#, "expected an action, a status"),
        (
            #""valueCode":"taken""#, #""valueCode":"skipped""#,
            "expected an amount and 'taken-at' only"
        ),
        (
            #""valueCode":"taken""#, #""valueCode":"snoozed""#,
            "expected an amount and 'taken-at' only"
        ),
        (#""valueDate":"2026-02-14""#, #""valueDate":"2019-12-31""#, "a date from 2020-01-01"),
        (#""valueTime":"08:00:00""#, #""valueTime":"08:00:30""#, "a time to the minute"),
        (
            #""valueUnsignedInt":480"#, #""valueUnsignedInt":65536"#,
            "a whole number from 0 to 65535"
        ),
        (#""valueDecimal":7"#, #""valueDecimal":-7"#, "a whole number from 0 to 4294967295"),
        (#""valueInteger":-20"#, #""valueString":"-20""#, "an object with a member 'valueInteger'"),
        ("fhir/dose-event\"", "fhir/dose-events\"", "expected an identifier of the system"),
        (
            "fhir/medication\"", "fhir/medicine\"",
            "expected a medicationReference with an identifier"
        ),
        (#""code":"{tbl}""#, #""code":"{crate}""#, "expected a code of a unit, found '{crate}'"),
        (#""value":1,"#, #""value":-1,"#, "expected a number, not negative"),
        ("fhir/device\"", "fhir/uptime\"", "expected one extension 'uptime', found another"),
        (
            #""valueDateTime":"2026-02-14T08:06:11.250+01:00""#, #""valueDateTime":"2026-02-14""#,
            "expected a FHIR dateTime with a zone, found '2026-02-14'"
        ),
        (
            #""valueDateTime":"2026-02-14T08:05:00+01:00""#,
            #""valueDateTime":"2026-02-14T08:05:01Z""#,
            "expected a FHIR dateTime with a zone, to the minute"
        ),
    ])
    func `A change that contradicts is refused with its place`(
        old: String, new: String, words: String
    ) throws {
        let range = try #require(Self.text.firstRange(of: old))
        let text = Self.text[..<range.lowerBound] + new + Self.text[range.upperBound...]
        let bytes = Array(text.utf8)
        let refusal = try #require(throws: ImportRefusal.self) {
            try DoseImporter.read(bytes, file: "a.json")
        }
        #expect(refusal.description.contains(words), "\(refusal.description)")
        #expect(refusal.description.hasPrefix("a.json:"))
        #expect(refusal.errors.allSatisfy { !$0.found.isEmpty })
        // The other event is whole.
        let partial = try DoseImporter.read(bytes, file: "a.json", isPartial: true)
        #expect(partial.doses == [Self.events[1]])
        #expect(partial.faults == refusal.errors)
    }

    @Test func `A mark of another program does not change an event, and is told`() throws {
        let alone = String(decoding: DoseExporter.bytes(of: [Self.events[0]]), as: UTF8.self)
        let marked = alone.replacing(
            #""status":"completed""#, with: #""status":"entered-in-error""#)
        let summary = try DoseImporter.read(Array(marked.utf8), file: "a.json")
        #expect(summary.doses == [Self.events[0]])
        #expect(summary.warnings.count == 1)
        #expect(try DoseImporter.read(Array(Self.text.utf8), file: "a.json").warnings.isEmpty)
    }

    @Test func `Faults of the text refuse the whole file, also in part`() {
        let bytes = Array(Self.text.utf8.dropLast(40))
        for isPartial in [false, true] {
            #expect(throws: ImportRefusal.self) {
                try DoseImporter.read(bytes, file: "a.json", isPartial: isPartial)
            }
        }
    }

    @Test func `A damaged file is refused or imported, never more`() throws {
        var samples = DoseSamples(seed: 3)
        let original = DoseExporter.bytes(of: samples.events(6))
        let values = ["-1", "1e308", "null", "[]", "{}", "\"\"", "99999999999999999999", "true"]
        var counts = (imported: 0, refused: 0)
        for _ in 0..<400 {
            var bytes = original
            for _ in 0...samples.below(3) {
                let place = samples.below(bytes.count)
                switch samples.below(4) {
                case 0: bytes[place] = UInt8(samples.below(256))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                default:
                    let digit = bytes[place...].firstIndex { $0 >= 0x30 && $0 <= 0x39 } ?? place
                    bytes.replaceSubrange(digit...digit, with: Array(values[samples.below(8)].utf8))
                }
            }
            do throws(ImportRefusal) {
                let summary = try DoseImporter.read(
                    bytes, file: "a.json", isPartial: samples.below(2) == 0)
                counts.imported += 1
                #expect(Set(summary.doses.map(\.id)).count == summary.doses.count)
                for event in summary.doses { #expect(throws: Never.self) { try event.encoded() } }
                let again = try? DoseImporter.read(
                    DoseExporter.bytes(of: summary.doses), file: "a.json")
                #expect(again.map { Set($0.doses) } == Set(summary.doses))
            } catch {
                counts.refused += 1
                #expect(!error.errors.isEmpty && !error.description(source: bytes).isEmpty)
            }
        }
        #expect(counts.imported > 10 && counts.refused > 100)
    }
}

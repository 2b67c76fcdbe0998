import ControlProtocol
import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The project's own input, whole and broken.
@Suite struct OwnFilesTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    private func read(_ name: String) throws -> ImportSummary {
        let url = TestFiles.medications.appending(path: name)
        return try MedicationImporter.read(
            TestFiles.bytes(url), file: url.lastPathComponent, now: now)
    }

    @Test func `The list is imported whole`() throws {
        let summary = try read("list.json")
        #expect(summary.description == "list.json: plain list, 264 imported")
        #expect(Set(summary.medications.map(\.name)).count == 264)
        let first = try #require(summary.medications.first)
        #expect(first.name == "Metformin")
        #expect(first.strength == "500 mg")
        #expect(first.form == .tablet)
        #expect(first.dose == .exact(Amount(mantissa: 1, unit: .tablet)!))
        #expect(first.schedule.minutes == [480, 1200])
        #expect(first.codes.first?.code == "A10BA02")
        let start = MedicationList(summary.medications.kept.prefix(50))
        #expect(try read("list-50.json").medications == start)
    }

    @Test func `Full records are near 2 KB, the watch's within 200 bytes`() throws {
        let clock = WallClock(time: now)
        let sizes = RecordSizes(Array(try read("list.json").medications), at: clock)
        #expect(sizes.refused == 0)
        #expect(sizes.watchRecord.max <= 200)
        #expect((1900...2100).contains(sizes.fullRecordJSON.mean))
        #expect(sizes.watchRecord.mean < sizes.watchRecordJSON.mean / 2)
        #expect(sizes.json["watch_record"]?["count"] == 264)
    }

    @Test func `What is written as JSON reads back equal`() throws {
        for name in ["list.json", "nasty.json", "bundle.json"] {
            for medication in try read(name).medications {
                let list: JSONValue = [
                    "format": .string(PlainList.format), "medications": [medication.json],
                ]
                let again = try MedicationImporter.read(
                    JSONWriter.bytes(list, layout: .pretty), file: "again.json", now: now)
                #expect(again.medications == [medication])
            }
        }
    }

    @Test func `A bundle's orders find their medications, and each reason to skip is given`() throws
    {
        let summary = try read("bundle.json")
        #expect(
            summary.description
                == "bundle.json: FHIR bundle, 60 imported, 7 skipped (entered in error 1, an order "
                + "not to give it 1, not an order 2, no medication 1, unknown unit 1, "
                + "unusable amount 1), 60 other resources passed over")
        let list = try read("list.json").medications
        for (imported, listed) in zip(summary.medications, list) {
            #expect(imported.strength == listed.strength)
            #expect(imported.dose == listed.dose)
            #expect(imported.isAsNeeded == listed.isAsNeeded)
            #expect(imported.schedule.minutes == listed.schedule.minutes)
            #expect(imported.schedule.everyDays == listed.schedule.everyDays)
            #expect(imported.schedule.weekdays == listed.schedule.weekdays)
            #expect(imported.instructions == listed.instructions)
        }
    }

    @Test func `Lines are read with concepts, contained and separate medications`() throws {
        let summary = try read("statements.ndjson")
        #expect(
            summary.description
                == "statements.ndjson: FHIR lines, 60 imported, 20 other resources passed over")
    }

    @Test func `An import twice gives the same identities`() throws {
        #expect(try read("statements.ndjson") == read("statements.ndjson"))
        #expect(try read("nasty.json") == read("nasty.json"))
    }

    @Test(arguments: [
        ("truncated.json", ["5:41"]), ("wrong-unit.json", ["4:91"]), ("wrong-type.json", ["4:33"]),
        ("wrong-form.json", ["4:51"]), ("wrong-time.json", ["4:93", "4:116"]),
        ("end-before-start.json", ["4:124"]), ("no-such-day.json", ["4:103"]),
        ("zero-amount.json", ["4:80"]), ("range-upside-down.json", ["4:88"]),
        ("missing-name.json", ["4:1"]), ("unknown-member.json", ["4:21"]),
        ("duplicate-member.json", ["4:43"]), ("trailing-comma.json", ["5:1"]),
        ("missing-comma.json", ["5:1"]), ("number-with-unit.json", ["4:33"]),
        ("invalid-utf8.json", ["4:16"]), ("lone-surrogate.json", ["4:19"]),
        ("line-break-in-string.json", ["4:37"]), ("byte-order-mark.json", ["1:1"]),
        ("wrong-format.json", ["2:11"]), ("not-a-list.json", ["1:1"]), ("empty.json", ["1:1"]),
        ("too-deep.json", ["1:129"]),
        (
            "several-errors.json",
            ["4:10", "4:26", "4:37", "4:67", "4:79", "5:1", "5:2", "5:43", "5:65", "5:81"]
        ),
        ("fhir-frequency-in-words.json", ["1:237"]), ("fhir-unknown-period-unit.json", ["1:267"]),
        ("fhir-dosage-not-an-array.json", ["1:174"]), ("fhir-without-status.json", ["1:1"]),
        ("fhir-without-type.json", ["1:73", "1:100"]), ("fhir-unknown-status.json", ["1:60"]),
        ("broken-lines.ndjson", ["2:274", "4:38"]),
    ])
    func `A malformed file is refused with every fault`(name: String, places: [String]) throws {
        let refusal = #expect(throws: ImportRefusal.self) { try read("malformed/" + name) }
        #expect(refusal?.errors.map(\.position.description) == places)
        let lines = (refusal?.description ?? "").split(separator: "\n")
        #expect(lines.count == places.count + 1)
        for (line, place) in zip(lines, places) {
            #expect(line.hasPrefix("\(name):\(place): expected "))
            #expect(line.contains(", found "))
        }
        #expect(lines.last?.hasSuffix("in 1 file; nothing was imported.") == true)
    }

    @Test func `Every malformed file has its row above`() throws {
        let folder = TestFiles.medications.appending(path: "malformed")
        #expect(try TestFiles.list(folder, "json").count == 31)
    }

    @Test func `A refusal shows the line and marks the fault`() throws {
        let url = TestFiles.medications.appending(path: "malformed/wrong-unit.json")
        let bytes = try TestFiles.bytes(url)
        let refusal = #expect(throws: ImportRefusal.self) {
            try MedicationImporter.read(bytes, file: "wrong-unit.json", now: now)
        }
        let lines = (refusal?.description(source: bytes) ?? "").split(separator: "\n")
        #expect(lines[0].contains("expected a unit, perhaps 'tablet' (one of"))
        let margin = lines[2].prefix { $0 == " " }.count
        #expect(lines[1].dropFirst(margin).hasPrefix("\"tablts\""))
        #expect(lines[2].dropFirst(margin) == "^^^^^^^^")
    }
}

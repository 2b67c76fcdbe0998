import Foundation
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Files that were exported once are read for ever, and a new export is the same to the byte.
/// With `WATCHPROTO_WRITE_FIXTURES` they are written anew.
@Suite struct DoseFixtureTests {
    private static let folder = TestFiles.package.appending(path: "Fixtures/doses")

    /// Events with every action, every status and every field.
    private static let events: [DoseEvent] = {
        let medication = MedicationID(uuid: "76ca6f44-c160-51f0-a94e-b2ed8fb553d3")!
        let asNeeded = MedicationID(uuid: "0f31fca4-6f5a-5b3f-8a1c-1f1a1c1e7a55")!
        let breakfast = PlannedDose(day: 2521, minute: 480)
        let moved = PlannedDose(day: 2521, minute: 1230, entry: 1200)
        func time(_ text: String, _ zone: Int = 60) -> DoseTime {
            DoseTime(WallTime(iso8601: text)!, zoneOffset: ZoneOffset(clamping: zone))
        }
        func id(_ number: UInt128) -> DoseEventID {
            DoseEventID(rawValue: 0x1111_1111_2222_4333_8444_5555_5555_5500 + number)
        }
        func minute(_ text: String) -> WallMinute { WallMinute(WallTime(iso8601: text)!) }
        var full = time("2026-11-26T07:03:21.250Z")
        full.device = 4_000_000_001
        full.uptime = DoseUptime(boot: 77, milliseconds: 123_456_789)
        full.phoneOffset = -1500
        let snooze = DoseEvent(
            id: id(1), medication: medication, planned: breakfast,
            status: .snoozed(until: minute("2026-11-26T07:30:00Z")),
            time: time("2026-11-26T07:01:00Z"))
        let taken = DoseEvent(
            id: id(2), medication: medication, planned: breakfast,
            status: .taken(Amount(mantissa: 15, scale: 1, unit: .tablet)), time: full)
        let correction = DoseEvent(
            id: id(3), .correct, [taken],
            status: .taken(
                Amount(mantissa: 1, unit: .tablet), at: minute("2026-11-26T07:10:00Z")),
            time: time("2026-11-26T07:15:00Z"))!
        var skipped = DoseEvent(
            id: id(4), medication: medication, planned: moved, status: .skipped,
            time: time("2026-11-26T20:00:00Z", -210))
        skipped.extensions[200] = [1, 2, 3]
        let other = DoseEvent(
            id: id(5), medication: medication, planned: moved, status: .taken,
            time: time("2026-11-26T20:00:30Z"))
        let resolution = DoseEvent(
            id: id(6), .resolve, [skipped, other], status: .skipped,
            time: time("2026-11-26T21:00:00Z"))!
        let free = DoseEvent(
            id: id(7), medication: asNeeded, planned: nil,
            status: .taken(Amount(mantissa: 3, scale: 9, unit: DoseUnit(rawValue: 99))),
            time: time("2026-11-26T23:59:59.999Z", 1080))
        let undo = DoseEvent(
            id: id(8), .withdraw, [free], status: nil, time: time("2026-11-27T00:00:00Z"))!
        let old = DoseEvent(
            id: id(9), medication: asNeeded, planned: nil, status: .taken,
            time: DoseTime(WallTime(milliseconds: .min)))
        return [snooze, taken, correction, skipped, other, resolution, free, undo, old]
    }()

    @Test(arguments: ["ledger.json", "ledger.ndjson"])
    func `An export is the file of the fixtures`(name: String) throws {
        let names = [Self.events[0].medication: "Insulin glargine"]
        let text = DoseExporter.bytes(
            of: Self.events, DoseExporter.Format(file: name), names: names)
        let file = Self.folder.appending(path: name)
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil {
            try Data(text).write(to: file)
        }
        let bytes = try TestFiles.bytes(file)
        let isEqual = bytes == text
        #expect(isEqual, "\(name) is not the export of these events")
        let summary = try DoseImporter.read(bytes, file: name)
        #expect(Set(summary.doses) == Set(Self.events))
        #expect(summary.skips.isEmpty && summary.warnings.isEmpty)
        let states = DoseLedger(summary.doses)
        #expect(states.slots.map { states.state(of: $0).status?.isTaken } == [true, false])
    }

    @Test func `Doses of another program keep their identities`() throws {
        let file = Self.folder.appending(path: "foreign.json")
        let summary = try DoseImporter.read(TestFiles.bytes(file), file: "foreign.json")
        #expect(
            summary.doses.map(\.id.uuidText) == [
                "4c9f6eb4-e272-8322-bdf9-b5c2992d8432", "c9bc14d4-803d-8fb4-8684-6f679be61b04",
                "76d55605-6b30-8c2f-82f0-b8ffd08e43df",
            ])
        #expect(summary.skips.map(\.reason) == [.notCompleted, .noIdentifier])
        #expect(summary.warnings.count == 1)
    }
}

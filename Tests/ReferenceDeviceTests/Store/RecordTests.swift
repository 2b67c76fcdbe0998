import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The phone's full record survives the store.
@Suite struct RecordTests {
    private func imported(_ name: String) throws -> [Medication] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Fixtures/medications/\(name)")
        let bytes = Array(try Data(contentsOf: path))
        let summary = try MedicationImporter.read(
            bytes, file: name, now: WallTime(milliseconds: 1_700_000_000_123)
        )
        return Array(summary.medications)
    }

    private func row(_ medication: Medication) -> StoredRow {
        let clock = WallClock(time: WallTime(milliseconds: 1_771_079_400_000))
        let stored = medication.stored(at: clock)
        return StoredRow(
            place: 1, nextDose: stored.nextDose, body: stored.body, history: stored.history)
    }

    @Test func every_medication_of_the_list_comes_back_equal() throws {
        let all = try imported("list.json")
        #expect(all.count > 200)
        for one in all { #expect(try Medication(stored: row(one)) == one) }
    }

    @Test func every_part_comes_back() throws {
        var one = Medication(
            id: MedicationID(rawValue: .max), name: "Ä\u{0}é", createdAt: WallTime(milliseconds: -5)
        )
        one.genericName = "g"
        one.ingredients = [Ingredient(name: "a", strength: "1"), Ingredient(name: "b")]
        one.form = DoseForm(rawValue: 200)
        one.dose = .range(
            try #require(Amount(mantissa: 0, unit: .tablet)),
            try #require(Amount(mantissa: 4_000_000_000, scale: 9, unit: DoseUnit(rawValue: 250))))
        one.schedule = MedicationSchedule(
            minutes: [0, 1439], weekdays: [.monday, .sunday],
            zone: .fixed(ZoneOffset(clamping: -1080)), start: LocalDate(daysSince1970: -1),
            end: LocalDate(daysSince1970: 99_999), everyDays: 366, isAssumed: true)
        one.isAsNeeded = true
        one.limits = AsNeededLimits(minimumInterval: 65_535, maximumPerDay: 255)
        one.isActive = false
        one.isHighAlert = true
        one.prescriber = Contact(name: "p", phone: "1", address: "x")
        one.pharmacy = Contact(name: "q")
        one.stock = Stock(dosesLeft: -7, refillAt: 2_000_000, refillsLeft: 3)
        one.codes = [Code(system: "s", code: "c", display: "d")]
        one.color = 0x0102_0304
        one.revision = .max
        one.updatedAt = WallTime(milliseconds: .max)
        one.history = DoseHistory(
            taken: 5_000_000, skipped: 2, lastTakenAt: WallTime(milliseconds: 1))
        #expect(try Medication(stored: row(one)) == one)
        for dose in [DosePerTime.unstated, .text("2 then 1"), .exact(one.dose.low)] {
            one.dose = dose
            #expect(try Medication(stored: row(one)) == one)
        }
    }

    @Test func damaged_records_are_refused_or_read_and_never_end_the_process() throws {
        var random = SeededGenerator(seed: 1)
        let clock = WallClock(time: WallTime(milliseconds: 1_771_079_400_000))
        for one in try imported("list.json").prefix(60) {
            let body = one.storedBody()
            for _ in 0..<50 {
                var damaged = body
                for _ in 0...random.uniform(in: 0...2) {
                    let place = Int(random.uniform(in: 0...UInt64(body.count - 1)))
                    damaged[place] = UInt8(truncatingIfNeeded: random.next())
                }
                guard let read = try? Medication(storedBody: damaged) else { continue }
                _ = read.stored(at: clock)
                _ = read.schedule.doses(on: clock)
            }
        }
    }

    @Test func what_is_cut_short_is_refused() throws {
        var one = try imported("list.json")[0]
        for limits in [AsNeededLimits(), AsNeededLimits(maximumPerDay: 3)] {
            one.limits = limits
            let body = one.stored(at: WallClock(time: WallTime(milliseconds: 0))).body
            for length in 0..<body.count {
                #expect(throws: WireError.self) {
                    try Medication(storedBody: Array(body[..<length]))
                }
            }
            #expect(throws: WireError.self) { try Medication(storedBody: body + [0]) }
        }
    }
}

extension DosePerTime {
    fileprivate var low: Amount {
        if case .range(_, let high) = self { return high }
        return Amount(mantissa: 1, unit: .tablet)!
    }
}

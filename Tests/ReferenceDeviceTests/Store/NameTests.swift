import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords

@testable import ReferenceDevice

/// The names of medications: as many as something refers to.
@Suite(.timeLimit(.minutes(2)))
struct NameTests {
    let clock = WallClock(time: WallTime(milliseconds: 1_771_079_400_000))

    func names(_ shelf: Shelf) throws -> Int64? {
        try shelf.file.read { store in
            try store.query("SELECT count(*) FROM names") {
                (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
            }.first
        }
    }

    func dose(_ number: UInt128, of medication: MedicationID) throws -> SQLWrite {
        let event = DoseEvent(
            id: DoseEventID(rawValue: number), medication: medication, planned: nil,
            status: .taken, time: DoseTime(clock.time))
        return StoreChange.record(event, try event.encoded())
    }

    func put(_ medication: Medication) -> SQLWrite {
        StoreChange.put { [clock] in medication.stored(at: clock) }
    }

    @Test func a_removed_medication_leaves_no_name() throws {
        let shelf = try Shelf()
        let all = Household(seed: 4, count: 3, clock: clock).medications
        try shelf.give(all.map(put))
        #expect(try names(shelf) == 3)
        for one in all { try shelf.give([StoreChange.remove(one.id)]) }
        #expect(try names(shelf) == 0)
        // One that was never there gets none.
        try shelf.give([StoreChange.remove(MedicationID(rawValue: 99))])
        #expect(try names(shelf) == 0)
    }

    @Test func what_a_dose_refers_to_keeps_its_name() throws {
        let shelf = try Shelf()
        let one = Household(seed: 4, count: 1, clock: clock).medications[0]
        try shelf.give([put(one), try dose(1, of: one.id), StoreChange.remove(one.id)])
        #expect(try names(shelf) == 1)
        #expect(try shelf.store.doses(of: one.id, before: nil, limit: 10).count == 1)
        // Back again, under the same name, with its dose.
        try shelf.give([put(one)])
        #expect(try names(shelf) == 1)
        #expect(try shelf.store.counts().medications == 1)
    }

    @Test func the_last_dose_to_go_takes_the_name_along() throws {
        let shelf = try Shelf()
        let (gone, kept) = (MedicationID(rawValue: 5), MedicationID(rawValue: 6))
        let held = Household(seed: 4, count: 1, clock: clock).medications[0]
        try shelf.give([
            put(held), try dose(1, of: gone), try dose(2, of: held.id), try dose(3, of: kept),
        ])
        #expect(try names(shelf) == 3)
        // As if the store were full but for the doses between.
        try shelf.give([
            SQLWrite(
                "INSERT INTO doses SELECT ?, name, day, minute, action, event, corrects, body "
                    + "FROM doses WHERE id = 3", [.integer(DeviceSchema.doseCapacity)])
        ])
        try shelf.give([try dose(4, of: kept)])
        #expect(try names(shelf) == 2, "the oldest dose was the last word of its medication")
        try shelf.give([try dose(5, of: kept)])
        #expect(try names(shelf) == 2, "a medication that is there keeps its name")
    }
}

import Locks
import Testing
import WatchProto

@testable import ReferenceDevice

/// A list whose medications are in a file, and in memory only where they were edited.
@Suite struct PhoneListTests {
    private let clock = WallClock(time: WallTime(iso8601: "2026-02-14T07:00:00Z")!)

    /// A file that can be read, or not.
    private final class File: Sendable {
        private let rows = Mutex<[MedicationID: Medication]>([:])
        private let isReadable = Atomic(true)
        private let reads = Atomic(0)

        var readCount: Int { reads.load(ordering: .relaxed) }

        func breakDown() { isReadable.store(false, ordering: .relaxed) }

        func write(_ store: MedicationStore) throws {
            let all = try store.medications.all()
            rows.withLock { rows in for one in all { rows[one.id] = one } }
        }

        func read(_ id: MedicationID) throws(UnreadableMedication) -> Medication {
            reads.wrappingAdd(1, ordering: .relaxed)
            guard isReadable.load(ordering: .relaxed), let row = rows.withLock({ $0[id] }) else {
                throw UnreadableMedication(detail: "it was torn")
            }
            return row
        }
    }

    private func medication(_ number: Int) -> Medication {
        var medication = Medication(
            id: MedicationID(rawValue: UInt128(number + 1)), name: "Medicine \(number)",
            createdAt: WallTime(iso8601: "2026-01-01")!)
        medication.instructions = String(repeating: "With water. ", count: 20)
        medication.dose = .exact(Amount(mantissa: UInt32(number + 1), unit: .tablet)!)
        medication.schedule.minutes = [480 + number]
        return medication
    }

    /// A store of ten medications that the file has, too.
    private func store(_ file: File) throws -> MedicationStore {
        var store = MedicationStore()
        store.holdDoses(around: clock) { _ in [] }
        for number in 0..<10 { try store.put(medication(number), at: clock) }
        try file.write(store)
        store.release { id throws(UnreadableMedication) in try file.read(id) }
        return store
    }

    @Test func a_released_list_is_the_same_list() throws {
        let (whole, file) = (File(), File())
        var held = MedicationStore()
        held.holdDoses(around: clock) { _ in [] }
        for number in 0..<10 { try held.put(medication(number), at: clock) }
        try whole.write(held)
        var released = try store(file)
        #expect(held.medications.bytesInMemory > 2000 && released.medications.bytesInMemory == 0)
        #expect(try released.medications.all() == held.medications.all())
        #expect(file.readCount == 10)
        #expect(released.timeline(at: clock) == held.timeline(at: clock))
        let amounts = held.medications.entries.map(\.amount)
        #expect(released.medications.entries.map(\.amount) == amounts)
        // No dose of the face needs the file, except the name of one.
        #expect(file.readCount == 10)
        let state = try released.complicationState(at: clock)
        #expect(try state == held.complicationState(at: clock) && file.readCount == 11)

        // Edits are in memory until the list is released again.
        let id = MedicationID(rawValue: 4)
        for _ in 0..<2 {
            try held.change(id, at: clock) { $0.color ^= 1 }
            try released.change(id, at: clock) { $0.color ^= 1 }
        }
        #expect(file.readCount == 12)
        let size = released.medications.bytesInMemory
        #expect(size > 200 && size < 1000)
        try held.remove(MedicationID(rawValue: 7))
        try released.remove(MedicationID(rawValue: 7))
        #expect(try released.medications.all() == held.medications.all())
        try released.remove(id)
        #expect(released.medications.bytesInMemory == 0)
    }

    @Test func a_medication_that_is_loaded_is_read_once() throws {
        let file = File()
        var store = try store(file)
        let before = try store.load(at: 3)
        #expect(before.medication == medication(3))
        #expect(store.medications.bytesInMemory == before.size)
        try store.change(before.id, at: clock) { $0.color ^= 1 }
        let after = try store.load(at: 3)
        #expect(after.medication.revision == 2 && file.readCount == 1)
        #expect(store.medications.bytesInMemory == after.size)
        store.takeBack(before.medication, at: 3)
        let again = try store.load(at: 3)
        #expect(again == before)
    }

    @Test func an_import_compares_with_the_file() throws {
        let file = File()
        var store = try store(file)
        var summary = ImportSummary(file: "x", format: .plainList)
        for number in 0..<11 { summary.medications.append(medication(number)) }
        summary.medications[3].strength = "5 mg"
        let changes = try store.take(summary, at: clock)
        #expect(
            changes == [
                .updated(MedicationID(rawValue: 4)), .added(MedicationID(rawValue: 11)),
            ])
        #expect(try store.medications.medication(at: 3).revision == 2)
        let kept = store.medications.kept(Set(changes.map(\.id)))
        #expect(kept.map(\.id) == changes.map(\.id))
        #expect(store.medications.bytesInMemory == kept.reduce(0) { $0 + $1.size })
    }

    @Test func what_cannot_be_read_changes_nothing() throws {
        let file = File()
        var store = try store(file)
        let id = MedicationID(rawValue: 4)
        _ = store.takeEdits()
        let before = store.timeline(at: clock)
        file.breakDown()
        let torn = UnreadableMedication(detail: "it was torn")
        let refusal = MedicationStore.Refusal.unreadable(torn)
        #expect(throws: refusal) { try store.change(id, at: clock) { $0.color ^= 1 } }
        #expect(throws: refusal) { try store.remove(id) }
        #expect(throws: refusal) { try store.reassert(id, over: 9, at: clock.time) }
        #expect(throws: refusal) { try store.put(medication(3), at: clock) }
        #expect(throws: UnreadableMedication.self) { try store.complicationState(at: clock) }
        var summary = ImportSummary(file: "x", format: .plainList)
        // The first one is new: it does not come into the list either.
        for number in [20, 3] { summary.medications.append(medication(number)) }
        #expect(throws: UnreadableMedication.self) { try store.take(summary, at: clock) }
        #expect(store.medications.count == 10 && store.takeEdits() == nil)
        #expect(store.timeline(at: clock) == before && store.medications.bytesInMemory == 0)
        #expect("\(refusal)".contains("it was torn"))
    }
}

import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

@Suite struct MedicationStoreTests {
    private let now = WallTime(iso8601: "2026-02-14T07:00:00Z")!

    private func medication(_ name: String, _ minutes: [Int], dose: UInt32 = 1) -> Medication {
        var medication = Medication(
            id: MedicationID(derivedFrom: name), name: name,
            createdAt: WallTime(iso8601: "2026-01-01")!)
        medication.strength = "5 mg"
        medication.form = .tablet
        medication.dose = .exact(Amount(mantissa: dose, unit: .tablet)!)
        medication.schedule.minutes = minutes
        return medication
    }

    private func store() throws -> MedicationStore {
        var summary = ImportSummary(file: "x", format: .plainList)
        summary.medications = [
            medication("Noon", [720], dose: 2), medication("Morning", [480, 1200]),
        ]
        var store = MedicationStore()
        _ = try store.take(summary, at: WallClock(time: now))
        return store
    }

    private func clock(_ text: String) -> WallClock { WallClock(time: WallTime(iso8601: text)!) }

    @Test func `A change counts the revision up once, and no change does not`() throws {
        var store = try store()
        let id = store.medications.entries[0].dosing.medication
        let later = WallTime(milliseconds: now.milliseconds + 1000)
        var changed = try store.change(id, at: WallClock(time: later)) { $0.instructions = "Rest." }
        #expect(changed.revision == 2)
        #expect(changed.updatedAt == later)
        changed = try store.change(id, at: WallClock(time: later)) { $0.instructions = "Rest." }
        #expect(changed.revision == 2)
        changed = try store.change(id, at: WallClock(time: now)) {
            $0.revision = 77
            $0.name = "Midday"
        }
        #expect(changed.revision == 3)
        #expect(changed.updatedAt == later)
    }

    /// The watch takes no other content under the same revision.
    @Test func `A change after the last revision is refused and changes nothing`() throws {
        var store = try store()
        let id = store.medications.entries[0].dosing.medication
        let last = try store.reassert(id, over: .max, at: now)
        #expect(last.revision == .max)
        #expect(throws: MedicationStore.Refusal.self) {
            try store.change(id, at: WallClock(time: now)) { $0.instructions = "Rest." }
        }
        #expect(try store[id] == last)
        #expect(try store.change(id, at: WallClock(time: now)) { _ in } == last)
    }

    @Test func `A change that a watch cannot hold is refused and changes nothing`() throws {
        var store = try store()
        let before = try store.medications.all()
        let id = before[0].id
        #expect(throws: MedicationStore.Refusal.self) {
            try store.change(id, at: WallClock(time: now)) {
                $0.strength = String(repeating: "9", count: 190)
            }
        }
        #expect(throws: MedicationStore.Refusal.identityChanged) {
            try store.change(id, at: WallClock(time: now)) { $0.id = MedicationID(rawValue: 1) }
        }
        let unknown = MedicationID(rawValue: 2)
        #expect(throws: MedicationStore.Refusal.unknown(unknown)) {
            try store.change(unknown, at: WallClock(time: now)) { _ in }
        }
        #expect(throws: MedicationStore.Refusal.unknown(unknown)) { try store.remove(unknown) }
        #expect(try store.medications.all() == before)
        try store.remove(id)
        #expect(try store.medications.all().map(\.name) == ["Morning"])
    }

    @Test func `The same import twice changes nothing, an edited one counts on`() throws {
        var store = try store()
        var summary = ImportSummary(file: "x", format: .plainList)
        summary.medications = MedicationList()
        summary.medications.append(contentsOf: try store.medications.all())
        var changes = try store.take(summary, at: WallClock(time: now))
        #expect(changes == [])
        summary.medications[1].strength = "10 mg"
        summary.medications.append(medication("New", []))
        changes = try store.take(summary, at: WallClock(time: now))
        #expect(
            changes == [.updated(summary.medications[1].id), .added(summary.medications[2].id)])
        let edited = try store.medications.medication(at: 1)
        #expect(edited.revision == 2 && edited.strength == "10 mg")
    }

    @Test func `The face names the dose to take and counts the day`() throws {
        var store = try store()
        var state = try store.complicationState(at: clock("2026-02-14T07:00:00Z"))
        #expect(state.name == "Morning")
        #expect(state.amountText == "1 × 5 mg")
        #expect(state.nextDose?.wallTime.iso8601 == "2026-02-14T08:00:00Z")
        #expect((state.taken, state.total, state.overdue, state.active) == (0, 3, 0, 2))

        state = try store.complicationState(at: clock("2026-02-14T08:31:00Z"))
        #expect((state.name, state.amountText) == ("Morning", "1 × 5 mg"))
        #expect(state.overdue == 1)
        let dose = PlannedDose(day: 2236, minute: 480)!
        let id = store.medications.entries[1].dosing.medication
        let event = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: id, planned: dose, status: .taken,
            time: DoseTime(now))
        store.holdDoses(around: clock("2026-02-14T08:31:00Z")) { _ in [] }
        store.record(event)
        store.record(event)
        state = try store.complicationState(at: clock("2026-02-14T08:31:00Z"))
        #expect((state.taken, state.overdue) == (1, 0))
        #expect((state.name, state.amountText) == ("Noon", "2 × 5 mg"))
        #expect(try store[id]?.revision == 1)

        store.record(
            DoseEvent(
                id: DoseEventID(rawValue: 2), medication: id, planned: dose, status: .skipped,
                time: DoseTime(now)))
        let slot = DoseSlot(medication: id, entry: dose.entry, day: dose.day)
        #expect(store.doseLog.states[slot]?.isConflicting == true)
        let undo = DoseEvent(
            id: DoseEventID(rawValue: 3), .withdraw, [event], status: nil, time: DoseTime(now))
        store.record(try #require(undo))
        #expect(store.doseLog.states[slot]?.status == .skipped)
    }

    @Test func `What is taken as needed or not at all is never due`() throws {
        var store = try store()
        for medication in try store.medications.all() {
            try store.change(medication.id, at: WallClock(time: now)) { $0.isAsNeeded = true }
        }
        let first = try store.medications.medication(at: 0)
        #expect(first.nextDose(after: clock("2026-02-14")) == nil)
        let state = try store.complicationState(at: clock("2026-02-14T08:31:00Z"))
        #expect((state.nextDose, state.total, state.active) == (nil, 0, 2))
        #expect(state.name.isEmpty)
    }

    @Test func `An amount on a face is whole or not there`() throws {
        var store = MedicationStore()
        var long = medication("Morning", [480])
        long.dose = .text(String(repeating: "9 tablets ", count: 12))
        long.strength = ""
        _ = try? store.put(long, at: WallClock(time: now))
        let state = try store.complicationState(at: clock("2026-02-14"))
        #expect(state.amountText == long.dose.description || state.amountText.isEmpty)
        #expect(state.encodedSize <= ComplicationState.byteBudget)
        var pen = medication("Pen", [])
        pen.strength = "100 units/mL"
        pen.form = .pen
        pen.dose = .exact(Amount(mantissa: 1, unit: .injection)!)
        #expect(MedicationStore.amountText(of: pen) == "1 injection")
    }

    @Test func `A projection carries the next dose and what is overdue`() throws {
        let store = try store()
        let medication = try store.medications.medication(at: 1)
        let record = try store.projection(of: medication, at: clock("2026-02-14T09:00:00Z"))
        #expect(record.nextDose?.wallTime.iso8601 == "2026-02-14T20:00:00Z")
        #expect(record.flags.contains(.isOverdue))
        #expect(record.schedule.slots.minutes == [480, 1200])
    }
    /// The watch has 200 bytes of a medication, in a revision that the phone has forgotten.
    @Test func `A restored phone keeps its whole record over a smaller one of the watch`() throws {
        var store = try store()
        let id = store.medications.entries[0].dosing.medication
        try store.change(id, at: WallClock(time: now)) {
            $0.genericName = "paracetamol"
            $0.ingredients = [Ingredient(name: "paracetamol", strength: "5 mg")]
            $0.route = "oral"
            $0.instructions = String(repeating: "With a glass of water. ", count: 20)
            $0.pharmacistInstructions = "No repeats."
            $0.prescriber = Contact(name: "Dr. A", phone: "1", address: "Street 1")
            $0.pharmacy = Contact(name: "B", phone: "2", address: "Street 2")
            $0.indication = "pain"
            $0.notes = String(repeating: "Asked about it. ", count: 100)
            $0.stock = Stock(dosesLeft: 3, refillAt: 5, refillsLeft: 1)
            $0.codes = [Code(system: "atc", code: "N02BE01", display: "paracetamol")]
            $0.history = DoseHistory(taken: 9, skipped: 1, lastTakenAt: now)
        }
        let kept = try #require(try store[id])
        #expect(kept.storedBody().count > 2000)
        #expect(try store.projection(of: kept, at: WallClock(time: now)).encodedSize <= 200)
        let later = WallTime(milliseconds: now.milliseconds + 1000)
        for (number, revision) in [(1, 77), (2, 3)] as [(Int64, UInt32)] {
            try store.reassert(id, over: revision, at: later)
            var wanted = kept
            // The second value is older than the record by now.
            wanted.revision = 77 + UInt32(number)
            wanted.updatedAt = later
            #expect(try store[id] == wanted)
            wanted.history = DoseHistory()
            #expect(try Medication(storedBody: try #require(try store[id]).storedBody()) == wanted)
        }
        #expect(try store.medications.medication(at: 1).revision == 1)
    }
}

import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProto

/// Very many acts that wait for the ledger at once, as taps on a face that does not answer.
@Suite(.timeLimit(.minutes(1))) struct DoseBurstTests {
    private let worker = ManualWorker()
    private let store = FaultyLedger()

    private func dose(
        _ number: Int, _ status: DoseStatus = .taken, day: UInt16 = 2_000
    ) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: day, minute: 480), status: status,
            time: DoseTime(WallTime(milliseconds: 0)))
    }

    /// Face rule 5: taps are recorded while the slot is open. The slot is looked up once for all
    /// taps between two events of it.
    @Test func a_burst_of_taps_looks_the_slot_up_once_for_each_event() throws {
        let ledger = DeviceLedger(.watch, store, worker)
        let answers = Mutex(0)
        for number in 1...2_000 {
            ledger.add([dose(number)], onlyIfOpen: true) { answer in
                if case .success = answer { answers.withLock { $0 += 1 } }
            }
        }
        worker.run()
        #expect(answers.withLock { $0 } == 2_000)
        let slot = try #require(dose(1).slot)
        #expect(store.ledger.events(of: slot) == [dose(1)])
        #expect(store.faults.withLock { $0.slotReads } == 2)
    }

    /// Events of an act that is refused close no slot for the acts behind it.
    @Test func a_refused_act_closes_nothing() throws {
        let ledger = DeviceLedger(.watch, store, worker)
        let answers = Mutex<[Bool]>([])
        let acts = [
            // The second event has the identity of the first, and says something else.
            [dose(1), dose(1, .skipped)],
            [dose(2)],
            [dose(3)],
            [dose(4, day: 2_001), dose(5, day: 2_001)],
        ]
        for act in acts {
            ledger.add(act, onlyIfOpen: true) { answer in
                answers.withLock { $0.append((try? answer.get()) != nil) }
            }
        }
        worker.run()
        #expect(answers.withLock { $0 } == [false, true, true, true])
        let slots = [try #require(dose(1).slot), try #require(dose(4, day: 2_001).slot)]
        #expect(slots.flatMap { store.ledger.events(of: $0).map(\.id.rawValue) } == [2, 4])
    }
}

import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// The example of the library's front page.
@Suite(.timeLimit(.minutes(1))) struct ArticleTests {
    @Test func a_dose_counts_once_over_a_bad_link() async throws {
        let pair = try await TestPair()
        pair.link.conditions = .edge
        let ledger = Ledger()
        pair.phone.apply(DoseEvent.self) { dose, _ in ledger.add(dose.value) }
        let transfer = try pair.watch.send(dose)
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .reached(.applied))
        #expect(ledger.count == 1)
        await pair.close()
    }
}

/// The doses of an app.
private final class Ledger: Sendable {
    private let doses = Mutex<Set<DoseEventID>>([])

    func add(_ dose: DoseEvent) { doses.withLock { _ = $0.insert(dose.id) } }
    var count: Int { doses.withLock { $0.count } }
}

private let dose = DoseEvent(
    id: DoseEventID(rawValue: 5), medication: MedicationID(rawValue: 1), planned: nil,
    status: .taken, time: DoseTime(WallTime(milliseconds: 1_700_000_000_000)))

import Testing
import WatchProto
import WatchProtoTesting

/// The example of the library's front page.
@Suite(.timeLimit(.minutes(1))) struct ArticleTests {
    @Test func a_dose_counts_once_over_a_bad_link() async throws {
        let pair = try await TestPair()
        pair.link.conditions = .edge
        try await pair.watch.doses.record(dose)
        try await pair.watch.doses.record(dose)
        try await pair.run(for: .seconds(10))
        #expect(try await pair.phone.doses.newestEvents(limit: 10) == [dose])
        await pair.close()
    }
}

private let dose = DoseEvent(
    id: DoseEventID(rawValue: 5), medication: MedicationID(rawValue: 1), planned: nil,
    status: .taken, time: DoseTime(WallTime(milliseconds: 1_700_000_000_000)))

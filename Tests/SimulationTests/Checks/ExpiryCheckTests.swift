import Simulation
import Testing
import WatchProtoCore

/// A record expires only where something was in its way.
@Suite struct ExpiryCheckTests {
    private let id = RecordID(
        epoch: EpochID(rawValue: 0xE1), channel: .background, number: RecordNumber(1))

    /// The wall clocks run this far ahead of the world.
    private static let offset: Int64 = 1_000_000

    private typealias Step = (seconds: Double, side: Int, observation: RunObservation)

    /// The findings of the checker of liveness in a story, after clocks are set and a record that
    /// expires at second 60 was accepted at second 10.
    private func found(_ story: [Step]) -> [String] {
        var panel = CheckerPanel()
        let draft = RecordDraft(
            channel: .background, kind: .opaque, payload: [1],
            expiresAt: WallTime(milliseconds: Self.offset + 60_000))
        var steps: [Step] = []
        for side in 0..<2 {
            steps.append((0, side, .started))
            steps.append((0, side, .wallClock(WallTime(milliseconds: Self.offset))))
        }
        steps.append((10, 0, .accepted(id, draft)))
        steps.append((10, 0, .event(.progress(id, .queued))))
        for step in (steps + story).sorted(by: { $0.seconds < $1.seconds }) {
            panel.show(step.observation, side: step.side, at: instant(step.seconds))
        }
        return panel.findings.map(\.checker)
    }

    private func instant(_ seconds: Double) -> Instant {
        Instant(nanoseconds: UInt64(seconds * 1e9))
    }

    /// Nothing hinders from one moment to another; looked at every half second.
    private func fair(_ from: Double, _ until: Double) -> [Step] {
        stride(from: from, through: until, by: 0.5).map {
            ($0, 0, .unhindered(since: instant(from)))
        }
    }

    private func clock(_ seconds: Double) -> Step {
        (seconds, 0, .wallClock(WallTime(milliseconds: Self.offset + Int64(seconds * 1_000))))
    }

    private func expired(_ seconds: Double) -> [Step] {
        [clock(seconds), (seconds, 0, .event(.settled(id, .expired)))]
    }

    /// So many seconds with nothing in its way are enough for every record.
    private let enough = 5.0

    @Test func what_expires_though_nothing_was_in_its_way_is_found() {
        #expect(found(fair(20, 20 + enough) + expired(60)) == ["liveness"])
        #expect(found(fair(20, 19 + enough) + expired(60)) == [])
        #expect(found(expired(60)) == [])
    }

    @Test func an_answer_of_expired_counts_as_well() {
        let asked: [Step] = [clock(60), (60, 0, .answered(id, .settled(.expired)))]
        #expect(found(fair(20, 20 + enough) + asked) == ["liveness"])
    }

    @Test func what_was_before_its_acceptance_and_after_its_time_is_no_matter() {
        #expect(found(fair(0, 9 + enough) + expired(60)) == [], "10 s of it came too early")
        #expect(found(fair(61 - enough, 80) + expired(90)) == [], "the rest of it came too late")
    }

    @Test func two_short_spans_are_not_a_long_one() {
        let half = enough / 2 + 0.5
        #expect(found(fair(20, 20 + half) + fair(21 + half, 21 + 2 * half) + expired(60)) == [])
    }

    @Test func a_span_long_past_counts() {
        #expect(found(fair(11, 11 + enough) + fair(50, 55) + expired(60)) == ["liveness"])
    }

    @Test func where_a_clock_was_set_nothing_is_said() {
        let jump: Step = (15, 1, .wallClock(WallTime(milliseconds: Self.offset + 86_400_000)))
        #expect(found([jump] + fair(20, 20 + enough) + expired(60)) == [])
    }
}

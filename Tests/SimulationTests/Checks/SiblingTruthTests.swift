import Simulation
import Testing
import WatchProtoCore

/// The truth of what is said of a record that counts as another one under its idempotency key.
@Suite struct SiblingTruthTests {
    private func id(_ number: UInt64) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: 0xE1), channel: .background, number: RecordNumber(number))
    }

    private let payload: [UInt8] = [1, 2, 3]

    private func accepted(_ number: UInt64, _ key: UInt128 = 8) -> [(Int, RunObservation)] {
        var draft = RecordDraft(channel: .background, kind: .opaque, payload: payload)
        draft.idempotencyKey = key
        return [
            (0, .accepted(id(number), draft)), (0, .event(.progress(id(number), .queued))),
        ]
    }

    private func given(_ number: UInt64, _ word: Disposition = .applied) -> [(Int, RunObservation)]
    {
        [
            (
                1,
                .delivered(
                    InboundRecord(id: id(number), kind: .opaque, key: nil, payload: payload), word)
            )
        ]
    }

    private func durable(_ number: UInt64) -> [(Int, RunObservation)] {
        [(1, .committed(.effect(id(number), nil, value: ContentHash.of(payload))))]
    }

    private func told(_ number: UInt64, _ outcome: Outcome = .applied) -> [(Int, RunObservation)] {
        guard outcome == .applied else { return [(0, .event(.settled(id(number), outcome)))] }
        return [
            (0, .event(.progress(id(number), .committed))),
            (0, .event(.progress(id(number), .applied))),
            (0, .event(.settled(id(number), .applied))),
        ]
    }

    /// The first is taken back, and the second given; a crash on both sides undoes the two, and the
    /// first one comes first.
    private func start(secondKey: UInt128 = 8) -> [(Int, RunObservation)] {
        accepted(1) + [(0, .cancelAsked(id(1)))] + accepted(2, secondKey) + given(2)
            + [(1, .crashed), (1, .started), (0, .crashed), (0, .started)]
    }

    /// Seeds 79697, 140640 and 258045.
    @Test func a_giving_that_a_crash_undid_does_not_speak_against_the_siblings() {
        #expect(found(start() + given(1) + durable(1) + told(1) + told(2)) == [])
    }

    @Test func without_the_siblings_effect_it_is_found() {
        #expect(found(start() + given(1) + told(2)).first == "status")
        #expect(found(start(secondKey: 9) + given(1) + durable(1) + told(2)).first == "status")
    }

    /// Seed 130040: the copy of a phone sends a record that the phone took back, and the phone
    /// comes back.
    @Test func a_device_that_comes_back_knows_what_it_did_itself() {
        let copied = accepted(1) + [(0, .backedUp), (0, .cancelAsked(id(1)))]
        let cancelled = told(1, .cancelled)
        let exchange: [(Int, RunObservation)] = [(0, .crashed), (0, .exchanged), (0, .started)]
        let sent = given(1) + durable(1)
        let answer: [(Int, RunObservation)] = [(0, .answered(id(1), .settled(.cancelled)))]
        #expect(found(copied + cancelled + exchange + sent + told(1) + exchange + answer) == [])
        // It is found if the copy itself says so, and of a device that never had a copy.
        #expect(found(copied + exchange + sent + cancelled).contains("status"))
        #expect(found(copied + sent + cancelled).contains("status"))
    }

    /// Seed 180827.
    @Test func a_siblings_refusal_counts_once_it_is_durable() {
        let refused = start() + given(1, .rejected(code: 4))
        let refusal: [(Int, RunObservation)] = [(1, .committed(.refusal(id(1), code: 4)))]
        #expect(found(refused + refusal + told(2, .rejected(code: 4))) == [])
        #expect(found(refused + told(2, .rejected(code: 4))) == ["status"])
        #expect(found(refused + refusal + told(2, .rejected(code: 5))) == ["status"])
    }

    /// A disk that went back gives the record again: what it once held stays true. (Seed 4002233.)
    @Test func a_refusal_that_the_disk_lost_was_one() {
        let decided: [(Int, RunObservation)] = [(1, .decided(id(1), .rejected(code: 7)))]
        let refused: [(Int, RunObservation)] = [(1, .committed(.refusal(id(1), code: 7)))]
        let back: [(Int, RunObservation)] = [(1, .crashed), (1, .restored), (1, .started)]
        let pending = accepted(1) + given(1, .pending)
        let again = back + given(1, .pending)
        #expect(found(pending + decided + refused + again + told(1, .rejected(code: 7))) == [])
        #expect(found(pending + decided + again + told(1, .rejected(code: 7))) == ["status"])
        let other = pending + decided + refused + again + told(1, .rejected(code: 4))
        #expect(found(other) == ["status"])
    }
}

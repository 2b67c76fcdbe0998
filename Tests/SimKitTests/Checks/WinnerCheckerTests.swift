import SimKit
import Testing
import WatchProto

/// Which value wins, against hand-made sights: of those that the two disks hold, the newest stays.
@Suite struct WinnerCheckerTests {
    private let key = RecordKey(rawValue: 1)

    private func id(_ number: UInt64, epoch: UInt64 = 0xE1) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: epoch), lane: .context, number: RecordNumber(number))
    }

    private func draft(_ number: UInt64) -> RecordDraft {
        RecordDraft(lane: .context, kind: .opaque, key: key, payload: [UInt8(number), 2, 3])
    }

    private func value(_ number: UInt64) -> UInt64 { ContentHash.of(draft(number).payload) }

    /// Accepted, and on the sender's disk.
    private func accepted(_ number: UInt64) -> [(Int, Sight)] {
        [
            (0, .accepted(id(number), draft(number))), (0, .committed(.queued(id(number)))),
            (0, .committed(.own(.context, key, value: value(number)))),
            (0, .event(.progress(id(number), .queued))),
        ]
    }

    /// Given and applied, under its own name or another one.
    private func shown(_ number: UInt64, as id: RecordID? = nil) -> [(Int, Sight)] {
        let id = id ?? self.id(number)
        let record = InboundRecord(
            id: id, kind: .opaque, key: key, payload: draft(number).payload)
        return [
            (1, .delivered(record, .applied)),
            (1, .committed(.effect(id, key, value: value(number)))),
        ]
    }

    private func handedBack(_ number: UInt64) -> [(Int, Sight)] {
        [(0, .event(.handedBack(.context, key, .opaque, payload: draft(number).payload)))]
    }

    private func judged(_ story: [(Int, Sight)]) -> [String] {
        found(story).filter { $0 == "winner" }
    }

    @Test func a_side_is_handed_back_a_newer_value_than_its_own_and_never_an_older_one() {
        let both = accepted(1) + [(0, .backedUp)] + shown(1) + accepted(2) + shown(2)
        #expect(judged(both + [(0, .crashed), (0, .restored)] + handedBack(2)) == [])
        #expect(judged(both + [(0, .crashed), (0, .wiped)] + handedBack(1)) == [])
        #expect(judged(both + handedBack(1)) == ["winner"])
        #expect(judged(both + [(0, .crashed), (0, .started)] + handedBack(1)) == ["winner"])
        #expect(judged(both + handedBack(3)) == ["winner"], "nobody ever said that")
    }

    /// The origin wrote the key since: nothing of before comes back.
    @Test func what_was_said_since_the_restore_stays() {
        let restored: [(Int, Sight)] =
            accepted(1) + [(0, .backedUp)] + accepted(2) + shown(2)
            + [(0, .crashed), (0, .restored), (0, .started)]
        #expect(judged(restored + handedBack(2)) == [])
        #expect(judged(restored + accepted(3) + handedBack(2)) == ["winner"])
        // Also where its disk does not hold it yet.
        #expect(judged(restored + [accepted(3)[0]] + handedBack(2)) == ["winner"])
        // What was taken over is its own, on the next disk as well.
        let own: (Int, Sight) = (0, .committed(.own(.context, key, value: value(2))))
        #expect(judged(restored + handedBack(2) + [own] + handedBack(1)) == ["winner"])
    }

    @Test func nothing_older_is_shown_in_the_place_of_a_newer_value() {
        let story = accepted(1) + shown(1) + accepted(2) + shown(2)
        let again = id(1, epoch: 0xE2)
        #expect(judged(story + shown(2, as: again)) == [])
        // Where nobody forgot anything, another checker's business.
        #expect(found(story + shown(1, as: again)).contains("newest"))
        // A restored backup of the receiver knows no more of the newer one, a wiped disk of none.
        let wiped: [(Int, Sight)] = [(1, .crashed), (1, .wiped), (1, .started)]
        #expect(judged(story + wiped + shown(1, as: again)) == [])
        let backedUp = accepted(1) + shown(1) + [(1, .backedUp)] + accepted(2) + shown(2)
        #expect(judged(backedUp + [(1, .crashed), (1, .restored)] + shown(1, as: again)) == [])
        // What the sender forgot, the receiver did not.
        let forgot: [(Int, Sight)] = [(0, .crashed), (0, .wiped), (0, .started)]
        #expect(judged(story + forgot + shown(1, as: again)) == ["winner"])
    }

    /// A newest word that may have ended without effect says nothing; what was applied before does.
    @Test func what_was_taken_back_or_refused_does_not_count() {
        let first = accepted(1) + shown(1) + [(0, .event(.settled(id(1), .applied)))]
        let second = accepted(2) + shown(2) + [(0, .event(.settled(id(2), .applied)))]
        let third = accepted(3) + [(0, .cancelAsked(id(3)))]
        #expect(judged(first + second + third + handedBack(2)) == [])
        #expect(judged(first + second + third + handedBack(1)) == ["winner"])
        let refused = InboundRecord(
            id: id(3), kind: .opaque, key: key, payload: draft(3).payload)
        let story = first + second + accepted(3)
        let word: (Int, Sight) = (1, .delivered(refused, .rejected(code: 3)))
        #expect(judged(story + [word] + handedBack(2)) == [])
        #expect(judged(story + handedBack(2)) == ["winner"])
    }

    /// An application leaves what it shows where it decides on an older value.
    @Test func an_older_value_that_is_decided_on_late_is_not_shown() {
        let pending = InboundRecord(
            id: id(1), kind: .opaque, key: key, payload: draft(1).payload)
        let story = accepted(1) + [(1, .delivered(pending, .pending))] + accepted(2) + shown(2)
        #expect(judged(story + [(1, .committed(.effect(id(1), key, value: value(1))))]) == [])
    }
}

import SimKit
import Testing
import WatchProto
import WatchProtoRecords

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

    /// Refused when the sender's peer by itself sent it again: the one before it stays. (Seeds
    /// 136309 and 172763.)
    @Test func a_value_sent_again_and_refused_does_not_count() {
        let both = accepted(1) + shown(1) + accepted(2) + shown(2) + [(0, .backedUp)]
        let wiped: [(Int, Sight)] = [(1, .crashed), (1, .wiped), (1, .started)]
        let again = InboundRecord(
            id: id(1, epoch: 0xE2), kind: .opaque, key: key, payload: draft(2).payload)
        let refused: [(Int, Sight)] = [(1, .delivered(again, .rejected(code: 3)))]
        let restored: [(Int, Sight)] = [(0, .crashed), (0, .restored), (0, .started)]
        let first = shown(1, as: id(2, epoch: 0xE2))
        #expect(judged(both + wiped + refused + first + restored + handedBack(1)) == [])
        #expect(judged(both + wiped + first + restored + handedBack(1)) == ["winner"])
        // Left pending first, and refused then: the newest checker knows the record's key, too.
        let pending: [(Int, Sight)] = [
            (1, .delivered(again, .pending)), (1, .decided(again.id, .rejected(code: 3))),
        ]
        #expect(!found(both + wiped + pending + first).contains("newest"))
        #expect(found(both + wiped + [pending[0]] + first).contains("newest"))
    }

    /// A word gave way to a later one, which was taken back: an older one stands for both then,
    /// whatever a restored backup knows of that. (Seeds 303451 and 467052.)
    @Test(arguments: [false, true]) func a_word_that_gave_way_does_not_count(isTakenBack: Bool) {
        let second = accepted(2) + [(0, Sight.backedUp)]
        let end: [(Int, Sight)] = isTakenBack ? [(0, .cancelAsked(id(3)))] : []
        let third = accepted(3) + end + [(0, .event(.settled(id(2), .superseded)))]
        let again = shown(1, as: id(4))
        let restored: [(Int, Sight)] = [(0, .crashed), (0, .restored), (0, .started)]
        let story = accepted(1) + shown(1) + second + third + again + restored
        #expect(judged(story + handedBack(1)) == (isTakenBack ? [] : ["winner"]))
    }

    /// What a set leaves out makes no record where the sender knows of no value, and is no word of
    /// a life that the backup has undone. (Seed 481207: a removal was said in that.)
    @Test func a_word_of_an_undone_life_is_not_said_again_by_a_set() {
        let removal = RecordDraft(lane: .context, kind: .medicationRemoval, key: key, payload: [])
        let own: (Int, Sight) = (0, .committed(.own(.context, key, value: 0)))
        let removed: [(Int, Sight)] = [
            (0, .accepted(id(3), removal)), (0, .committed(.queued(id(3)))), own,
            (0, .event(.progress(id(3), .queued))),
        ]
        let backedUp = accepted(1) + [(0, Sight.backedUp)] + accepted(2) + shown(2) + removed
        let restored: [(Int, Sight)] = [(0, .crashed), (0, .restored), (0, .started)]
        #expect(judged(backedUp + restored + [own] + handedBack(2)) == [])
        // Without a restore the third is its own.
        #expect(judged(backedUp + [own] + handedBack(2)) == ["winner"])
    }

    /// A removal that a set says, committed when it was said once more: that was no third word. It
    /// gave way to one that was refused. (Seed 652855.)
    @Test func a_word_said_twice_while_the_disk_is_slow_is_no_third_one() {
        let removal = RecordDraft(lane: .context, kind: .medicationRemoval, key: key, payload: [])
        let own: (Int, Sight) = (0, .committed(.own(.context, key, value: 0)))
        let refused = InboundRecord(
            id: id(4), kind: .opaque, key: key, payload: draft(4).payload)
        func story(refuses: Bool) -> [(Int, Sight)] {
            accepted(1) + shown(1)
                + [
                    (0, .accepted(id(2), removal)), (0, .accepted(id(3), removal)), own,
                    (0, .committed(.queued(id(2)))), (0, .committed(.queued(id(3)))),
                    (0, .event(.settled(id(2), .superseded))),
                ] + accepted(4) + [(0, .event(.settled(id(3), .superseded)))]
                + (refuses ? [(1, .delivered(refused, .rejected(code: 7)))] : [])
        }
        #expect(judged(story(refuses: true) + handedBack(1)) == [])
        #expect(judged(story(refuses: false) + handedBack(1)) == ["winner"])
    }

    /// Where a clock was set back and the disk of its side went, nobody knows the later opening.
    @Test(arguments: [false, true]) func a_clock_that_was_set_back_excuses(isBack: Bool) {
        let day: Int64 = isBack ? -86_400_000 : 86_400_000
        let start = WallTime(milliseconds: 1_800_000_000_000)
        let clock: [(Int, Sight)] = [
            (0, .wallClock(start)),
            (0, .wallClock(WallTime(milliseconds: start.milliseconds + day))),
        ]
        let story = accepted(1) + shown(1) + accepted(2) + shown(2) + [(0, .backedUp)]
        let restored: [(Int, Sight)] = [(0, .crashed), (0, .restored), (0, .started)]
        #expect(judged(story + clock + handedBack(1)) == ["winner"], "the disk is there")
        #expect(judged(story + restored + handedBack(1)) == ["winner"], "the clock is right")
        let expected = isBack ? [] : ["winner"]
        #expect(judged(story + clock + restored + handedBack(1)) == expected)
        #expect(judged(story + restored + clock + handedBack(1)) == expected)
    }
}

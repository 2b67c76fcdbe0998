import Simulation
import Testing
import WatchProtoCore
import WatchProtoRecords

/// Each checker against hand-made observations: silent on a lawful story, loud on one broken
/// promise.
@Suite struct CheckerTests {
    private let epoch = EpochID(rawValue: 0xE1)
    private let key = RecordKey(rawValue: 1)

    private func id(_ number: UInt64, _ channel: Channel = .background) -> RecordID {
        RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
    }

    private func draft(
        _ number: UInt64, _ channel: Channel = .background, expiresAt: WallTime? = nil
    ) -> RecordDraft {
        RecordDraft(
            channel: channel, kind: .opaque, key: channel.traits.order == .ordered ? nil : key,
            payload: [UInt8(number), 2, 3], expiresAt: expiresAt)
    }

    private func inbound(_ number: UInt64, _ channel: Channel = .background) -> InboundRecord {
        let draft = draft(number, channel)
        return InboundRecord(
            id: id(number, channel), kind: draft.kind, key: draft.key, payload: draft.payload)
    }

    private func value(_ number: UInt64) -> UInt64 { ContentHash.of([UInt8(number), 2, 3]) }

    private func ending(
        drained: Bool = true, healed: Bool = true, dead: Int? = nil, reachable: Bool = true,
        outstanding: [RecordID] = [], quietWakes: Int = 0, inOneMoment: Int = 1, bytes: Int = 0
    ) -> (Int, RunObservation) {
        var wire = WireTally()
        wire.bytes = bytes
        let side = SideEnding(
            isReachable: reachable, outstanding: outstanding, quietWakes: quietWakes,
            quietTime: .seconds(5), wakesInOneMoment: inOneMoment, wire: wire,
            runTime: .seconds(10))
        let ending = Ending(
            isHealed: healed, isDrained: drained, deadDirection: dead,
            carrier: EndingCarrier(isLossy: true), sides: [side, side])
        return (0, .ended(ending))
    }

    /// Accepted, promised, given, durable, reported applied: everything in order.
    private func lawful(_ number: UInt64, _ channel: Channel = .background) -> [(
        Int, RunObservation
    )] {
        let id = id(number, channel)
        let draft = draft(number, channel)
        return [
            (0, .accepted(id, draft)), (0, .committed(.queued(id))),
            (0, .event(.progress(id, .queued))),
            (1, .delivered(inbound(number, channel), .applied)),
            (1, .committed(.effect(id, draft.key, value: value(number)))),
            (0, .event(.progress(id, .committed))), (0, .event(.settled(id, .applied))),
        ]
    }

    @Test func a_lawful_story_pleases_all() {
        let held: (Int, RunObservation) = (
            0, .holds(.context, key, id(3, .context), value: value(3))
        )
        let story = lawful(1) + lawful(2) + lawful(3, .context) + [held, ending()]
        #expect(found(story) == [])
    }

    @Test func a_crash_before_the_commit_lets_a_record_come_again() {
        let story: [(Int, RunObservation)] = [
            (0, .accepted(id(1), draft(1))), (0, .event(.progress(id(1), .queued))),
            (1, .delivered(inbound(1), .applied)), (1, .crashed), (1, .started),
            (1, .delivered(inbound(1), .applied)),
            (1, .committed(.effect(id(1), nil, value: value(1)))),
            (0, .event(.settled(id(1), .applied))), ending(),
        ]
        #expect(found(story) == [])
    }

    @Test func what_is_known_there_before_it_is_committed_here_is_found() {
        var dose = draft(1)
        dose.waitsForCommit = true
        let accepted: [(Int, RunObservation)] = [(0, .accepted(id(1), dose))]
        let given: [(Int, RunObservation)] = [(1, .delivered(inbound(1), .applied))]
        let committed: [(Int, RunObservation)] = [(0, .committed(.queued(id(1))))]
        #expect(found(accepted + given) == ["commit-first"])
        #expect(found(accepted + given + committed) == ["commit-first"])
        #expect(found(accepted + committed + given) == [])
        // A crash took the record away before it was committed.
        let undone: [(Int, RunObservation)] = [(0, .crashed), (0, .started)]
        #expect(found(accepted + undone + given) == ["commit-first"])
        // A disk that is emptied later takes nothing back of what was so.
        #expect(found(accepted + committed + [(0, .crashed), (0, .wiped)] + given) == [])
        // A record that does not wait for its commit may arrive before it.
        #expect(found([(0, .accepted(id(1), draft(1)))] + given) == [])
    }

    @Test func a_packet_that_is_sealed_or_opened_like_another_is_found() {
        let sealed: [(Int, RunObservation)] = [(0, .sealed(7)), (1, .sealed(8)), (0, .opened(8))]
        #expect(found(sealed + [(1, .opened(8))]) == [], "each side opens its own")
        #expect(found(sealed + [(1, .sealed(7))]) == ["nonce"], "whichever side, whichever life")
        #expect(found(sealed + [(0, .crashed), (0, .started), (0, .opened(8))]) == ["replay"])
    }

    @Test func a_flight_that_is_sealed_like_another_is_found() {
        let sealed: [(Int, RunObservation)] = [(0, .sealedMessage(7, tag: 1)), (1, .sealed(8))]
        #expect(found(sealed + [(0, .sealedMessage(7, tag: 1))]) == [], "it is the same flight")
        #expect(found(sealed + [(1, .sealedMessage(9, tag: 1))]) == [])
        #expect(found(sealed + [(0, .sealedMessage(7, tag: 2))]) == ["nonce"])
        #expect(found(sealed + [(0, .sealedMessage(8, tag: 1))]) == ["nonce"], "like a packet")
        #expect(found(sealed + [(0, .sealed(7))]) == ["nonce"], "a packet like it")
    }

    @Test func early_data_that_is_taken_again_is_found() {
        let taken: [(Int, RunObservation)] = [
            (0, .openedEarly(1, counter: 5)), (0, .openedEarly(2, counter: 5)),
        ]
        let held = taken + [(0, .counterHeld(5))]
        let restart: [(Int, RunObservation)] = [(0, .crashed), (0, .started)]
        for tag in [1, 2] as [UInt128] {
            let again: [(Int, RunObservation)] = [(0, .openedEarly(tag, counter: 5))]
            #expect(found(taken + again) == ["replay"])
            #expect(found(held + restart + again) == ["replay"])
            #expect(found(taken + restart + again) == [], "the journal does not hold it")
            #expect(found(held + [(0, .crashed), (0, .wiped)] + again) == [])
        }
        // One that came after the commit of its flight's number, and one of an older flight.
        for flight in [5, 4] as [UInt64] {
            let late: [(Int, RunObservation)] = [(0, .openedEarly(3, counter: flight))]
            #expect(found(held + late + restart + late) == ["replay"])
        }
        // A later flight that the journal does not hold may come again.
        let next: [(Int, RunObservation)] = [(0, .openedEarly(4, counter: 6))]
        #expect(found(held + next + restart + next) == [])
        #expect(found(held + next + restart + next + next) == ["replay"])
    }

    /// One packet of a flight is undone by a crash, and comes again after another of the flight has
    /// made its number durable.
    @Test func early_data_that_a_crash_undid_comes_again() {
        let undone: [(Int, RunObservation)] = [
            (0, .openedEarly(1, counter: 5)), (0, .crashed), (0, .started),
            (0, .openedEarly(2, counter: 5)), (0, .counterHeld(5)),
        ]
        let again: [(Int, RunObservation)] = [(0, .openedEarly(1, counter: 5))]
        #expect(found(undone + again) == [])
        #expect(found(undone + again + again) == ["replay"])
    }

    @Test func a_record_that_no_opened_packet_brought_is_found() {
        func read(_ observations: RunObservation...) -> [(Int, RunObservation)] {
            ([.arrival(isOver: false)] + observations + [.arrival(isOver: true)]).map { (1, $0) }
        }
        let given = RunObservation.delivered(inbound(1), .applied)
        let accepted: [(Int, RunObservation)] = [(0, .accepted(id(1), draft(1))), (1, .linkOpened)]
        #expect(found(accepted + read(.openedEarly(1, counter: 5), given)) == [])
        #expect(found(accepted + read(.opened(1), given)) == [])
        #expect(found(accepted + read(given)) == ["downgrade"])
        #expect(found(accepted + read(.opened(1)) + read(given)) == ["downgrade"])
    }

    @Test func what_was_promised_and_never_came_is_lost() {
        let promised: [(Int, RunObservation)] = [
            (0, .accepted(id(1), draft(1))), (0, .event(.progress(id(1), .queued))),
        ]
        #expect(found(promised + [ending()]) == ["nothing-lost"])
        let forgotten = promised + [(0, .crashed), (0, .started), (0, .answered(id(1), .unknown))]
        #expect(found(forgotten) == ["nothing-lost"])
        let claimed = promised + [(0, .event(.settled(id(1), .applied)))]
        #expect(found(claimed) == ["nothing-lost", "status"])
    }

    @Test func what_was_not_promised_may_go_with_a_crash() {
        #expect(
            found([(0, .accepted(id(1), draft(1))), (0, .crashed), (0, .started), ending()]) == [])
    }

    @Test func a_second_effect_is_found() {
        let again: [(Int, RunObservation)] = [(1, .delivered(inbound(1), .applied))]
        #expect(found(lawful(1) + again) == ["nothing-twice"])
        let durably: [(Int, RunObservation)] = [
            (1, .committed(.effect(id(1), nil, value: value(1))))
        ]
        #expect(found(lawful(1) + durably) == ["nothing-twice"])
        let afterRestart: [(Int, RunObservation)] = [(1, .crashed), (1, .started)] + again
        #expect(found(lawful(1) + afterRestart) == ["nothing-twice"])
    }

    @Test func a_second_effect_under_one_idempotency_key_is_found() {
        func keyed(_ number: UInt64, _ key: UInt128 = 8) -> (Int, RunObservation) {
            var draft = draft(number)
            draft.idempotencyKey = key
            return (0, .accepted(id(number), draft))
        }
        func told(_ number: UInt64) -> (Int, RunObservation) {
            (0, .event(.settled(id(number), .applied)))
        }
        let first = [keyed(1)] + lawful(1).dropFirst()
        // Answered as the first was, without being given.
        let answered = [
            keyed(2), (0, .event(.progress(id(2), .queued))), told(2),
        ]
        #expect(found(first + answered + [ending()]) == [])
        let other = [keyed(2, 9), (0, .event(.progress(id(2), .queued))), told(2)]
        #expect(found(first + other) == ["nothing-lost", "status"])
        #expect(found(first + [keyed(2)] + lawful(2).dropFirst()) == ["once-per-key"])
        // Joined: the record under way, under its own key, and no other.
        var again = draft(3)
        again.idempotencyKey = 8
        #expect(found([keyed(1), (0, .acceptedAgain(id(1), again))]) == [])
        #expect(found([keyed(1, 9), (0, .acceptedAgain(id(1), again))]) == ["once-per-key"])
        #expect(found(first + [(0, .acceptedAgain(id(1), again))]) == ["once-per-key"])
    }

    @Test func an_alarm_that_is_false_missing_or_repeated_is_found() {
        // A step of a story takes a nanosecond.
        let start: [(Int, RunObservation)] = [
            (0, .overdueAge(.nanoseconds(2))), (0, .accepted(id(1), draft(1))),
            (0, .event(.progress(id(1), .queued))), (0, .event(.progress(id(1), .sent))),
        ]
        func raised(_ age: Duration = .nanoseconds(2)) -> (Int, RunObservation) {
            (0, .event(.overdue(id(1), age: age)))
        }
        let ended: (Int, RunObservation) = (0, .event(.overdueEnded))
        let look: (Int, RunObservation) = (
            0, .watched(awake: .nanoseconds(3), lateness: .zero)
        )
        #expect(found(start + [raised(), look, ended]) == [])
        #expect(found(start + [look]) == ["alarm"])
        #expect(found(start + [raised(), ended, look]) == ["alarm"])
        #expect(found(start + [raised(), raised()]) == ["alarm"])
        #expect(found(start + [ended]) == ["alarm"])
        #expect(found(start + [raised(.nanoseconds(1))]) == ["alarm"])
        #expect(found(start + [raised(.seconds(1))]) == ["alarm"])
        #expect(found([start[0], raised()]) == ["alarm"])
        #expect(found([start[0]] + lawful(1) + [raised()]) == ["alarm"])
        #expect(found([start[0]] + lawful(1) + [look]) == [])
        let short: (Int, RunObservation) = (0, .watched(awake: .nanoseconds(1), lateness: .zero))
        #expect(found(start + [short]) == [], "the process has only just started")
    }

    @Test func a_wrong_order_is_found() {
        let story: [(Int, RunObservation)] = [
            (0, .accepted(id(1), draft(1))), (0, .accepted(id(2), draft(2))),
            (1, .delivered(inbound(2), .applied)), (1, .delivered(inbound(1), .applied)),
        ]
        #expect(found(story) == ["order"])
    }

    /// Order holds inside one history of the sender (Models/IDENTITY.md, I3).
    @Test func records_of_a_history_that_the_sender_left_have_no_order() {
        func accepted(_ number: UInt64) -> [(Int, RunObservation)] {
            [(0, .accepted(id(number), draft(number))), (0, .committed(.queued(id(number))))]
        }
        func given(_ number: UInt64) -> (Int, RunObservation) {
            (1, .delivered(inbound(number), .applied))
        }
        let restored: [(Int, RunObservation)] = [(0, .crashed), (0, .restored), (0, .started)]
        let story =
            accepted(1) + accepted(2) + [(0, RunObservation.backedUp)] + accepted(3) + [given(3)]
            + restored
        #expect(found(story + [given(1), given(2)]) == [])
        #expect(found(story + [given(2), given(1)]) == ["order"])
        #expect(found(story + accepted(4) + [given(4), given(2)]) == ["order"])
        // The attacker delayed a packet of the former history. (Seed 245855.)
        let delayed = [(0, RunObservation.backedUp)] + accepted(1)
        let later = accepted(2) + [given(2), given(1)]
        #expect(found(delayed + restored + later) == [])
        #expect(found(delayed + later) == ["order"])
        // It had settled 1, and both went back behind that. (Seed 253520.)
        let gone: [(Int, RunObservation)] = [(1, .crashed), (1, .restored), (1, .started)]
        let settled =
            [(1, RunObservation.backedUp)] + accepted(1) + accepted(2) + [
                (0, RunObservation.backedUp)
            ]
        #expect(found(settled + [given(1)] + gone + [given(2)] + restored + [given(1)]) == [])
        #expect(found(settled + [given(1)] + gone + [given(2), given(1)]) == ["order"])
        // The receiver, too, went back behind 1; its disk had 2 when the sender went back, and it
        // gave 2 again before it heard of that. (Seed 2364452.)
        let again = settled + [given(1)] + gone + [given(2)]
        let noted: (Int, RunObservation) = (1, .committed(.noted(id(2), nil, value: value(2))))
        let next: [(Int, RunObservation)] = [(1, .crashed), (1, .started), given(2), given(1)]
        #expect(found(again + [noted] + restored + next) == [])
        #expect(found(again + restored + next) == ["order"], "the sender gave 2 before 1")
        #expect(found(again + [noted] + next) == ["order"], "the sender did not go back")
    }

    @Test func an_older_value_after_a_newer_one_is_found() {
        let story: [(Int, RunObservation)] = [
            (0, .accepted(id(1, .context), draft(1, .context))),
            (0, .accepted(id(2, .context), draft(2, .context))),
            (0, .committed(.queued(id(1, .context)))), (0, .committed(.queued(id(2, .context)))),
            (1, .delivered(inbound(2, .context), .applied)),
            (1, .delivered(inbound(1, .context), .applied)),
        ]
        #expect(found(story) == ["last-writer"])
    }

    /// Two values were left pending, and the earlier one was refused first: the one before both
    /// counts again once the later one is refused, which had taken the earlier one's place. (Seeds
    /// 753797 and 13525, sealed.)
    @Test(arguments: [[2, 3], [3, 2]])
    func values_refused_in_any_order_give_way_to_the_one_before(_ order: [UInt64]) {
        let values: [UInt64] = [1, 2, 3]
        // Otherwise a value equal to the one that was applied is not given again.
        let wiped: [(Int, RunObservation)] = [(0, .crashed), (0, .wiped), (0, .started)]
        let accepted: [(Int, RunObservation)] =
            wiped
            + values.map {
                (0, .accepted(id($0, .context), draft($0, .context)))
            }
        let given: [(Int, RunObservation)] = [
            (1, .delivered(inbound(1, .context), .applied)),
            (1, .delivered(inbound(2, .context), .pending)),
            (1, .delivered(inbound(3, .context), .pending)),
        ]
        let refused: [(Int, RunObservation)] = order.map {
            (1, .decided(id($0, .context), .rejected(code: 7)))
        }
        let former = InboundRecord(
            id: id(4, .context), kind: .opaque, key: key, payload: draft(1, .context).payload)
        let again: [(Int, RunObservation)] = [(1, .delivered(former, .applied))]
        #expect(!found(accepted + given + refused + again).contains("last-writer"))
        for (number, one) in zip(order, refused) {
            #expect(
                found(accepted + given + [one] + again).contains("last-writer") == (number == 2))
        }
        let atOnce: [(Int, RunObservation)] = [
            (1, .delivered(inbound(3, .context), .rejected(code: 7)))
        ]
        #expect(found(accepted + given.dropLast() + atOnce + again).contains("last-writer"))
    }

    /// The disk holds the refusal of a value only when that is durable, however late the disk took
    /// note of the value. (Seeds 2002155, 3000631 and 3001058, sealed.)
    @Test func a_refusal_counts_after_a_crash_once_it_is_durable() {
        var story: [(Int, RunObservation)] = []
        for number: UInt64 in [1, 2] {
            let id = id(number, .context)
            story += [
                (0, .accepted(id, draft(number, .context))), (0, .committed(.queued(id))),
                (1, .delivered(inbound(number, .context), .pending)),
            ]
        }
        story.append((1, .decided(id(2, .context), .rejected(code: 7))))
        for number: UInt64 in [1, 2] {
            story.append((1, .committed(.noted(id(number, .context), key, value: value(number)))))
        }
        let refusal: (Int, RunObservation) = (1, .committed(.refusal(id(2, .context), code: 7)))
        let former = InboundRecord(
            id: id(3, .context), kind: .opaque, key: key, payload: draft(1, .context).payload)
        let again: [(Int, RunObservation)] = [
            (1, .crashed), (1, .started), (1, .delivered(former, .applied)),
        ]
        #expect(!found(story + [refusal] + again).contains("last-writer"))
        #expect(found(story + again).contains("last-writer"))
    }

    @Test func a_receiver_that_shows_another_value_in_the_end_is_found() {
        let other: (Int, RunObservation) = (
            0, .holds(.context, key, id(1, .context), value: value(9))
        )
        #expect(found(lawful(1, .context) + [other, ending()]) == ["convergence"])
    }

    @Test func an_equal_complication_twice_in_a_row_is_found() throws {
        func state(_ taken: UInt8) throws -> [UInt8] {
            try ComplicationState(taken: taken, total: 9).encoded()
        }
        func shown(_ number: UInt64, _ taken: UInt8) throws -> (Int, RunObservation) {
            let record = InboundRecord(
                id: id(number, .complication), kind: .complication, key: key,
                payload: try state(taken))
            return (1, .delivered(record, .applied))
        }
        func accepted(_ number: UInt64, _ taken: UInt8) throws -> (Int, RunObservation) {
            let draft = RecordDraft(
                channel: .complication, kind: .complication, key: key, payload: try state(taken))
            return (0, .accepted(id(number, .complication), draft))
        }
        let given = [try accepted(1, 5)]
        #expect(try found(given + [shown(1, 5)]) == [])
        #expect(try found(given + [accepted(2, 5), shown(1, 5), shown(2, 5)]) == ["last-writer"])
        let changed = [try accepted(2, 6), try accepted(3, 5)]
        #expect(try found(given + [shown(1, 5)] + changed + [shown(3, 5)]) == [])
        #expect(try found(given + [shown(1, 9)]) == ["bytes"])
    }

    @Test func a_stage_that_falls_back_is_found() {
        let start: [(Int, RunObservation)] = [
            (0, .accepted(id(1), draft(1))), (0, .event(.progress(id(1), .sent))),
        ]
        #expect(found(start + [(0, .event(.progress(id(1), .queued)))]) == ["stages"])
        #expect(found(start + [(0, .event(.progress(id(1), .sent)))]) == ["stages"])
        #expect(found(lawful(1) + [(0, .event(.settled(id(1), .applied)))]) == ["stages"])
        #expect(found([(0, .event(.progress(id(7), .queued)))]) == ["stages"])
    }

    @Test func an_untrue_outcome_is_found() {
        let given: [(Int, RunObservation)] = [
            (0, .accepted(id(1), draft(1))), (0, .event(.progress(id(1), .queued))),
            (1, .delivered(inbound(1), .applied)),
        ]
        let durable: [(Int, RunObservation)] = [
            (1, .committed(.effect(id(1), nil, value: value(1))))
        ]
        #expect(found(given + [(0, .event(.progress(id(1), .committed)))]) == ["status"])
        #expect(found(given + [(0, .event(.settled(id(1), .applied)))]) == ["status"])
        for outcome in [
            Outcome.cancelled, .expired, .rejected(code: 1), .notDelivered, .unknown,
            .superseded, .outcomeUnknown,
        ] {
            #expect(found(given + durable + [(0, .event(.settled(id(1), outcome)))]) == ["status"])
        }
        let cancelled: [(Int, RunObservation)] = [
            (0, .cancelAsked(id(1))), (0, .event(.settled(id(1), .cancelled))),
        ]
        #expect(found([given[0]] + cancelled) == [])
        #expect(found(given + cancelled + durable) == ["status"])
    }

    @Test func an_expiry_before_its_time_is_found() {
        let expiry = WallTime(milliseconds: 5_000)
        func story(_ clock: Int64) -> [(Int, RunObservation)] {
            [
                (0, .wallClock(WallTime(milliseconds: clock))),
                (0, .accepted(id(1), draft(1, expiresAt: expiry))),
                (0, .event(.progress(id(1), .queued))), (0, .event(.settled(id(1), .expired))),
                ending(),
            ]
        }
        #expect(found(story(4_999)) == ["status"])
        #expect(found(story(5_000)) == [])
    }

    /// The receiver held an equal value under a name that the sender's peer had given.
    /// (Seed 2214027.)
    @Test func an_equal_value_under_another_name_may_stand_for_one_that_was_not_delivered() {
        let (sent, name) = (draft(1, .context), id(1, .context))
        let value = Payloads.fingerprint(sent.kind, sent.payload)
        func story(_ held: UInt64) -> [(Int, RunObservation)] {
            [
                (0, .accepted(name, sent)), (0, .committed(.queued(name))),
                (1, .committed(.effect(id(3, .context), sent.key, value: held))),
                (0, .event(.settled(name, .applied))),
            ]
        }
        #expect(!found(story(value)).contains("nothing-lost"))
        #expect(found(story(value &+ 1)).contains("nothing-lost"))
    }

    @Test func other_bytes_are_found() {
        let sent = inbound(1)
        var payload = sent.payload
        payload[1] = 0
        let other = InboundRecord(id: sent.id, kind: sent.kind, key: sent.key, payload: payload)
        let accepted: (Int, RunObservation) = (0, .accepted(id(1), draft(1)))
        #expect(found([accepted, (1, .delivered(other, .applied))]) == ["bytes"])
        #expect(found([(1, .delivered(inbound(4), .applied))]) == ["bytes"])
    }

    @Test func surplus_and_excess_are_found() {
        #expect(found(lawful(1) + [(0, .outstanding([id(1)]))]) == ["bounds"])
        let accepted: (Int, RunObservation) = (0, .accepted(id(1), draft(1)))
        #expect(found([accepted, (0, .outstanding([id(1), id(1)]))]) == ["bounds"])
        #expect(found([ending(bytes: 100_000_000)]) == ["bounds"])
    }

    @Test func a_link_that_heals_in_vain_is_found() {
        #expect(found([ending(drained: false, outstanding: [id(1)])]) == ["liveness"])
    }

    @Test func a_side_that_trusts_a_dead_direction_is_found() {
        let accepted: [(Int, RunObservation)] = [
            (0, .accepted(id(1), draft(1))), (0, .event(.progress(id(1), .sent))),
        ]
        let committed: [(Int, RunObservation)] = [(0, .event(.progress(id(1), .committed)))]
        func end(_ reachable: Bool) -> (Int, RunObservation) {
            ending(
                drained: false, healed: false, dead: 0, reachable: reachable, outstanding: [id(1)])
        }
        #expect(found(accepted + [end(true)]) == ["liveness"])
        #expect(found(accepted + [end(false)]) == [])
        #expect(found(accepted + committed + [end(true)]) == [])
    }

    /// A later value of its key is committed, and the receipt that settles that one settles both.
    /// (Seed 325971, sealed.)
    @Test func what_waits_with_a_committed_later_value_waits_for_no_link() {
        let ids = [id(1, .context), id(2, .context)]
        let accepted: [(Int, RunObservation)] = (1...2).flatMap { number in
            [
                (0, .accepted(ids[number - 1], draft(UInt64(number), .context))),
                (0, .event(.progress(ids[number - 1], .sent))),
            ] as [(Int, RunObservation)]
        }
        func committed(_ id: RecordID) -> [(Int, RunObservation)] {
            [(0, .event(.progress(id, .committed)))]
        }
        let end = ending(
            drained: false, healed: false, dead: 0, reachable: true, outstanding: ids)
        #expect(found(accepted + [end]) == ["liveness"])
        #expect(found(accepted + committed(ids[1]) + [end]) == [])
        #expect(found(accepted + committed(ids[0]) + [end]) == ["liveness"])
    }

    @Test func a_busy_loop_is_found() {
        #expect(found([ending(inOneMoment: 51)]) == ["spin"])
        #expect(found([ending(quietWakes: 101)]) == ["spin"])
        #expect(found([ending(quietWakes: 100, inOneMoment: 50)]) == [])
    }
}

import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

/// What the simulated world found, each at the lowest rung that shows it.
@Suite struct FoundByTheWorldTests {
    /// A predecessor that was withdrawn says nothing about those before it.
    @Test func a_withdrawn_record_does_not_stand_in_for_the_missing() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.loses = { _ in true }
        let first = try box.phone.peer.send(userInfo("1"), at: box.now)
        let second = try box.phone.peer.send(userInfo("2"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        _ = try box.phone.peer.send(userInfo("3"), at: box.now)
        box.phone.drain(at: box.now)
        // The third arrives; the withdrawal of the second arrives; the first is still missing.
        box.loses = { _ in false }
        box.carry(from: box.phone, to: box.watch)
        box.phone.peer.cancel(second, at: box.now)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.host.delivered.isEmpty)
        box.settle()
        box.advance(by: .seconds(10))
        #expect(box.watch.host.delivered.map { $0.payload } == ["1", "3"].map { Array($0.utf8) })
        #expect(box.phone.status(of: first) == .settled(.applied))
        #expect(box.phone.status(of: second) == .settled(.cancelled))
    }

    @Test func a_refused_value_leaves_the_former_one_held() throws {
        let box = PairInABox()
        box.watch.host.disposition = { $0.payload == [2] ? .rejected(code: 1) : .applied }
        box.connect()
        for byte in [1, 2] as [UInt8] {
            _ = try box.phone.peer.send(
                RecordDraft(
                    lane: .context, kind: .applicationContext, key: RecordKey(rawValue: 1),
                    payload: [byte]), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
        }
        for _ in 0..<3 {
            box.cut()
            box.reconnect()
        }
        #expect(box.watch.host.delivered.map { $0.payload } == [[1], [2]], "nothing comes again")
        box.restart(.watch, epoch: 0x6666)
        box.connect()
        #expect(box.watch.host.delivered.map { $0.payload } == [[1], [2]])
    }

    @Test func receipts_beyond_a_restored_journal_are_no_violation() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(userInfo("kept"), at: box.now)
        box.phone.drain(at: box.now)
        // A second one leaves before its local commit; the crash undoes it here, not there.
        box.phone.commitsAtOnce = false
        _ = try box.phone.peer.send(userInfo("lost here"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x5555)
        _ = try box.phone.peer.send(userInfo("after"), at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        #expect(box.phone.activationState == .activated && box.watch.activationState == .activated)
        #expect(
            box.watch.host.delivered.map { $0.payload }
                == ["kept", "lost here", "after"].map { Array($0.utf8) })
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func sessions_of_no_use_are_not_reopened_at_once() {
        let box = PairInABox()
        var waits: [Duration] = []
        box.connect()
        for _ in 0..<4 {
            box.phone.peer.receive([4, 0x20].span, at: box.now)
            box.phone.drain(at: box.now)
            waits.append(box.phone.nextDeadline.map { box.now.duration(to: $0) } ?? .zero)
            box.now = box.phone.nextDeadline ?? box.now
            box.watch.host.wire = []
            box.phone.host.wire = []
            box.cut()
            box.connect()
        }
        #expect(waits[0] == .zero)
        #expect(waits[1] > .milliseconds(700) && waits[3] > .seconds(2), "\(waits)")
    }

    @Test func a_value_comes_back_to_life_when_its_successor_fails() throws {
        let box = PairInABox()
        box.connect()
        box.loses = { _ in true }
        let first = try box.phone.peer.send(context(1, "first"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        let second = try box.phone.peer.send(context(1, "second"), at: box.now)
        box.phone.peer.cancel(second, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.loses = { _ in false }
        box.cut()
        box.reconnect()
        box.advance(by: .seconds(5))
        #expect(box.phone.status(of: second) == .settled(.cancelled))
        #expect(box.phone.status(of: first) == .settled(.applied))
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("first".utf8)])
    }

    /// A side that hears nothing after the handshake sets no timer in the past.
    @Test func silence_before_the_first_word_is_no_busy_loop() {
        let box = PairInABox()
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.peer.linkUp(.stream, at: box.now)
            side.drain(at: box.now)
        }
        box.carry(from: box.watch, to: box.phone)
        box.watch.host.wire = []
        var wakes = 0
        while let deadline = box.phone.nextDeadline,
            deadline <= Instant(nanoseconds: 11_000_000_000), wakes < 100
        {
            wakes += 1
            box.phone.peer.wake(at: deadline)
            box.phone.drain(at: deadline)
        }
        #expect(wakes < 20, "\(wakes)")
        #expect(box.phone.host.events.contains(.linkClosed(.stalled)))
    }
}

extension FoundByTheWorldTests {
    /// A floor announced before its settlements are durable makes the receiver forget a refusal
    /// that a crash makes the sender ask for again.
    @Test func a_refusal_is_not_taken_for_applied_after_a_crash() throws {
        let box = PairInABox()
        box.watch.host.disposition = { $0.payload == [1] ? .rejected(code: 9) : .applied }
        box.connect()
        let refused = try box.phone.peer.send(
            RecordDraft(lane: .background, kind: .userInfo, payload: [1]), at: box.now)
        box.phone.drain(at: box.now)
        // From here on the phone's journal loses everything.
        box.phone.commitsAtOnce = false
        box.settle()
        #expect(box.phone.status(of: refused) == .underWay(.sent), "not durable, not told")
        _ = try box.phone.peer.send(userInfo("next"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x5555)
        #expect(box.phone.status(of: refused) == .underWay(.queued))
        box.connect()
        #expect(box.phone.status(of: refused) == .settled(.rejected(code: 9)))
    }

    /// A cancellation told before it is durable would be a lie after a crash.
    @Test func a_cancellation_is_told_when_it_is_durable() throws {
        let box = PairInABox()
        let id = try box.phone.peer.send(userInfo("x"), at: box.now)
        box.phone.drain(at: box.now)
        box.phone.commitsAtOnce = false
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        #expect(!box.phone.host.events.contains(.settled(id, .cancelled)))
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        #expect(box.phone.host.events.contains(.settled(id, .cancelled)))
    }

    /// A value a crash can undo here is not shown there.
    @Test func a_newest_value_leaves_only_when_it_is_durable() throws {
        let box = PairInABox()
        box.connect()
        box.phone.commitsAtOnce = false
        _ = try box.phone.peer.send(context(1, "undone"), at: box.now)
        _ = try box.phone.peer.send(userInfo("ordered records may"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.map { $0.id.lane } == [.background])
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.map { $0.id.lane } == [.background, .context])
    }

    @Test func a_refusal_settles_the_older_values_it_has_overtaken() throws {
        let box = PairInABox()
        box.watch.host.disposition = {
            $0.payload == Array("bad".utf8) ? .rejected(code: 1) : .applied
        }
        box.connect()
        box.loses = { _ in true }
        let first = try box.phone.peer.send(context(1, "lost"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.loses = { _ in false }
        let second = try box.phone.peer.send(context(1, "bad"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.cut()
        box.reconnect()
        #expect(box.phone.status(of: second) == .settled(.rejected(code: 1)))
        #expect(box.phone.status(of: first) == .settled(.superseded))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// Half-received records must not wait for room that only their own lost parts can free.
    @Test func turned_away_records_do_not_stop_lost_parts() throws {
        for seed in UInt64(1)...30 {
            var generator = SeededGenerator(seed: seed)
            let box = PairInABox(.bleDatagram)
            var fates: [Bool] = []
            for _ in 0..<4_000 { fates.append(generator.chance(0.2)) }
            box.connect()
            let start = box.carried
            box.loses = { $0 - start < fates.count && fates[$0 - start] }
            for _ in 0..<5 {
                _ = try box.phone.peer.send(
                    RecordDraft(
                        lane: .bulk, kind: .file, payload: Array(repeating: 7, count: 4_000)),
                    at: box.now)
            }
            box.phone.drain(at: box.now)
            box.settle()
            box.advance(by: .seconds(300))
            #expect(box.watch.host.delivered.count == 5, "seed \(seed)")
            #expect(box.phone.outstanding.isEmpty, "seed \(seed)")
        }
    }

    /// Receipts that do not fit beside other frames wait for the next packet; none is forgotten.
    @Test func receipts_with_many_gaps_all_arrive() throws {
        let box = PairInABox(.bleDatagram)
        box.watch.host.disposition = { $0.payload[0].isMultiple(of: 2) ? .pending : .applied }
        box.connect()
        var ids: [RecordID] = []
        for number in UInt8(0)..<200 {
            ids.append(
                try box.phone.peer.send(
                    RecordDraft(lane: .background, kind: .userInfo, payload: [number]), at: box.now)
            )
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(2))
        for id in ids where (id.number.rawValue - 1).isMultiple(of: 2) {
            box.watch.peer.applied(id, at: box.now)
            box.watch.drain(at: box.now)
        }
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.phone.outstanding.isEmpty, "\(box.phone.outstanding.count)")
    }
}

import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

/// Expiry, cancellation, refusal, deltas, credit: what else can become of a record.
@Suite struct RecordFateTests {
    static let carriers: [CarrierTraits] = [.stream, .lossyDatagram]

    @Test func a_record_that_never_left_expires_by_itself() throws {
        let box = PairInABox()
        var draft = userInfo("late")
        draft.expiresAt = WallTime(milliseconds: 5_000)
        let id = try box.phone.peer.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.advance(by: .seconds(6))
        #expect(box.phone.status(of: id) == .settled(.expired))
        box.connect()
        #expect(box.watch.host.delivered.isEmpty)
    }

    @Test(arguments: carriers)
    func one_that_left_is_withdrawn_only_by_the_receivers_word(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.loses = { _ in true }
        let id = try box.phone.peer.send(userInfo("taken back"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        #expect(box.phone.status(of: id) == .underWay(.sent))
        box.loses = { _ in false }
        box.cut()
        box.reconnect()
        box.advance(by: .seconds(5))
        #expect(box.phone.status(of: id) == .settled(.cancelled))
        #expect(box.watch.host.delivered.isEmpty)
        // What follows is not held back by it.
        _ = try box.phone.peer.send(userInfo("next"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("next".utf8)])
    }

    @Test func a_withdrawal_that_comes_too_late_is_answered_truthfully() throws {
        let box = PairInABox()
        box.connect()
        let id = try box.phone.peer.send(userInfo("counts"), at: box.now)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.count == 1)
        #expect(box.phone.status(of: id) == .settled(.applied))
    }

    @Test(arguments: carriers) func a_refusal_is_told_with_its_code(_ carrier: CarrierTraits) throws
    {
        let box = PairInABox(carrier)
        box.watch.host.disposition = { record in
            record.payload == [7] ? .rejected(code: 42) : .applied
        }
        box.connect()
        var ids: [RecordID] = []
        for byte in UInt8(5)...9 {
            ids.append(
                try box.phone.peer.send(
                    RecordDraft(lane: .background, kind: .userInfo, payload: [byte]), at: box.now))
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(
            ids.map { box.phone.status(of: $0) }
                == [.applied, .applied, .rejected(code: 42), .applied, .applied].map {
                    RecordStatus.settled($0)
                })
    }

    @Test func a_pending_record_is_applied_later_also_after_a_restart() throws {
        let box = PairInABox()
        box.watch.host.disposition = { _ in .pending }
        box.connect()
        let id = try box.phone.peer.send(userInfo("slow"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: id) == .underWay(.committed))
        box.restart(.watch, epoch: 0x8888)
        box.watch.host.delivered = []
        box.connect()
        #expect(box.watch.host.delivered.map { $0.id } == [id], "given to the application again")
        #expect(box.phone.status(of: id) == .settled(.applied))
    }

    @Test(arguments: carriers) func a_cancelled_record_between_others_holds_nobody_back(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        var ids: [RecordID] = []
        for number in 0..<5 {
            ids.append(try box.phone.peer.send(userInfo("\(number)"), at: box.now))
        }
        box.phone.drain(at: box.now)
        box.phone.peer.cancel(ids[1], at: box.now)
        box.phone.peer.cancel(ids[3], at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(
            box.watch.host.delivered.map { $0.payload } == ["0", "2", "4"].map { Array($0.utf8) })
        #expect(box.phone.outstanding.isEmpty)
    }

    static func medication(_ instructions: String, minutes: Int) throws -> [UInt8] {
        try LightweightMedication(
            id: MedicationID(rawValue: 5), name: "Metformin",
            dosage: Dosage(strength: "850 mg", form: .tablet), instructions: instructions,
            revision: UInt32(minutes),
            updatedAt: WallTime(milliseconds: 1_772_136_000_000 + Int64(minutes) * 60_000)
        ).encoded()
    }

    @Test(arguments: carriers) func values_travel_as_deltas_once_a_base_is_known(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.advance(by: .seconds(1))
        var sizes: [UInt64] = []
        let text = "Take with food, in the morning, and drink a glass of water"
        for step in 1...12 {
            let before = box.phone.counters.bytesSent
            _ = try box.phone.peer.send(
                RecordDraft(
                    lane: .context, kind: .medication, key: RecordKey(rawValue: 5),
                    payload: try Self.medication(text, minutes: step)), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
            box.advance(by: .seconds(1))
            sizes.append(box.phone.counters.bytesSent - before)
            #expect(
                box.watch.host.delivered.last?.payload == (try Self.medication(text, minutes: step))
            )
        }
        #expect(sizes[0] > 80)
        #expect(sizes[2...].allSatisfy { $0 < 45 }, "\(sizes)")
    }

    @Test func a_receiver_without_the_base_asks_for_the_whole() throws {
        let box = PairInABox()
        box.connect()
        func send(_ step: Int) throws {
            _ = try box.phone.peer.send(
                RecordDraft(
                    lane: .context, kind: .medication, key: RecordKey(rawValue: 5),
                    payload: try Self.medication("Take with food every day", minutes: step)),
                at: box.now)
            box.phone.drain(at: box.now)
        }
        _ = try box.phone.peer.send(userInfo("known"), at: box.now)
        try send(1)
        box.settle()
        try send(2)
        // The watch restarts on a journal that knows the phone's epoch but lost the value.
        var image = JournalImage()
        image.apply(.counterpartEpoch(EpochID(rawValue: 0x1111), rank: 1, parent: nil))
        image.apply(
            .received(
                InboundRecord(
                    id: RecordID(
                        epoch: EpochID(rawValue: 0x1111), lane: .background,
                        number: RecordNumber(1)), kind: .userInfo, key: nil, payload: []), .applied)
        )
        box.restart(.watch, epoch: 0x4444)
        box.watch = BoxSide(box.watch.configuration, epoch: 0x4445, image: image)
        box.connect()
        #expect(
            box.watch.host.delivered.last?.payload
                == (try Self.medication("Take with food every day", minutes: 2)))
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test(arguments: carriers) func credit_bounds_what_is_offered_and_is_raised(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        for number in 0..<5_000 {
            _ = try box.phone.peer.send(userInfo("\(number)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(10))
        #expect(box.watch.host.delivered.count == 5_000)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func a_full_queue_refuses_and_changes_nothing() throws {
        let box = PairInABox { $0.limits.queuedRecords = 3 }
        for number in 0..<3 { _ = try box.phone.peer.send(userInfo("\(number)"), at: box.now) }
        #expect(throws: SendRefusal.queueFull(records: 3)) {
            try box.phone.send(userInfo("4"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.connect()
        #expect(box.watch.host.delivered.count == 3)
    }

    @Test func the_callers_mistakes_are_named() {
        let box = PairInABox()
        let side = box.phone
        let long = RecordDraft(
            lane: .complication, kind: .complication, key: RecordKey(rawValue: 1),
            payload: Array(repeating: 0, count: 5_000))
        #expect(throws: SendRefusal.tooLarge(bytes: 5_000, limit: 4_096)) {
            try side.send(long, at: .zero)
        }
        var keyless = context(1, "x")
        keyless.key = nil
        #expect(throws: SendRefusal.keyMismatch) { try side.send(keyless, at: .zero) }
        var keyed = userInfo("x")
        keyed.key = RecordKey(rawValue: 1)
        #expect(throws: SendRefusal.keyMismatch) { try side.send(keyed, at: .zero) }
        var asking = userInfo("x")
        asking.expectsReply = true
        #expect(throws: SendRefusal.replyOutsideInteractiveLane) {
            try side.send(asking, at: .zero)
        }
        var late = userInfo("x")
        late.expiresAt = WallTime(milliseconds: 0)
        #expect(throws: SendRefusal.alreadyExpired) { try side.send(late, at: .zero) }
    }
}

import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

/// What becomes of a key whose value the receiver could not read. The refusal ends that record, not
/// the key: the sender does not take the value for held, so the next comparison of the set, or the
/// next value, sends what is missing. By itself nothing is repeated: that would be refused again.
@Suite struct RefusedValueTests {
    static let carriers: [CarrierTraits] = [.stream, .bleDatagram]
    static let bad = Array("v 3".utf8)

    /// A pair whose watch cannot read one of ten values.
    private static func box(_ carrier: CarrierTraits) throws -> PairInABox {
        let box = PairInABox(carrier)
        refuse(box)
        box.connect()
        _ = try SynchronizeTests.synchronize(box, SynchronizeTests.values(10))
        box.advance(by: .seconds(1))
        #expect(box.phone.outstanding.isEmpty)
        #expect(held(box).count == 9, "the others are there")
        box.watch.host.delivered = []
        return box
    }

    private static func refuse(_ box: PairInABox) {
        box.watch.host.disposition = { $0.payload == bad ? .rejected(code: 1) : .applied }
    }

    /// What the watch holds, by its journal.
    private static func held(_ box: PairInABox) -> [[UInt8]] {
        box.watch.host.image.values.filter { $0.kind == .applicationContext }.map { $0.payload }
    }

    @Test(arguments: carriers) func the_same_set_is_no_match_and_heals_an_upgraded_receiver(
        _ carrier: CarrierTraits
    ) throws {
        let box = try Self.box(carrier)
        // Still the old program: the one value goes, and is refused, once for each time of asking.
        let again = try SynchronizeTests.synchronize(box, SynchronizeTests.values(10))
        guard case .queued(let ids) = again else {
            Issue.record("a refused value was taken for held: \(again)")
            return
        }
        box.advance(by: .seconds(1))
        #expect(ids.map { box.phone.status(of: $0) } == [.settled(.rejected(code: 1))])
        #expect(box.watch.host.delivered.map { $0.payload } == [Self.bad])
        // The watch comes back with a program that reads it, on the same journal.
        box.restart(.watch, epoch: 0x6666)
        box.watch.host.delivered = []
        box.connect()
        #expect(box.watch.host.delivered.isEmpty, "nothing goes by itself")
        _ = try SynchronizeTests.synchronize(box, SynchronizeTests.values(10))
        box.advance(by: .seconds(1))
        #expect(box.watch.host.delivered.map { $0.payload } == [Self.bad])
        #expect(Self.held(box).count == 10)
        #expect(
            try SynchronizeTests.synchronize(box, SynchronizeTests.values(10))
                == .notModified(isHeld: true))
    }

    @Test(arguments: carriers) func a_newer_value_heals(_ carrier: CarrierTraits) throws {
        let box = try Self.box(carrier)
        var set = SynchronizeTests.values(10)
        set[3].payload = Array("v 3, readable".utf8)
        _ = try SynchronizeTests.synchronize(box, set)
        box.advance(by: .seconds(1))
        #expect(box.watch.host.delivered.map { $0.payload } == [set[3].payload])
        #expect(try SynchronizeTests.synchronize(box, set) == .notModified(isHeld: true))
    }

    /// Whoever restarts, and with or without its journal, a refused value is not taken for held.
    @Test(arguments: [DeviceRole.phone, .watch], [true, false])
    func a_restart_changes_nothing(_ role: DeviceRole, keepsJournal: Bool) throws {
        let box = try Self.box(.stream)
        box.restart(role, epoch: 0x6666, keepsJournal: keepsJournal)
        box.connect()
        box.advance(by: .seconds(1))
        _ = try SynchronizeTests.synchronize(box, SynchronizeTests.values(10))
        box.advance(by: .seconds(1))
        #expect(box.phone.outstanding.isEmpty)
        let isHealed = role == .watch
        #expect(Self.held(box).count == (isHealed ? 10 : 9))
        let result = try SynchronizeTests.synchronize(box, SynchronizeTests.values(10))
        #expect((result == .notModified(isHeld: true)) == isHealed, "\(result)")
    }

    /// A refused value in the middle of changes that travel as deltas: the next ones still arrive
    /// as what they are, on the last value that was taken.
    @Test(arguments: carriers) func deltas_go_on_behind_refused_values(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        var refused: [[UInt8]] = []
        box.connect()
        var sent: [[UInt8]] = []
        for revision in UInt32(1)...8 {
            let payload = try LightweightMedication(
                id: MedicationID(rawValue: 5), name: "Amoxicillin", dosage: Dosage(text: "500 mg"),
                revision: revision, updatedAt: WallTime(milliseconds: Int64(revision) * 60_000)
            ).encoded()
            sent.append(payload)
            if [3, 4, 6].contains(revision) { refused.append(payload) }
            let unreadable = refused
            box.watch.host.disposition = {
                unreadable.contains($0.payload) ? .rejected(code: 1) : .applied
            }
            _ = try box.phone.send(
                RecordDraft(
                    lane: .context, kind: .medication, key: RecordKey(rawValue: 5),
                    payload: payload), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
            box.advance(by: .seconds(1))
        }
        #expect(box.watch.host.delivered.map { $0.payload } == sent)
        #expect(box.phone.outstanding.isEmpty)
        #expect(box.watch.host.image.values.map { $0.payload } == [sent[7]])
    }
}

import Testing
import WatchProto
import WatchSecurity

@Suite struct ComplicationTests {
    static let key = RecordKey(rawValue: 1)

    static func show(_ box: PairInABox, _ byte: UInt8) throws {
        try box.phone.peer.updateComplication(key, [byte], at: box.now)
        box.phone.drain(at: box.now)
    }

    static func shown(_ box: PairInABox) -> [UInt8] {
        box.watch.host.delivered.filter { $0.id.lane == .complication }.map { $0.payload[0] }
    }

    @Test func the_first_goes_at_once_and_those_behind_it_are_joined() throws {
        let box = PairInABox()
        box.connect()
        for byte in UInt8(1)...4 { try Self.show(box, byte) }
        #expect(box.phone.host.wire.count == 1, "one record is under way, three are gathered")
        box.settle()
        #expect(Self.shown(box) == [1, 4], "the confirmation lets the newest follow")
    }

    @Test func equal_states_are_never_sent() throws {
        let box = PairInABox()
        box.connect()
        for byte in [1, 1, 1, 2, 2, 1] as [UInt8] {
            try Self.show(box, byte)
            box.settle()
        }
        #expect(Self.shown(box) == [1, 2, 1])
        #expect(box.phone.counters.complicationsEqual == 3)
    }

    @Test func a_state_taken_back_while_gathered_is_not_sent() throws {
        let box = PairInABox()
        box.connect()
        try Self.show(box, 1)
        try Self.show(box, 2)
        try Self.show(box, 1)
        box.settle()
        #expect(Self.shown(box) == [1])
    }

    @Test func without_a_confirmation_the_gathering_ends_by_time() throws {
        let box = PairInABox()
        box.connect()
        box.loses = { _ in true }
        try Self.show(box, 1)
        try Self.show(box, 2)
        box.settle()
        box.advance(by: .milliseconds(499))
        #expect(box.phone.outstanding.count == 1)
        box.advance(by: .milliseconds(2))
        #expect(box.phone.outstanding.count == 2)
    }

    @Test func five_gathered_updates_end_the_gathering() throws {
        let box = PairInABox()
        box.connect()
        try Self.show(box, 1)
        for byte in UInt8(2)...5 { try Self.show(box, byte) }
        #expect(box.phone.outstanding.count == 1)
        try Self.show(box, 6)
        #expect(box.phone.outstanding.count == 2)
    }

    @Test func the_gate_survives_a_restart() throws {
        let box = PairInABox()
        box.connect()
        try Self.show(box, 1)
        box.settle()
        box.restart(.phone, epoch: 0x5555)
        try Self.show(box, 1)
        box.connect()
        #expect(Self.shown(box) == [1])
        try Self.show(box, 2)
        box.settle()
        #expect(Self.shown(box) == [1, 2])
    }

    @Test func the_budget_is_spent_only_while_nobody_can_answer() throws {
        let box = PairInABox { $0.complicationBudget = 2 }
        box.connect()
        for byte in UInt8(1)...9 {
            try Self.show(box, byte)
            box.settle()
        }
        #expect(box.phone.remaining == 2)
        box.cut()
        try Self.show(box, 20)
        #expect(box.phone.remaining == 1)
        #expect(box.phone.host.events.contains(.remainingComplicationTransfers(1)))
        let tomorrow = WallClock(time: WallTime(milliseconds: 86_400_000))
        box.phone.peer.wallClockChanged(tomorrow, at: box.now)
        #expect(box.phone.remaining == 2)
    }
}

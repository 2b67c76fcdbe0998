import Testing
import WatchSecurity

@testable import FormerCore

/// First flights that come again, or are old: the gate, the counter, and what is in the journal.
@Suite struct EarlyReplayTests {
    /// Everything that was sent is sent again on a later link, to the same process and to the next.
    @Test(arguments: [false, true]) func a_replay_brings_nothing(_ restarts: Bool) throws {
        let box = try SealedPair.apart(.lossyDatagram)
        _ = try box.send(context(1, "old"), from: .phone)
        box.open()
        let captured = box.phone.host.wire
        box.settle()
        box.advance(by: .seconds(5))
        _ = try box.send(context(1, "new"), from: .phone)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.texts == ["old", "new"])
        box.cut()
        // The answers to as many flights are remembered, and the number of the last alone.
        for _ in 0...ReconnectResponder.cacheLimit {
            box.connect()
            box.cut()
        }
        if restarts { box.restart(.watch, epoch: 0x7777) }
        let taken = box.watch.counters.earlyRecordsReceived
        box.open()
        box.watch.host.wire = []
        for bytes in captured { box.watch.peer.receive(bytes.span, at: box.now) }
        box.watch.drain(at: box.now)
        #expect(box.watch.counters.earlyRecordsReceived == taken, "the flight is known to be old")
        box.settle()
        box.advance(by: .seconds(20))
        #expect(box.isActive)
        #expect(box.watch.texts == ["old", "new"])
    }

    /// A phone that was restored counts from where its backup did: its early data is refused once,
    /// and it learns.
    @Test(arguments: earlyCarriers) func a_stale_counter_is_taught(_ carrier: CarrierTraits) throws
    {
        let box = try SealedPair(sealed: carrier)
        let backup = box.phone.host.image
        for round in 0..<3 {
            box.connect()
            _ = try box.send(userInfo("\(round)"), from: .phone)
            box.settle()
            box.cut()
        }
        _ = try box.send(userInfo("3"), from: .phone)
        box.connect()
        box.cut()
        box.restart(.phone, epoch: 0x8888, on: backup)
        let early = box.watch.counters.earlyRecordsReceived
        _ = try box.send(context(8, "not early"), from: .phone)
        box.connect()
        #expect(box.watch.counters.earlyRecordsReceived == early)
        box.cut()
        let count = box.watch.host.delivered.count
        _ = try box.send(context(9, "after"), from: .phone)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.count == count + 1)
        box.cut()
        _ = try box.send(context(9, "early again"), from: .phone)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts.last == "early again")
    }

    /// An older flight that somebody sends behind one that is judged old as well: the counterpart
    /// is taught its number all the same.
    @Test func an_old_flight_behind_a_stale_one_takes_no_lesson_away() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        let backup = box.phone.host.image
        box.open()
        let old = box.phone.host.wire.filter(isFlight)
        box.settle()
        box.cut()
        for _ in 0...ReconnectResponder.cacheLimit {
            box.connect()
            box.cut()
        }
        box.restart(.phone, epoch: 0x8888, on: backup)
        _ = try box.send(userInfo("returned"), from: .phone)
        box.open()
        let new = box.phone.host.wire
        box.phone.host.wire = []
        #expect(new.count >= 2 && !old.isEmpty)
        for bytes in [new[0]] + old + new[1...] {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive && box.phone.counters.earlyPacketsStale > 0)
        #expect(box.watch.texts == ["returned"])
        box.cut()
        _ = try box.send(userInfo("early again"), from: .phone)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts.last == "early again")
    }

    /// The number of a flight is in the journal no later than what it brought.
    @Test func the_gate_is_as_durable_as_the_records() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        _ = try box.send(userInfo("kept"), from: .phone)
        box.watch.commitsAtOnce = false
        box.open()
        box.watch.host.entries = []
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == ["kept"])
        let entries = box.watch.host.entries.flatMap { $0.1 }
        let gate = entries.firstIndex { if case .handshakeTaken = $0 { true } else { false } }
        let record = entries.firstIndex { if case .received = $0 { true } else { false } }
        #expect(try #require(gate) < (try #require(record)))
    }

    /// Numbers are reserved before they are used, and never used twice.
    @Test func numbers_are_reserved_in_the_journal() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        #expect(box.phone.host.image.handshakesReserved > 0)
        let before = box.phone.host.image.handshakesReserved
        box.restart(.phone, epoch: 0x9999)
        box.connect()
        #expect(box.phone.host.image.handshakesReserved > before)
        // Those of the former life are not given again: the watch would refuse what came behind.
        box.cut()
        _ = try box.send(userInfo("after"), from: .phone)
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == ["after"])
    }

    /// A flight that somebody kept, played when nobody is there any more: what has expired since is
    /// not taken.
    @Test func what_has_expired_on_the_way_is_not_taken() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        var draft = userInfo("now")
        draft.expiresAt = WallTime(milliseconds: Int64(box.now.nanoseconds / 1_000_000) + 5000)
        _ = try box.send(draft, from: .phone)
        box.open()
        let kept = box.phone.host.wire
        box.phone.host.wire = []
        box.now = box.now.advanced(by: .seconds(60))
        for bytes in kept { box.watch.peer.receive(bytes.span, at: box.now) }
        box.watch.drain(at: box.now)
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.watch.counters.earlyRecordsReceived == 0)
    }

    /// An old flight between the new one and what follows it changes nothing.
    @Test func an_old_flight_takes_no_place() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        box.open()
        let old = box.phone.host.wire.filter(isFlight)
        box.settle()
        box.cut()
        for _ in 0...ReconnectResponder.cacheLimit {
            box.connect()
            box.cut()
        }
        _ = try box.send(userInfo("new"), from: .phone)
        box.open()
        let new = box.phone.host.wire
        box.phone.host.wire = []
        #expect(new.count >= 2 && !old.isEmpty)
        for bytes in [new[0]] + old + new[1...] {
            box.watch.peer.receive(bytes.span, at: box.now)
        }
        box.watch.drain(at: box.now)
        #expect(box.watch.texts == ["new"])
    }
}

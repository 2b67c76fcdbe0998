import Testing
import WatchSecurity

@testable import FormerCore

/// Early data and the session that follows it, or does not: lost verdicts, sessions that are
/// replaced, flights that are lost or begun afresh, processes and journals that end in between.
@Suite struct EarlySessionTests {
    private func texts(_ count: Int) -> [String] { (0..<count).map { "\($0)" } }

    private func sendAll(_ count: Int, _ box: SealedPair) throws {
        for text in texts(count) { _ = try box.send(userInfo(text), from: .phone) }
    }

    /// The packet with the verdict is lost: what it would have named waits for it, and leaves once.
    @Test(arguments: [DeviceRole.phone, .watch], [false, true])
    func a_lost_verdict_is_said_again(_ sender: DeviceRole, _ losesOne: Bool) throws {
        let box = try SealedPair.apart(.bleDatagram)
        let long = String(repeating: "x", count: 150)
        for index in 0..<4 { _ = try box.send(userInfo("\(index)\(long)"), from: sender) }
        box.open()
        let count = Int(box.side(sender).counters.earlyPacketsSent)
        #expect(count > 1)
        if losesOne {
            let wire = box.side(sender).host.wire
            let index = try #require(wire.lastIndex { isEarly($0) })
            box.side(sender).host.wire.remove(at: index)
        }
        var lost = 0
        box.arrivals = { role, bytes in
            let isLost = role != sender && !isFlight(bytes) && !isEarly(bytes) && lost < 2
            lost += isLost ? 1 : 0
            return isLost ? [] : [bytes]
        }
        box.goOn(for: .seconds(60))
        let receiver = box.side(sender.counterpart)
        #expect(lost == 2 && receiver.counters.earlyVerdictsResent > 0)
        #expect(receiver.texts.map { $0.prefix(1) } == ["0", "1", "2", "3"])
        #expect(box.side(sender).counters.earlyPacketsTaken == UInt64(losesOne ? count - 1 : count))
        #expect(box.side(sender).counters.earlyPacketsReturned == (losesOne ? 1 : 0))
    }

    /// Who owes the verdict, or is owed it, begins anew while the link stays.
    @Test(arguments: [DeviceRole.phone, .watch], [false, true])
    func a_session_is_replaced_while_a_verdict_is_owed(
        _ restarted: DeviceRole, _ isTaken: Bool
    ) throws {
        let box = try SealedPair.apart(.lossyDatagram)
        try sendAll(3, box)
        box.open()
        if !isTaken { box.phone.host.wire.removeAll { isEarly($0) } }
        // Flights cross, and nothing else of the watch does.
        box.arrivals = { role, bytes in role == .watch && !isFlight(bytes) ? [] : [bytes] }
        box.settle()
        #expect(box.phone.counters.earlyPacketsTaken == 0)
        box.arrivals = { [$1] }
        box.replaceProcess(of: restarted, epoch: 0x7777)
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts == texts(3))
    }

    /// Over a link that gives no answer records leave once: behind a fresh flight nothing does.
    @Test func a_fresh_flight_takes_nothing_along() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        try sendAll(3, box)
        box.open()
        let first = box.phone.host.wire
        let mine = box.phone.attempt?.ids.mine
        let sent = box.phone.counters.earlyPacketsSent
        box.loses = { _ in true }
        box.advance(by: .seconds(30))
        #expect(box.phone.attempt?.repetitions ?? 0 >= 4)
        #expect(box.phone.attempt?.ids.mine != mine)
        #expect(box.phone.counters.earlyPacketsSent == sent && sent > 0)
        box.loses = { _ in false }
        // What the first one brought comes now, before the fresh one and behind it.
        for bytes in first { box.watch.peer.receive(bytes.span, at: box.now) }
        box.watch.drain(at: box.now)
        #expect(box.watch.texts == texts(3))
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts == texts(3))
    }

    /// The watch has taken early data of one opening of the phone when another one greets it.
    @Test(arguments: [false, true])
    func another_opening_of_the_counterpart_follows(_ commits: Bool) throws {
        let box = try SealedPair.apart(.lossyDatagram)
        try sendAll(2, box)
        box.watch.commitsAtOnce = commits
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == texts(2))
        box.watch.host.wire = []
        box.replaceProcess(of: .phone, epoch: 0x7777)
        // Its journal lists the records of before, and this opening has one of its own.
        _ = try box.send(userInfo("2"), from: .phone)
        box.carry(from: box.phone, to: box.watch)
        box.watch.commitsAtOnce = true
        box.watch.drain(at: box.now)
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts == texts(3))
    }

    /// The answer's greeting has room for fewer epochs than there are: the places of what left
    /// early hold all the same.
    @Test(arguments: [CarrierTraits.bleDatagram, .lossyDatagram])
    func many_epochs_with_something_left(_ carrier: CarrierTraits) throws {
        let box = try SealedPair.apart(carrier)
        var sent: [String] = []
        for life in 1...5 as ClosedRange<UInt64> {
            for index in 0..<2 {
                _ = try box.send(userInfo("\(life).\(index)"), from: .phone)
                sent.append("\(life).\(index)")
            }
            box.restart(.phone, epoch: 0x7000 + life)
        }
        box.open()
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == Array(sent.prefix(box.watch.texts.count)))
        box.settle()
        // Those a greeting had no room for are listed by the next.
        for _ in 0..<5 where !box.isActive {
            box.cut()
            box.connect()
        }
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts == sent)
    }

    /// The receiver's journal fails after the first packet: nothing of it is acknowledged, and the
    /// next life is given all of it.
    @Test func a_journal_fails_between_early_packets() throws {
        let box = try SealedPair.apart(.bleDatagram)
        let long = String(repeating: "x", count: 150)
        for index in 0..<3 { _ = try box.send(userInfo("\(index)\(long)"), from: .phone) }
        box.watch.commitsAtOnce = false
        box.open()
        box.watch.host.entries = []
        let wire = box.phone.host.wire
        box.phone.host.wire = []
        let second = try #require(wire.indices.filter { isEarly(wire[$0]) }.dropFirst().first)
        for bytes in wire[..<second] {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        #expect(box.watch.host.delivered.count == 1)
        let (receipt, _) = try #require(box.watch.host.entries.first)
        box.watch.peer.failed(receipt, at: box.now)
        box.watch.drain(at: box.now)
        for bytes in wire[second...] {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        #expect(box.watch.host.delivered.count == 1 && box.watch.activationState == .notActivated)
        box.watch.host.delivered = []
        box.restart(.watch, epoch: 0x7777)
        box.connect()
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts.map { $0.prefix(1) } == ["0", "1", "2"])
    }

    /// Both open at once, and one packet after the other is the one that is lost.
    @Test(arguments: 1...8) func one_packet_of_two_openings_is_lost(_ lost: Int) throws {
        let box = try SealedPair.apart(.lossyDatagram)
        try sendAll(2, box)
        _ = try box.send(userInfo("of the watch"), from: .watch)
        box.open()
        let first = box.carried
        box.loses = { $0 == first + lost }
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts == texts(2))
        #expect(box.phone.texts == ["of the watch"])
    }

    /// The link goes right after the records came, time and again: they count, and are not given
    /// again.
    @Test(arguments: earlyCarriers) func the_link_goes_before_the_session(
        _ carrier: CarrierTraits
    ) throws {
        let box = try SealedPair.apart(carrier)
        try sendAll(2, box)
        for _ in 0..<3 {
            box.open()
            box.carry(from: box.phone, to: box.watch)
            #expect(box.watch.texts == texts(2))
            box.cut()
        }
        #expect(box.phone.outstanding.count == 2, "it cannot know")
        box.connect()
        box.goOn(for: .seconds(60))
        #expect(box.watch.texts == texts(2))
    }

    /// What an application hears, in this order.
    @Test func early_records_come_before_activation() throws {
        let box = try SealedPair.apart(.lossyDatagram)
        box.advance(by: .seconds(1))
        box.restart(.phone, epoch: 0x7777)
        try sendAll(1, box)
        box.open()
        box.watch.host.events = []
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.texts == texts(1))
        #expect(box.watch.host.events.isEmpty, "nothing is said of the session yet")
        box.settle()
        let order = box.watch.host.events.filter { event in
            switch event {
            case .activation, .counterpartChanged, .reachability: true
            default: false
            }
        }
        #expect(
            order.prefix(2) == [.activation(.activated), .counterpartChanged(.restarted)])
    }
}

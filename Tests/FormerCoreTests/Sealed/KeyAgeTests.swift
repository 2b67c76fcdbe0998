import Testing
import WatchSecurity

@testable import FormerCore

/// A key of a session is left after an hour, by the next packet that goes out anyway.
@Suite struct KeyAgeTests {
    private static let perKey = SessionSealer.packetsPerKey

    /// The number of the last packet that a side sealed.
    private func lastNumber<Security>(_ side: SideInABox<Security>) -> UInt64 {
        let next = side.peer.repair?.upcomingNumber ?? side.peer.sentPackets
        return next == 0 ? 0 : next - 1
    }

    @Test(arguments: SealedSessionTests.carriers)
    func an_hours_old_key_is_left_on_every_carrier(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        try box.exchange()
        let carried = box.carried
        let dropped = [box.phone, box.watch].map { $0.counters.packetsDropped }
        box.advance(by: .seconds(59 * 60))
        try box.exchange()
        for side in [box.phone, box.watch] {
            #expect(lastNumber(side) < Self.perKey, "it is not an hour old")
        }
        for hour in UInt64(1)...3 {
            box.advance(by: .seconds(61 * 60))
            for _ in 0..<3 {
                try box.exchange()
                box.advance(by: .seconds(1))
            }
            for side in [box.phone, box.watch] {
                let keys = (hour * Self.perKey)..<((hour + 1) * Self.perKey)
                #expect(keys.contains(lastNumber(side)), "hour \(hour)")
                #expect(
                    side.host.events.contains {
                        if case .linkClosed = $0 { true } else { false }
                    } == false)
            }
        }
        #expect(box.carried > carried)
        #expect([box.phone, box.watch].map { $0.counters.packetsDropped } == dropped)
        #expect(box.isActive && box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
    }

    /// The age is that of the session's key, not of the one before it.
    @Test(arguments: SealedSessionTests.carriers)
    func a_session_begins_with_its_first_key(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        try box.exchange()
        box.cut()
        box.advance(by: .seconds(2 * 60 * 60))
        box.connect()
        try box.exchange()
        for side in [box.phone, box.watch] { #expect(lastNumber(side) < Self.perKey) }
    }

    @Test(arguments: SealedSessionTests.carriers)
    func a_quiet_link_is_not_woken_for_it(_ carrier: CarrierTraits) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        try box.exchange()
        box.advance(by: .seconds(60))
        let carried = box.carried
        box.advance(by: .seconds(5 * 60 * 60))
        #expect(box.carried == carried)
    }

    /// Where nothing of the key in use has come back, there is no going on to the next one: the
    /// receiver may not have heard of this one yet.
    @Test func a_key_that_was_not_heard_of_is_kept() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        try box.exchange()
        box.advance(by: .seconds(61 * 60))
        var isDeaf = true
        box.arrivals = { role, bytes in role == .phone && isDeaf ? [] : [bytes] }
        _ = try box.phone.send(userInfo("one"), at: box.now)
        box.phone.drain(at: box.now)
        #expect(lastNumber(box.phone) / Self.perKey == 1)
        // An hour without an answer would close the link: the moment alone is set.
        box.phone.peer.keySince = box.now.advanced(by: .seconds(-2 * 60 * 60))
        _ = try box.phone.send(userInfo("two"), at: box.now)
        box.phone.drain(at: box.now)
        #expect(lastNumber(box.phone) / Self.perKey == 1)
        isDeaf = false
        box.advance(by: .seconds(2))
        let given = box.watch.host.delivered.suffix(2).map { $0.payload }
        #expect(given == ["one", "two"].map { Array($0.utf8) })
        let key = lastNumber(box.phone) / Self.perKey
        box.phone.peer.keySince = box.now.advanced(by: .seconds(-2 * 60 * 60))
        _ = try box.phone.send(userInfo("three"), at: box.now)
        box.phone.drain(at: box.now)
        #expect(lastNumber(box.phone) / Self.perKey == key + 1)
    }

    /// It is the last of its packet, of a sealed session, where numbers are implied.
    @Test(arguments: [CarrierTraits.stream, .lossyDatagram])
    func a_next_key_out_of_place_ends_the_link(_ carrier: CarrierTraits) throws {
        func closes<Security>(_ box: Pair<Security>, _ frames: [UInt8]) -> Bool {
            box.connect()
            if box.phone.peer.repair != nil { box.phone.peer.repair?.sent([], at: box.now) }
            guard let packet = box.phone.peer.sealedPacket(.transport, frames) else { return false }
            box.watch.peer.receive(packet.span, at: box.now)
            box.watch.drain(at: box.now)
            return box.watch.activationState != .activated
        }
        let ping: [UInt8] = [FrameType.ping.rawValue, 1]
        let nextKey = [FrameType.nextKey.rawValue]
        #expect(closes(try SealedPair(sealed: carrier), nextKey + ping))
        #expect(closes(try SealedPair(sealed: carrier), ping + nextKey) == carrier.isLossy)
        #expect(!closes(try SealedPair(sealed: carrier), ping))
        #expect(closes(PairInABox(carrier), ping + nextKey))
    }
}

import Testing
import WatchSecurity

@testable import FormerCore

/// A host that runs out of memory for keys lives: a session keeps its key, or ends and is opened
/// again.
@Suite struct KeyMemoryTests {
    private static let perKey = SessionSealer.packetsPerKey
    private let arena = KeyArena()

    private func pair(_ carrier: CarrierTraits) throws -> SealedPair {
        let box = try SealedPair(sealed: carrier, arena: arena)
        box.connect()
        try box.exchange()
        return box
    }

    private func key<Security>(_ side: SideInABox<Security>) -> UInt64 {
        let next = side.peer.repair?.upcomingNumber ?? side.peer.sentPackets
        return next == 0 ? 0 : (next - 1) / Self.perKey
    }

    private func reasons<Security>(_ side: SideInABox<Security>) -> [LinkCloseReason] {
        side.host.events.compactMap { if case .linkClosed(let reason) = $0 { reason } else { nil } }
    }

    /// Opens the links that are wanted, until all that was accepted is over.
    private func mend(_ box: SealedPair) {
        for _ in 0..<20 where !box.isActive || !(box.phone.outstanding.isEmpty) {
            box.cut()
            box.advance(by: .seconds(60))
            box.connect()
            box.advance(by: .seconds(1))
        }
    }

    @Test(arguments: SealedSessionTests.carriers)
    func an_hours_old_key_goes_on_where_there_is_none_to_follow(_ carrier: CarrierTraits) throws {
        let box = try pair(carrier)
        box.advance(by: .seconds(61 * 60))
        arena.limit(slots: 0)
        for _ in 0..<3 {
            try box.exchange()
            box.advance(by: .seconds(1))
        }
        for side in [box.phone, box.watch] {
            #expect(key(side) == 0 && reasons(side).isEmpty)
        }
        arena.limit(slots: .max)
        for _ in 0..<3 {
            try box.exchange()
            box.advance(by: .seconds(1))
        }
        for side in [box.phone, box.watch] {
            #expect(key(side) == 1 && reasons(side).isEmpty)
        }
    }

    /// There is no number left that the key may have: the link ends, says why, and comes again.
    @Test(arguments: SealedSessionTests.carriers)
    func where_the_numbers_of_a_key_end_the_link_does(_ carrier: CarrierTraits) throws {
        let box = try pair(carrier)
        let last = Self.perKey - 1
        if box.phone.peer.repair != nil {
            box.phone.peer.repair?.skip(to: last)
        } else {
            (box.phone.peer.sentPackets, box.watch.peer.receivedPackets) = (last, last)
        }
        arena.limit(slots: 0)
        let before = box.watch.texts.count
        _ = try box.send(userInfo("the last of its key"), from: .phone)
        box.settle()
        #expect(box.watch.texts.count == before + 1)
        // Where packets are acknowledged there may be one to send already.
        #expect(carrier.isLossy || reasons(box.phone).isEmpty)
        let id = try box.send(userInfo("the first of none"), from: .phone)
        box.settle()
        #expect(reasons(box.phone) == [.noMemory])
        #expect(box.phone.outstanding.contains(id) && box.watch.texts.count == before + 1)
        // As long as there is none, each link ends so, and the process goes on.
        box.cut()
        box.advance(by: .seconds(60))
        box.connect()
        #expect(Set(reasons(box.phone)) == [.noMemory] && !box.isActive)
        arena.limit(slots: .max)
        mend(box)
        #expect(box.isActive && box.phone.outstanding.isEmpty)
        #expect(box.watch.texts.suffix(2) == ["the last of its key", "the first of none"])
    }

    /// Parity would be the first packet of a key: without memory for one it is left out, no number
    /// is used for it and no link ends.
    @Test(arguments: [0, .max]) func parity_without_a_key_is_left_out(slots: Int) throws {
        let box = try pair(.lossyDatagram)
        box.advance(by: .seconds(5))
        var line = MeasuredLine(bytesPerSecond: 100_000, way: .milliseconds(20), at: box.now)
        line.burst(20, lost: 1)
        box.phone.peer.repair?.path = line.path
        box.advance(by: box.now.duration(to: line.now) + .seconds(1))
        box.phone.peer.repair?.skip(to: Self.perKey - 1)
        box.loses = { _ in true }
        let before = box.phone.counters.paritySent
        arena.limit(slots: slots)
        _ = try box.send(userInfo("the last of its key"), from: .phone)
        // Nothing is taken for lost yet.
        box.advance(by: .milliseconds(30))
        let sent = box.phone.counters.paritySent - before
        let next = box.phone.peer.repair?.upcomingNumber ?? 0
        #expect(slots == 0 ? sent == 0 : sent > 0)
        #expect(slots == 0 ? next == Self.perKey : next > Self.perKey)
        #expect(reasons(box.phone).isEmpty)
        arena.limit(slots: .max)
        box.loses = { _ in false }
        box.advance(by: .seconds(5))
        #expect(box.phone.outstanding.isEmpty && box.watch.texts.last == "the last of its key")
    }

    /// Who has no memory to open a packet does not blame its sender.
    @Test func a_receiver_says_so_as_well() throws {
        for carrier in SealedSessionTests.carriers {
            let box = try pair(carrier)
            box.advance(by: .seconds(61 * 60))
            for _ in 0..<2 {
                _ = try box.phone.send(userInfo("next"), at: box.now)
                box.phone.drain(at: box.now)
            }
            #expect(key(box.phone) == 1)
            arena.limit(slots: 0)
            box.settle()
            // Anybody could have sent what a lossy carrier brings: it is dropped, and comes again.
            #expect(reasons(box.watch) == (carrier.isLossy ? [] : [.noMemory]))
            arena.limit(slots: .max)
            mend(box)
            #expect(box.phone.outstanding.isEmpty)
            #expect(box.watch.texts.count { $0 == "next" } == 2)
        }
    }
}

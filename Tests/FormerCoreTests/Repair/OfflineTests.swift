import Testing
import WatchSecurity

@testable import FormerCore

/// What the repair of losses costs where there is nothing to repair: nothing.
@Suite struct OfflineTests {
    @Test(arguments: [CarrierTraits.stream, .seqpacket])
    func carriers_that_cannot_lose_have_no_repair(_ carrier: CarrierTraits) {
        let box = PairInABox(carrier)
        box.connect()
        let hasRepair = box.phone.peer.repair != nil || box.watch.peer.repair != nil
        #expect(!hasRepair)
        let lossy = PairInABox(.lossyDatagram)
        lossy.connect()
        let hasNone = lossy.phone.peer.repair == nil
        #expect(!hasNone)
        lossy.cut()
        let isLeft = lossy.phone.peer.repair != nil
        #expect(!isLeft)
    }

    /// Wakes a phone without a link at each of its deadlines for a day, and counts them. The host
    /// says at once that there is no carrier, or lets the request stand until there is one.
    private func wakesOfADay(
        _ box: PairInABox, saysSo: Bool
    ) throws -> (wakes: Int, requests: Int) {
        let phone = box.phone
        let start = box.now
        let end = start.advanced(by: .seconds(24 * 3600))
        var wakes = 0
        var requests = 0
        func answer(at now: Instant) {
            let wanted = phone.host.events.filter { $0 == .linkWanted }.count
            phone.host.events = []
            requests += wanted
            guard saysSo, wanted > 0 else { return }
            phone.peer.linkDown(CarrierFailure(call: "connect", errorNumber: 111), at: now)
            phone.drain(at: now)
        }
        answer(at: start)
        while let deadline = phone.nextDeadline, deadline <= end, wakes < 100_000 {
            try #require(deadline >= box.now)
            box.now = deadline
            wakes += 1
            phone.peer.wake(at: deadline)
            phone.drain(at: deadline)
            answer(at: deadline)
        }
        #expect(phone.host.wire.isEmpty)
        return (wakes, requests)
    }

    @Test(arguments: [true, false])
    func offline_only_the_reopening_wakes(_ hasQueue: Bool) throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        for number in 0..<30 { try box.send([userInfo("\(number)"), context(3, "\(number)")]) }
        box.advance(by: .seconds(5))
        if hasQueue {
            // Sent, and never confirmed: it waits for the next session.
            box.loses = { _ in true }
            try box.send([userInfo("while the link goes"), context(3, "the newest")])
        }
        box.phone.host.events = []
        let fired = box.phone.counters.timersFired
        box.cut()
        let (wakes, requests) = try wakesOfADay(box, saysSo: true)
        // The longest wait is a minute, shortened by up to a quarter; the first ones double.
        #expect(wakes >= 24 * 60 && wakes <= 24 * 80 + 8, "\(wakes)")
        #expect(requests == wakes)
        #expect(box.phone.counters.timersFired - fired == UInt64(wakes))
        #expect(box.phone.outstanding.count == (hasQueue ? 2 : 0))
    }

    /// A host that knows when a carrier can be had keeps the request until then.
    @Test func a_host_that_waits_for_a_carrier_is_never_woken() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        try box.send([userInfo("before")])
        box.advance(by: .seconds(5))
        box.cut()
        _ = try box.phone.send(userInfo("while there is none"), at: box.now)
        box.phone.drain(at: box.now)
        box.phone.host.events = []
        let (wakes, requests) = try wakesOfADay(box, saysSo: false)
        // After a session the link is wanted again at once.
        #expect(wakes <= 1 && requests <= 1)
        let next = box.phone.nextDeadline
        #expect(next == nil)
    }
}

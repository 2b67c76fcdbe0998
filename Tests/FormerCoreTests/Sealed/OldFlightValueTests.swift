import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A side restored from a backup forgets which first flights it has taken. One that somebody kept
/// and sends again brings it values that are long over, and its own flight may have told before
/// what it holds. (Found by sealed seed 2405221.)
@Suite struct OldFlightValueTests {
    /// What the receiver held when it was backed up, and what came after: by the flight that is
    /// kept, and then.
    enum Story: CaseIterable {
        /// It had heard nothing of the sender.
        case removedByAWipedSide
        /// It held another value.
        case removedByASideThatHeldOne
        /// Its digest looks as if nothing had happened.
        case changedAndBack
    }

    /// A verdict comes again where the packet with it was thought to be lost.
    @Test func a_verdict_that_is_repeated_starts_no_comparison() throws {
        let receiver = try SealedPair(sealed: .lossyDatagram).winner
        let sender = receiver.counterpart
        let box = try SealedPair.apart(.lossyDatagram)
        _ = try box.send(context(7, "kept"), from: sender)
        box.open()
        #expect(box.side(sender).host.wire.contains(where: isEarly))
        let flight = try #require(box.side(sender).earlyFlight)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive && box.side(sender).outstanding.isEmpty)
        func needsAudit(after session: UInt32) -> Bool {
            var taken = NumberRanges()
            taken.insert(0)
            let side = box.side(sender)
            side.peer.receive(EarlyFrame(session: session, verdict: .accepted, taken: taken))
            return side.needsAudit(.context)
        }
        #expect(!needsAudit(after: flight))
        #expect(needsAudit(after: flight &+ 1))
    }

    private func held(_ side: SideInABox<PairedSecurity>) -> [UInt128: String] {
        var held: [UInt128: String] = [:]
        for value in side.host.image.values where !value.kind.isRemoval {
            held[value.key.rawValue] = String(decoding: value.payload, as: UTF8.self)
        }
        return held
    }

    /// - Parameter isFollowed: the sender's newest flight comes as well, with a record behind it:
    ///   one verdict cannot name both.
    @Test(arguments: Story.allCases, [false, true]) func a_value_that_is_over_does_not_stay(
        _ story: Story, _ isFollowed: Bool
    ) throws {
        let receiver = try SealedPair(sealed: .lossyDatagram).winner
        let sender = receiver.counterpart
        let box = try SealedPair.apart(.lossyDatagram)
        let first = story == .removedByAWipedSide ? receiver : sender
        _ = try box.send(context(story == .changedAndBack ? 7 : 6, "first"), from: first)
        box.connect()
        box.advance(by: .seconds(5))
        box.cut()
        let backup = box.side(receiver).host.image
        _ = try box.send(context(7, "kept"), from: sender)
        box.open()
        let flight = box.side(sender).host.wire
        #expect(flight.contains(where: isEarly))
        box.settle()
        box.advance(by: .seconds(5))
        #expect(held(box.side(receiver))[7] == "kept")
        let last = story == .changedAndBack ? context(7, "first") : removal(7)
        _ = try box.send(last, from: sender)
        box.advance(by: .seconds(5))
        #expect(box.isActive && box.side(sender).outstanding.isEmpty)
        var wanted = held(box.side(receiver))
        box.cut()

        box.restart(receiver, epoch: 0x7777, on: backup)
        if isFollowed {
            _ = try box.send(context(9, "now"), from: sender)
            wanted[9] = "now"
        }
        box.open()
        let newest = box.side(sender).host.wire
        #expect(newest.contains(where: isEarly) == isFollowed)
        // The other side's flight is the one that is answered.
        box.side(sender).host.wire = []
        for bytes in flight + (isFollowed ? newest : []) {
            box.side(receiver).peer.receive(bytes.span, at: box.now)
            box.side(receiver).drain(at: box.now)
        }
        #expect(held(box.side(receiver))[7] == "kept", "the old flight was taken")
        box.settle()
        // Where two flights were taken, the receiver greets once more.
        #expect(box.isActive == !isFollowed)
        if isFollowed {
            box.cut()
            box.connect()
        }
        box.advance(by: .seconds(60))
        #expect(box.isActive)
        #expect(held(box.side(receiver)) == wanted)
        // Nor does the sender take it back from there.
        let isHandedBack = box.side(sender).host.events.contains { event in
            if case .handedBack = event { true } else { false }
        }
        #expect(!isHandedBack)
    }
}

import Testing
import WatchSecurity

@testable import FormerCore

/// A peer of this version from before arrivals and parity: the watch gets those frames under types
/// that it does not know, and sends none.
@Suite struct OlderCounterpartTests {
    /// The frames of a packet, each by itself; nil for packets that hold none.
    private static func frames(_ packet: [UInt8]) -> (head: [UInt8], frames: [[UInt8]])? {
        var reader = WireReader(packet.span)
        guard let header = try? DatagramHeader.read(&reader), header.kind == .transport else {
            return nil
        }
        let head = Array(packet[..<reader.offset])
        var frames: [[UInt8]] = []
        while !reader.isAtEnd {
            let start = reader.offset
            guard (try? Frame.read(&reader, limits: Limits())) != nil else { return nil }
            frames.append(Array(packet[start..<reader.offset]))
        }
        return (head, frames)
    }

    private static let unknown: [UInt8: UInt8] = [
        FrameType.arrival.rawValue: 0x44, FrameType.parity.rawValue: 0x45,
    ]

    private static func translated(_ packet: [UInt8], from role: DeviceRole) -> [[UInt8]] {
        guard let (head, frames) = Self.frames(packet) else { return [packet] }
        let told: [[UInt8]] = frames.compactMap { frame -> [UInt8]? in
            guard let type = Self.unknown[frame[0]] else { return frame }
            return role == .phone ? [type] + frame.dropFirst() : nil
        }
        return told.isEmpty ? [] : [head + told.flatMap { $0 }]
    }

    private static func box() -> PairInABox {
        let box = PairInABox(.lossyDatagram)
        box.arrivals = { translated($1, from: $0) }
        return box
    }

    @Test func a_peer_that_knows_neither_loses_nothing() throws {
        for seed in UInt64(1)...12 {
            let box = Self.box()
            box.connect()
            box.advance(by: .seconds(1))
            var generator = SeededGenerator(seed: seed)
            box.loses = { _ in generator.unitInterval() < 0.15 }
            for number in 0..<40 {
                _ = try box.phone.send(userInfo("to the watch \(number)"), at: box.now)
                _ = try box.watch.send(userInfo("to the phone \(number)"), at: box.now)
                box.phone.drain(at: box.now)
                box.watch.drain(at: box.now)
                box.settle()
                box.advance(by: .milliseconds(200))
            }
            for _ in 0..<60 where !(box.phone.outstanding + box.watch.outstanding).isEmpty {
                box.advance(by: .seconds(1))
            }
            #expect(box.phone.outstanding.isEmpty && box.watch.outstanding.isEmpty)
            #expect(
                box.watch.host.delivered.map { $0.payload }
                    == (0..<40).map { Array("to the watch \($0)".utf8) }, "seed \(seed)")
            #expect(
                box.phone.host.delivered.map { $0.payload }
                    == (0..<40).map { Array("to the phone \($0)".utf8) }, "seed \(seed)")
            // It was sent parity, and took none.
            #expect(box.phone.counters.paritySent > 0)
            #expect(box.watch.counters.packetsRestored == 0)
            #expect(box.phone.counters.packetsRestored == 0)
            #expect(box.phone.host.events.allSatisfy { !Self.isClose($0) })
            #expect(box.watch.host.events.allSatisfy { !Self.isClose($0) })
        }
    }

    private static func isClose(_ event: PeerEvent) -> Bool {
        if case .linkClosed = event { true } else { false }
    }

    /// An acknowledgement with an arrival asks such a peer for another one, and that is the end.
    @Test func unknown_frames_are_acknowledged_once_and_then_it_is_quiet() throws {
        let box = Self.box()
        box.connect()
        box.advance(by: .seconds(5))
        try box.send([userInfo("one")])
        box.advance(by: .seconds(5))
        let before = (box.phone.counters.packetsSent, box.watch.counters.packetsSent)
        let quiet = box.carried
        box.advance(by: .seconds(3600))
        #expect(box.carried == quiet)
        // The phone acknowledges what the watch sends, with an arrival, and the watch that.
        _ = try box.watch.send(userInfo("two"), at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(3600))
        #expect(box.phone.counters.packetsSent - before.0 <= 6)
        #expect(box.watch.counters.packetsSent - before.1 <= 6)
        #expect(box.watch.activationState == .activated)
        #expect(box.phone.activationState == .activated)
        #expect(box.watch.outstanding.isEmpty)
    }

    @Test func what_a_peer_does_not_know_it_acknowledges() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.advance(by: .seconds(5))
        let watch = box.watch
        var number = HostileRepairTests.next(watch)
        for type in [UInt8(0x44), 0x45] {
            let frames = HostileRepairTests.bytes([.skipped(type: type, bytes: 3)])
            HostileRepairTests.give(watch, number: number, frames, at: box.now)
            let deadline = try #require(watch.nextDeadline)
            #expect(box.now.duration(to: deadline) <= .milliseconds(20))
            box.now = deadline
            watch.peer.wake(at: deadline)
            watch.drain(at: deadline)
            let answer = try #require(watch.host.wire.last.flatMap { Self.frames($0) })
            #expect(answer.frames.first?.first == FrameType.ack.rawValue)
            watch.host.wire = []
            number += 1
        }
        // One that knows an arrival owes nothing for it.
        let frames = HostileRepairTests.bytes([
            .arrival(ArrivalFrame(microseconds: 1, restoredPackets: 0))
        ])
        HostileRepairTests.give(watch, number: number, frames, at: box.now)
        let isOwed = watch.peer.repair?.ackDeadline != nil
        #expect(!isOwed)
    }
}

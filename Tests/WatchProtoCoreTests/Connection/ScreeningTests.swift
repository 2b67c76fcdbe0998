import Testing

@testable import WatchProtoCore

/// Connections that nobody has vouched for, and the side that looks at them.
@Suite struct ScreeningTests {
    static let carriers: [CarrierTraits] = [
        .stream, CarrierTraits(framing: .datagram(largestBytes: 1 << 16)),
    ]

    /// Opens a carrier of the side's own and gives the packets that leave on it.
    private func dial(
        _ side: inout TestSide, _ carrier: CarrierTraits
    ) -> [[UInt8]] {
        side.connection.activate(at: .zero)
        side.connection.carrierUp(carrier, initiation: .atOnce, at: .zero)
        return side.drain(at: .zero).map { $0.bytes }
    }

    private func collect(_ packets: [[UInt8]], _ carrier: CarrierTraits) -> FirstPacket {
        var first = FirstPacket(carrier.framing, limits: Limits())
        for packet in packets { first.receive(packet.span) }
        return first
    }

    @Test("where both sides dial, one connection stays (C-20, C-42)", arguments: carriers)
    func crossing(_ carrier: CarrierTraits) {
        var pair = toyPair(seed: 60)
        let fromPhone = dial(&pair.sides[0], carrier)
        let fromWatch = dial(&pair.sides[1], carrier)
        var atPhone = collect(fromWatch, carrier)
        var atWatch = collect(fromPhone, carrier)
        // The phone's message 1 goes first.
        let waits = pair.sides[0].connection.screen(&atPhone, on: carrier, at: .zero)
        #expect(waits == .crossed)
        let taken = pair.sides[1].connection.screen(&atWatch, on: carrier, at: .zero)
        #expect(taken == .admitted)
        pair.sides[1].connection.carrierReplaced(by: carrier, at: .zero)
        pair.sides[1].connection.receive(atWatch.received.span, at: .zero)
        for packet in pair.sides[1].drain(at: .zero) {
            pair.sides[0].connection.receive(packet.bytes.span, at: .zero)
        }
        _ = pair.sides[0].drain(at: .zero)
        #expect(pair.sides[0].connection.phase == .established)
        #expect(pair.sides[0].ends.isEmpty)
        #expect(pair.sides[1].ends == [.replaced])
        // The connection that waited is of a message 1 that was given up.
        guard case .answer = pair.sides[0].connection.screen(&atPhone, on: carrier, at: .zero)
        else {
            Issue.record("the connection that waited was not refused as stale")
            return
        }
    }

    @Test("the side that goes first takes the other connection once its own has failed (C-42)")
    func crossingAlone() {
        var pair = toyPair(seed: 61)
        _ = dial(&pair.sides[0], .stream)
        var atPhone = collect(dial(&pair.sides[1], .stream), .stream)
        let waits = pair.sides[0].connection.screen(&atPhone, on: .stream, at: .zero)
        #expect(waits == .crossed)
        // Nothing came of the phone's own: the environment takes the one that waited.
        pair.sides[0].connection.carrierReplaced(by: .stream, at: .zero)
        pair.sides[0].connection.receive(atPhone.received.span, at: .zero)
        for packet in pair.sides[0].drain(at: .zero) {
            pair.sides[1].connection.receive(packet.bytes.span, at: .zero)
        }
        _ = pair.sides[1].drain(at: .zero)
        #expect(pair.sides[1].connection.phase == .established)
    }

    @Test("a stale message 1 is answered, and another one may follow (C-14)", arguments: carriers)
    func stale(_ carrier: CarrierTraits) {
        var pair = toyPair(seed: 62)
        pair.sides[1].connection.highestCounter = 5
        let message = dial(&pair.sides[0], carrier)
        var first = collect(message, carrier)
        let result = pair.sides[1].connection.screen(&first, on: carrier, at: .zero)
        guard case .answer(let refusal) = result else {
            Issue.record("expected a refusal, found \(result)")
            return
        }
        // Early packets behind the refused message 1 mean nothing, whenever they come.
        let early =
            carrier.framing == .stream
            ? StreamFraming.prefix(of: .early, length: 20) + [UInt8](repeating: 1, count: 20)
            : [PacketKind.early.rawValue] + [UInt8](repeating: 1, count: 20)
        for _ in 0..<2 {
            first.receive(early.span)
            let more = pair.sides[1].connection.screen(&first, on: carrier, at: .zero)
            #expect(more == .incomplete)
        }
        pair.sides[0].connection.receive(refusal.span, at: .zero)
        for packet in pair.sides[0].drain(at: .zero) { first.receive(packet.bytes.span) }
        let next = pair.sides[1].connection.screen(&first, on: carrier, at: .zero)
        #expect(next == .admitted)
    }

    @Test("anything else ends the connection (C-41)", arguments: carriers)
    func refused(_ carrier: CarrierTraits) {
        var pair = toyPair(seed: 63)
        var message = dial(&pair.sides[0], carrier)[0]
        message[message.count - 1] ^= 1
        for bytes in [message, [0xFF], [UInt8](repeating: 0xFF, count: 2000)] {
            var first = collect([bytes], carrier)
            let result = pair.sides[1].connection.screen(&first, on: carrier, at: .zero)
            let mayGoOn = carrier.framing == .stream && bytes.count == 1
            #expect(result == (mayGoOn ? .incomplete : .refused(answer: nil)))
        }
    }

    @Test("a side that wants no carrier takes none")
    func unwanted() {
        var pair = toyPair(seed: 64)
        pair.sides[1].connection.carrierReplaced(by: .stream, at: .zero)
        _ = pair.sides[1].drain(at: .zero)
        #expect(pair.sides[1].ends == [.notWanted])
        #expect(pair.sides[1].connection.phase == .down)
    }
}

import Testing

@testable import WatchProtoCore

/// A peer's reactions to packets of its counterpart that break a rule.
@Suite("Packets that break a rule")
struct FrameRuleTests {
    private func pair(_ conditions: PeerPair.Conditions = PeerPair.Conditions()) -> PeerPair {
        let pair = PeerPair(conditions)
        pair.activate()
        let isActive = pair.run { pair.isActive }
        #expect(isActive)
        return pair
    }

    /// Hands frames to the watch, as a packet of the session on a stream.
    private func hand(_ frames: [UInt8], to pair: PeerPair) {
        let packet = StreamFraming.prefix(of: .transport, length: frames.count) + frames
        pair.input(pair.watch) { $0.receive(packet.span, at: $1) }
    }

    private func ends(_ side: PeerPair.Side) -> [ConnectionEnd] {
        var ends: [ConnectionEnd] = []
        for case .linkClosed(let end) in side.events { ends.append(end) }
        return ends
    }

    private func isViolation(_ end: ConnectionEnd?) -> Bool {
        if case .violation = end { return true }
        return false
    }

    private static let record: [UInt8] = [0x10, 0x02, 0, 1, 0, 1, 9]

    @Test("W-5, W-6: a packet with one bad frame has no effect, and ends the session")
    func whole() {
        let pair = pair()
        hand(Self.record + [0x07], to: pair)
        #expect(pair.watch.delivered.isEmpty)
        #expect(isViolation(ends(pair.watch).last))
        let other = self.pair()
        hand(Self.record, to: other)
        #expect(other.watch.payloads == [[9]])
        #expect(ends(other.watch) == [])
    }

    @Test("F-4: a statement without a position is a violation")
    func position() {
        let watermark: [UInt8] = [0x32, 0x02, 0, 1]
        let pair = pair()
        hand(Self.record + watermark, to: pair)
        #expect(isViolation(ends(pair.watch).last))
        let other = self.pair()
        hand(Self.record + [0x08, 1] + watermark, to: other)
        #expect(ends(other.watch) == [])
    }

    @Test(
        "LR-1: where nothing is lost, acks and repair packets are violations, arrivals are not",
        arguments: [
            ([0x04, 0, 0, 1, 0], true), ([0x43, 5, 0, 1, 0, 1, 1], true), ([0x42, 2, 1, 0], false),
        ]
            as [([UInt8], Bool)])
    func lossy(_ frame: [UInt8], _ isForbidden: Bool) {
        let pair = pair()
        hand(frame, to: pair)
        #expect(isViolation(ends(pair.watch).last) == isForbidden)
    }

    @Test("W-1: a carrier of datagrams that are too small is given up at once")
    func datagrams() {
        let pair = PeerPair(.datagrams(bytes: 243))
        pair.activate()
        pair.run(for: .milliseconds(50))
        #expect(ends(pair.phone).first == .datagramTooSmall(bytes: 243, needed: 244))
    }

    @Test("F-7: a key update is announced on carriers that cannot lose alone")
    func keyUpdate() {
        let stream = pair()
        hand([0x06], to: stream)
        #expect(ends(stream.watch) == [])
    }
}

import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A counterpart that says it holds values of this side's, which knows nothing of them.
@Suite struct HostileAuditTests {
    typealias Flood = HostileFloodTests

    /// A phone without a journal whose counterpart, played by the test, greets with digests of what
    /// it holds.
    static func wipedPhone() -> BoxSide {
        let side = BoxSide(
            PeerConfiguration(role: .phone, pairing: PairInABox.pairing, kinds: .product),
            epoch: 0x77)
        side.peer.activate(at: .zero)
        side.peer.linkUp(.stream, at: .zero)
        side.drain(at: .zero)
        var body = WireWriter()
        HandshakePacket(
            version: 0, senderSession: 99, receiverSession: 0,
            flight: GreetingTests.of(.watch, epoch: 5)
        ).write(to: &body)
        HostileBytesTests.give(
            side, StreamFraming.prefix(of: .handshake, length: body.count) + body.bytes)
        side.host.wire = []
        return side
    }

    static func list(_ side: BoxSide, _ keys: Range<Int>) {
        for start in stride(from: keys.lowerBound, to: keys.upperBound, by: 500) {
            var writer = WireWriter()
            HeldFrame(
                lane: .context, total: keys.count, start: start - keys.lowerBound,
                entries: (start..<min(start + 500, keys.upperBound)).map {
                    HeldFrame.Entry(
                        key: RecordKey(rawValue: UInt128($0)), kind: .medication,
                        fingerprintLow: 1)
                }
            ).write(to: &writer)
            Flood.give(side, writer.bytes)
        }
    }

    static func value(
        _ side: BoxSide, key: Int, epoch: UInt64 = 3, number: UInt64 = 1,
        kind: ContentKind = .medication, _ payload: [UInt8]
    ) {
        var writer = WireWriter()
        ValueFrame(
            lane: .context, key: RecordKey(rawValue: UInt128(key)),
            epoch: EpochID(rawValue: epoch), number: number, kind: kind,
            totalBytes: payload.count, offset: 0, bytes: payload
        ).write(to: &writer)
        Flood.give(side, writer.bytes)
        side.host.wire = []
    }

    @Test(arguments: [ContentKind.medication, .notKnown, .medicationRemoval])
    func values_handed_back_end_where_a_receiver_would_hold_no_more(_ kind: ContentKind) {
        let side = Self.wipedPhone()
        #expect(side.activationState == .activated)
        Self.list(side, 0..<400)
        let payload = [UInt8](repeating: 7, count: 60_000)
        var count = 0
        while count < 400, HostileBytesTests.closeReason(side) == nil {
            Self.value(side, key: count, kind: kind, payload)
            count += 1
        }
        let room = Limits().setsHeld * Lane.context.traits.setByteLimit
        let keys = side.peer.outbox.lanes[Int(Lane.context.rawValue)].keys
        #expect(keys.values.reduce(0) { $0 + $1.newestPayload.count } <= room)
        if kind.isRemoval {
            // Of keys that nobody here knows nothing is kept.
            #expect(keys.isEmpty && side.host.image.ownValuesInOrder().isEmpty)
        } else {
            #expect(keys.count >= room / (payload.count + Lane.keyBytes))
            Flood.expectViolation(side, "no more values than two sets of the lane hold")
            #expect(side.host.image.ownValuesInOrder().count == keys.count, "nothing is lost")
        }
    }

    @Test func a_listing_of_more_keys_than_anybody_holds_ends_the_link() {
        let side = Self.wipedPhone()
        Flood.give(side, [0x1A, 0x03] + Flood.varint(16_385) + [0, 0])
        #expect(HostileBytesTests.closeReason(side) != nil)
    }

    /// A number that no record has would be in the journal, which could not be opened again.
    @Test(arguments: [UInt64(0), 1, RecordNumber.largest, RecordNumber.largest + 1, .max])
    func what_is_adopted_can_be_read_from_the_journal(_ number: UInt64) {
        let side = Self.wipedPhone()
        Self.list(side, 1..<2)
        Self.value(side, key: 1, number: number, [1, 2, 3])
        let isNumber = (1...RecordNumber.largest).contains(number)
        #expect((HostileBytesTests.closeReason(side) == nil) == isNumber)
        #expect(side.host.image.ownValuesInOrder().count == (isNumber ? 1 : 0))
    }

    /// A queue shorter than what has to be sent again: the rest follows when it has room.
    @Test(arguments: [false, true]) func what_a_full_queue_refuses_is_sent_again_later(
        _ isWiped: Bool
    ) throws {
        let box = PairInABox { $0.limits.queuedRecords = 3 }
        box.connect()
        func send(_ text: String) throws {
            for key in UInt128(1)...10 {
                _ = try box.phone.peer.send(context(key, text), at: box.now)
                box.phone.drain(at: box.now)
                box.settle()
            }
        }
        try send("old")
        let backup = box.watch.host.image
        try send("new")
        if isWiped {
            box.restart(.watch, epoch: 0x6666, keepsJournal: false)
        } else {
            box.restart(.watch, epoch: 0x6666, on: backup)
        }
        for _ in 0..<4 {
            box.connect()
            box.advance(by: .seconds(5))
            box.cut()
        }
        let values = box.watch.host.image.values.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(values == Array(repeating: "new", count: 10))
    }
}

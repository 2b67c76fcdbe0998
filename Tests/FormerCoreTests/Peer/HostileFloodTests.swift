import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// However much a counterpart sends, and however little it takes, what it can make this side
/// remember ends somewhere; and an honest one is served afterwards.
@Suite struct HostileFloodTests {
    typealias Bytes = HostileBytesTests

    static func varint(_ number: Int) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(UInt64(number))
        return writer.bytes
    }

    /// A value of the context lane under a key of its own.
    static func value(_ number: Int, key: Int, _ payload: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.append([0x10, 0x03, 0x02, 0x00])
        writer.varint(UInt64(number))
        writer.byte(ContentKind.medication.rawValue)
        writer.uint128(UInt128(key))
        writer.block(payload)
        return writer.bytes
    }

    static func give(_ side: BoxSide, _ frames: [UInt8]) {
        Bytes.give(side, StreamFraming.prefix(of: .transport, length: frames.count) + frames)
    }

    /// A watch in a session, to which frames are given in the phone's name.
    static func victim() -> PairInABox {
        let box = PairInABox()
        box.connect()
        return box
    }

    /// Gives frames until the link ends, and how many it took; nil when it never ended.
    static func flood(
        _ side: BoxSide, atMost count: Int, takesAnswers: Bool = true,
        _ frames: (Int) -> [UInt8]
    ) -> Int? {
        for number in 1...count {
            give(side, frames(number))
            if takesAnswers { side.host.wire = [] }
            if Bytes.closeReason(side) != nil { return number }
        }
        return nil
    }

    static func expectViolation(_ side: BoxSide, _ expected: String) {
        guard case .violation(let error) = Bytes.closeReason(side) else {
            Issue.record("no violation: \(String(describing: Bytes.closeReason(side)))")
            return
        }
        #expect(error.expected.description == expected)
    }

    /// A phone that was wiped meets the watch and sends its set.
    static func expectServed(_ box: PairInABox) throws {
        box.watch.host.disposition = { _ in .applied }
        box.watch.host.delivered = []
        box.now = box.now.advanced(by: .seconds(120))
        box.watch.peer.linkDown(CarrierFailure(call: "end", errorNumber: 0), at: box.now)
        box.watch.drain(at: box.now)
        box.watch.host.wire = []
        let configuration = PeerConfiguration(
            role: .phone, pairing: PairInABox.pairing, kinds: .product)
        box.phone = BoxSide(configuration, epoch: 0x7777)
        box.connect()
        for key in 0..<50 {
            let draft = RecordDraft(
                lane: .context, kind: .medication, key: RecordKey(rawValue: UInt128(key) << 64),
                payload: [1])
            _ = try box.phone.peer.send(draft, at: box.now)
            _ = try box.phone.peer.send(userInfo("\(key)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.count == 100)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func keys_that_were_refused_keep_no_place() throws {
        let box = Self.victim()
        box.watch.host.disposition = { _ in .rejected(code: 1) }
        let limits = Limits()
        let end = Self.flood(box.watch, atMost: 70_000) { Self.value($0, key: $0, [0xFF]) }
        #expect(try #require(end) <= limits.exceptions + 1)
        Self.expectViolation(
            box.watch, "fewer records above the floor that were not applied")
        try Self.expectServed(box)
    }

    @Test func keys_that_were_removed_keep_no_place() throws {
        let box = Self.victim()
        let keys = 2 * Limits().setsHeld * Lane.context.traits.setByteLimit / Lane.keyBytes
        for number in 1...keys {
            var removal = Self.value(number, key: number, [])
            removal[4 + Self.varint(number).count] = ContentKind.medicationRemoval.rawValue
            Self.give(box.watch, removal)
            box.watch.host.wire = []
        }
        #expect(Bytes.closeReason(box.watch) == nil)
        #expect(box.watch.host.delivered.count == keys, "none was refused for want of room")
        #expect(box.watch.peer.inbox.lanes[3].keys.count < keys * 3 / 4)
        #expect(box.watch.host.image.values.count == box.watch.peer.inbox.lanes[3].keys.count)
        try Self.expectServed(box)
    }

    @Test func values_beyond_the_room_are_refused_and_not_held() throws {
        let box = Self.victim()
        let payload = [UInt8](repeating: 7, count: 60_000)
        let room = Limits().setsHeld * Lane.context.traits.setByteLimit
        for number in 1...400 { Self.give(box.watch, Self.value(number, key: number, payload)) }
        #expect(Bytes.closeReason(box.watch) == nil)
        #expect(box.watch.host.delivered.count == room / (payload.count + Lane.keyBytes))
        #expect(box.watch.peer.inbox.lanes[3].valueBytes <= room)
        // A value that takes no more than the one before it always has room.
        Self.give(box.watch, Self.value(401, key: 1, [1]))
        #expect(box.watch.host.delivered.last?.payload == [1])
    }

    @Test func bases_beside_the_values_have_a_bound() throws {
        let box = Self.victim()
        let payload = [UInt8](repeating: 7, count: 60_000)
        for key in 1...300 {
            var marked = Self.value(2 * key - 1, key: key, payload)
            marked[1] |= 0x40
            Self.give(box.watch, marked)
            Self.give(box.watch, Self.value(2 * key, key: key, [1]))
        }
        #expect(Bytes.closeReason(box.watch) == nil)
        #expect(box.watch.host.delivered.count == 600)
        #expect(box.watch.peer.inbox.lanes[3].baseBytes <= Lane.context.traits.setByteLimit)
    }

    @Test func withdrawals_with_gaps_end_the_link() throws {
        let box = Self.victim()
        let end = Self.flood(box.watch, atMost: 20_000) { number in
            [0x18, 0x02, 0x00] + Self.varint(3 * number) + [0x00]
        }
        #expect(try #require(end) <= Limits().arrivalRanges + 1)
        Self.expectViolation(box.watch, "fewer gaps between the numbers of a lane")
        try Self.expectServed(box)
    }

    @Test func withdrawals_without_gaps_end_the_link() throws {
        let box = Self.victim()
        let end = Self.flood(box.watch, atMost: 20_000) { number in
            [0x18, 0x02, 0x00] + Self.varint(number) + [0x00]
        }
        #expect(try #require(end) <= Limits().exceptions + 1)
        try Self.expectServed(box)
    }

    @Test func records_with_unknown_handles_end_the_link_of_who_takes_no_answers() throws {
        let box = Self.victim()
        box.watch.host.transmitLimit = 0
        let end = Self.flood(box.watch, atMost: 10_000, takesAnswers: false) { number in
            [0x10, 0x03, 0x04, 0x00] + Self.varint(number) + [0x02, 0x05, 0x00]
        }
        // What one packet holds was about to leave.
        #expect(try #require(end) <= 2 * Limits().requests)
        box.watch.host.transmitLimit = .max
        try Self.expectServed(box)
    }

    @Test func records_turned_away_end_the_link_of_who_takes_no_answers() throws {
        let box = Self.victim()
        box.watch.host.transmitLimit = 0
        let end = Self.flood(box.watch, atMost: 10_000, takesAnswers: false) { number in
            [0x10, 0x02, 0x00, 0x00] + Self.varint(1_000_000 + number) + [0x07, 0x00]
        }
        // What one packet holds was about to leave.
        #expect(try #require(end) <= 2 * Limits().requests)
        box.watch.host.transmitLimit = .max
        try Self.expectServed(box)
    }

    @Test func repeated_flights_and_versions_cost_one_answer_each() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.watch.host.transmitLimit = 0
        var flight = WireWriter()
        DatagramHeader(unnumbered: .handshake).write(to: &flight)
        flight.append([9, 1, 0, 0, 0, 0, 0, 0, 0])
        for _ in 0..<1_000 { Bytes.give(box.watch, flight.bytes) }
        var fresh = WireWriter()
        DatagramHeader(unnumbered: .handshake).write(to: &fresh)
        HandshakePacket(
            version: 0, senderSession: 77, receiverSession: 0,
            flight: GreetingTests.of(.phone, epoch: 5)
        ).write(to: &fresh)
        for _ in 0..<1_000 { Bytes.give(box.watch, fresh.bytes) }
        box.watch.host.transmitLimit = .max
        box.watch.drain(at: box.now)
        #expect(box.watch.host.wire.count <= 4)
        #expect(box.watch.activationState == .activated)
    }

    @Test func one_byte_parts_in_any_order_cost_their_bytes() throws {
        let box = Self.victim()
        let limits = Limits()
        for step in 0..<(3 * limits.partsAhead) {
            let offset = 4_000_000 - 2 * step
            let frames =
                [0x11, 0x04, 0x00, 0x01] + Self.varint(4_000_060) + Self.varint(offset) + [1, 0xAA]
            Self.give(box.watch, frames)
            box.watch.host.wire = []
        }
        #expect(Bytes.closeReason(box.watch) == nil)
        #expect(box.watch.peer.inbox.lanes[4].assemblies.count <= limits.assemblies)
    }
}

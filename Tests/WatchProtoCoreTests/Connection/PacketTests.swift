import Testing

@testable import WatchProtoCore

/// The bytes of packets: rules C-1 to C-8.
@Suite struct PacketTests {
    private func written(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }

    @Test("each packet is read as it was written, and no part of it is")
    func roundTrips() throws {
        let id = ConnectionID(rawValue: 0xDEAD_BEEF)
        let limits = Limits()
        let initiation = InitiationPacket(version: 1, connectionID: id, body: [1, 2, 3])
        let response = ResponsePacket(connectionID: id, body: [4, 5])
        let refusal = RefusalPacket(connectionID: id, highest: 77, mac: 1 << 100)
        let reset = ResetPacket(connectionID: id, token: 1 << 90)
        let advisory = AdvisoryPacket(version: 2, code: .pairing)
        var bytes = written { initiation.write(to: &$0) }
        var reader = WireReader(bytes.span)
        #expect(try InitiationPacket.read(&reader) == initiation)
        bytes = written { response.write(to: &$0) }
        var second = WireReader(bytes.span)
        #expect(try ResponsePacket.read(&second) == response)
        for cut in 0...RefusalPacket.byteCount + 1 {
            bytes = written { refusal.write(to: &$0) } + [0]
            var third = WireReader(bytes.span.extracting(0..<cut))
            let found = try? RefusalPacket.read(&third)
            #expect(found == (cut == RefusalPacket.byteCount ? refusal : nil))
        }
        for cut in 0...ResetPacket.byteCount + 1 {
            bytes = written { reset.write(to: &$0) } + [0]
            var fourth = WireReader(bytes.span.extracting(0..<cut))
            let found = try? ResetPacket.read(&fourth)
            #expect(found == (cut == ResetPacket.byteCount ? reset : nil))
        }
        for cut in 0...3 {
            bytes = written { advisory.write(to: &$0) } + [0]
            var fifth = WireReader(bytes.span.extracting(0..<cut))
            #expect((try? AdvisoryPacket.read(&fifth)) == (cut == 2 ? advisory : nil))
        }
        let long = [UInt8](repeating: 0, count: limits.handshakeBytes + 6)
        var sixth = WireReader(long.span)
        #expect(throws: WireError.self) { try InitiationPacket.read(&sixth) }
    }

    @Test("payloads of handshake messages are read as they were written")
    func payloads() throws {
        let first = InitiationPayload(epoch: EpochID(rawValue: 3), hello: [1, 2])
        #expect(try InitiationPayload.read(first.encoded) == first)
        for counter in [0, 127, 128, HandshakeCounterLimit.largest] as [UInt64] {
            let second = ResponsePayload(
                connectionID: ConnectionID(rawValue: 9), epoch: EpochID(rawValue: 4),
                keepsTicket: counter == 0, counter: counter, hello: [5])
            #expect(try ResponsePayload.read(second.encoded) == second)
            #expect(second.encoded.count <= ResponsePayload.largestHeadBytes + 1)
            for cut in 0..<14 where counter > 0 {
                #expect(throws: WireError.self) {
                    try ResponsePayload.read(Array(second.encoded.prefix(cut).prefix(13)))
                }
            }
            var wrong = second.encoded
            wrong[12] = 2
            #expect(throws: WireError.self) { try ResponsePayload.read(wrong) }
        }
    }

    @Test("pairing packets have three forms")
    func pairing() throws {
        let packets: [PairingPacket] = [
            .message([1]), .messageWithCookie(5, [UInt8](repeating: 2, count: 127)), .cookie(9),
        ]
        for packet in packets {
            let bytes = written { packet.write(version: 1, to: &$0) }
            var reader = WireReader(bytes.span)
            let found = try PairingPacket.read(&reader)
            #expect(found.packet == packet && found.version == 1)
            var short = WireReader(bytes.span.extracting(0..<2))
            #expect(throws: WireError.self) { try PairingPacket.read(&short) }
        }
        let long = [1, 0] + [UInt8](repeating: 2, count: 128)
        var reader = WireReader(long.span)
        #expect(throws: WireError.self) { try PairingPacket.read(&reader) }
    }

    @Test("a header names kind, session, number and key phase, and has one form (C-1)")
    func headers() throws {
        for kind in [PacketKind.transport, .early] {
            for (number, acknowledged, bytes) in [
                (0, nil, 2), (1 << 14, nil, 4), (1 << 20, (1 << 20) - 5, 2), (5, 9, 2),
            ] as [(UInt64, UInt64?, Int)] {
                let header = DatagramHeader(
                    kind: kind, connectionID: ConnectionID(rawValue: 1), number: number,
                    largestAcknowledged: acknowledged, keyPhase: number > 9)
                #expect(header.numberBytes == bytes)
                let written = written { header.write(to: &$0) }
                #expect(written.count == 5 + bytes)
                var reader = WireReader(written.span)
                let found = try DatagramHeader.read(&reader, isLossy: true)
                #expect(found.kind == kind && found.connectionID == header.connectionID)
                #expect(found.keyPhase == header.keyPhase)
                #expect(found.number(near: number > 3 ? number - 3 : nil) == number)
            }
        }
        for first in 0...255 as ClosedRange<UInt8> {
            let bytes = [first] + [UInt8](repeating: 0, count: 8)
            for isLossy in [false, true] {
                var reader = WireReader(bytes.span)
                let found = try? DatagramHeader.read(&reader, isLossy: isLossy)
                let isNumbered = isLossy && first & 7 < 2
                #expect((found != nil) == (first & 0xE0 == 0 && (isNumbered || first & 0x18 == 0)))
            }
        }
    }

    @Test("a cut number is completed near the largest received (RFC 9000, A.3)")
    func numbers() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let largest = random.uniform(in: 0...1 << 40)
            let number = random.uniform(in: (largest > 8000 ? largest - 8000 : 0)...largest + 8000)
            var header = DatagramHeader(
                kind: .transport, connectionID: ConnectionID(rawValue: 1), number: number,
                largestAcknowledged: largest > 8000 ? largest - 8000 : 0)
            header.number &= (1 << UInt64(8 * header.numberBytes)) - 1
            #expect(header.number(near: largest) == number)
        }
    }

    @Test("packets on a stream are found in chunks of any size, and lengths have a bound")
    func framing() throws {
        var framing = StreamFraming(limitBytes: 100)
        let packets = (0..<50).map { count in
            StreamFraming.prefix(of: .transport, length: count)
                + [UInt8](repeating: 7, count: count)
        }
        let stream = packets.flatMap { $0 }
        var random = SeededGenerator(seed: 4)
        var found: [Int] = []
        var start = 0
        while start < stream.count {
            let end = min(stream.count, start + Int(random.uniform(in: 1...40)))
            let chunk = Array(stream[start..<end])
            let whole = framing.take(chunk.span)
            var place = 0
            while let next = try framing.find(in: whole.span, from: place) {
                found.append(next.body.count)
                place = next.body.upperBound
            }
            framing.keep(whole.span.extracting(place..<whole.count))
            start = end
        }
        #expect(found == Array(0..<50))
        let long = StreamFraming.prefix(of: .early, length: 101)
        #expect(throws: WireError.self) { try framing.find(in: long.span, from: 0) }
        let endless: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x80]
        #expect(throws: WireError.self) { try framing.find(in: endless.span, from: 0) }
    }

    @Test("no bytes that anybody sends stop a connection in any state")
    func randomBytes() {
        var random = SeededGenerator(seed: 9)
        for phase in ConnectionPhase.allCases {
            var pair = ConnectionTableTests.pair(in: phase)
            let kept = pair.capture.map { $0.bytes }
            for round in 0..<3000 {
                var bytes = (0..<Int(random.uniform(in: 0...80))).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
                if round % 2 == 0, let some = kept.randomElement(using: &random), !some.isEmpty {
                    bytes = Array(some.prefix(Int(random.uniform(in: 0...UInt64(some.count)))))
                    if !bytes.isEmpty { bytes[bytes.count / 2] ^= 1 }
                }
                pair.inject(bytes, to: .phone, from: TestPair.watchAddress)
            }
            #expect(pair.sides[0].connection.counters.initiationsOpened <= 1, "\(phase)")
        }
    }
}

import Articles
import ControlKit
import Foundation
import Testing
import WatchProtoRecords

@testable import FormerCore

/// The vectors of everything around frames.
@Suite struct PacketVectorTests {
    @Test func golden_bytes_do_not_change() throws {
        let written = PacketVector.golden.map(\.json)
        #expect(
            try FixtureFiles.vectors("packets/golden.json", written) == written,
            "the wire has changed: that needs a new version")
        #expect(written.count > 30)
    }

    @Test func golden_bytes_are_read_as_what_they_were_made_from() throws {
        for (name, greeting) in PacketExamples.greetings {
            let read = try Greeting.decode(greeting.encoded().span, limits: Limits())
            #expect(read == greeting, "\(name)")
        }
        for (name, packet) in PacketExamples.handshakes {
            var writer = WireWriter()
            packet.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            let read = try HandshakePacket.read(&reader, limits: Limits())
            #expect(read == packet, "\(name)")
        }
        for (kind, length) in PacketExamples.prefixes {
            let prefix = StreamFraming.prefix(of: kind, length: length)
            let bytes = prefix + [UInt8](repeating: 0, count: length)
            let framing = StreamFraming(limitBytes: Limits().streamPacketBytes)
            let found = try framing.find(in: bytes.span, from: 0)
            #expect(found?.kind == kind && found?.body == prefix.count..<bytes.count)
        }
        for (name, header) in PacketExamples.headers {
            var writer = WireWriter()
            header.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            let read = try DatagramHeader.read(&reader)
            #expect(read == header, "\(name)")
        }
        for (largest, number, count) in PacketExamples.numbers {
            var header = DatagramHeader(unnumbered: .transport)
            header.numberBytes = count
            header.number = number & ((1 << UInt64(8 * count)) - 1)
            #expect(header.number(near: largest) == number, "\(number) near \(largest ?? 0)")
        }
    }

    @Test func what_must_be_rejected_is() throws {
        let written = RejectedPacket.all.map(\.json)
        #expect(try FixtureFiles.vectors("packets/rejected.json", written) == written)
        for vector in RejectedPacket.all {
            let refusal = vector.refusal()
            #expect(refusal?.rule == vector.rule, "\(vector.kind): \(vector.name)")
            #expect(refusal?.offset == vector.offset, "\(vector.kind): \(vector.name)")
        }
    }

    /// A session whose id has a low half of 0 would get packets whose hint says "no hint".
    @Test func this_side_never_draws_a_session_id_with_a_low_half_of_zero() throws {
        for epoch in UInt64(1)...200 {
            let side = BoxSide(
                PeerConfiguration(role: .phone, pairing: PairInABox.pairing, kinds: .product),
                epoch: epoch)
            side.peer.activate(at: .zero)
            side.drain(at: .zero)
            side.peer.linkUp(.seqpacket, at: .zero)
            side.drain(at: .zero)
            let datagram = try #require(side.host.wire.first)
            var reader = WireReader(datagram.span)
            _ = try DatagramHeader.read(&reader)
            let session = try HandshakePacket.read(&reader, limits: Limits()).senderSession
            #expect(session & 0xFFFF != 0)
        }
    }
}

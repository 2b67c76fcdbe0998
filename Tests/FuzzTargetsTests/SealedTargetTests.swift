import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import FuzzTargets

/// The targets of what attackers say notice one who is none: the code, or the keys, are known here.
@Suite struct SealedTargetTests {
    private static func input(_ options: UInt8, _ packets: [[UInt8]]) throws -> [UInt8] {
        var bytes = [options]
        for packet in packets {
            try #require(packet.count < 255)
            bytes += [UInt8(packet.count)] + packet
        }
        return bytes
    }

    @Test(arguments: [0, 1] as [UInt8]) func somebody_who_knows_the_code_is_noticed(
        options: UInt8
    ) throws {
        let carrier = FuzzTarget.carrier(options)
        // The target's own side, once more: what it answers follows from its seed.
        var watch = PairingLink(
            PairingIdentity(role: .watch, device: DeviceID(rawValue: 7)),
            random: RandomSource(seed: 7))
        var phone = PairingLink(
            PairingIdentity(role: .phone, device: DeviceID(rawValue: 8)),
            random: RandomSource(seed: 9))
        let code = try watch.showCode(at: .zero)
        try phone.enterCode(code, at: .zero)
        watch.linkUp(carrier, at: .zero)
        phone.linkUp(carrier, at: .zero)
        let source = carrier.isLossy ? PathAddress(host: 1, port: 2) : nil
        var said: [[UInt8]] = []
        for _ in 0..<10 {
            for packet in phone.takeOutgoing() {
                said.append(packet.bytes)
                watch.receive(packet.bytes.span, from: source, at: .zero)
            }
            for packet in watch.takeOutgoing() {
                phone.receive(packet.bytes.span, from: source, at: .zero)
            }
            for event in phone.takeEvents() {
                if case .confirm = event { _ = phone.confirm(at: .zero) }
            }
        }
        let complaint = FuzzTarget.named("pairing").complaint(try Self.input(options, said))
        #expect(complaint == "somebody who does not know the code is to be confirmed")
        // Without its last message nothing is shown.
        let short = try Self.input(options, said.dropLast())
        #expect(FuzzTarget.named("pairing").complaint(short) == nil)
    }

    /// The counterpart's frames get through: one that ends the link does.
    @Test(arguments: [0, 1, 2, 3] as [UInt8]) func the_counterpart_is_heard(
        options: UInt8
    ) throws {
        let pair = PairedFuzz(try SimulatedPair(seed: 5), options)
        try #require(pair.open(hello: nil))
        pair.say([FrameType.ping.rawValue, 1])
        #expect(pair.closed == nil)
        if options & 1 == 0 {
            // A carrier without numbers in its headers goes on with the key that was announced.
            pair.say([FrameType.keyUpdate.rawValue])
            pair.say([FrameType.ping.rawValue, 2])
            #expect(pair.closed == nil)
        }
        pair.say([FrameType.close.rawValue, 0])
        #expect(pair.closed == .counterpart(.normal))
        #expect(pair.reopen() && pair.sessions == 2)
        // Half a frame.
        pair.say([FrameType.ping.rawValue])
        guard case .violation = pair.closed else {
            Issue.record("\(String(describing: pair.closed))")
            return
        }
        #expect(pair.reopen() && pair.complaint(byteCount: 3) == nil)
        #expect(pair.complaintAfterRestart() == nil)
    }

    /// A hostile hello gets through to the peer, which refuses it.
    @Test func the_hello_of_the_counterpart_is_read() throws {
        let pair = PairedFuzz(try SimulatedPair(seed: 5), 0)
        #expect(!pair.open(hello: [0xFF]))
        guard case .violation = pair.closed else {
            Issue.record("\(String(describing: pair.closed))")
            return
        }
    }
}

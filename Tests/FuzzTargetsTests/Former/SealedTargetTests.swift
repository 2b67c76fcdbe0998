import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

@testable import FuzzTargets

/// The targets of what strangers say notice one who is none: the code, or the keys, are known here.
@Suite struct SealedTargetTests {
    private static func input(_ options: UInt8, _ packets: [[UInt8]]) throws -> [UInt8] {
        var bytes = [options]
        for packet in packets {
            try #require(packet.count < 255)
            bytes += [UInt8(packet.count)] + packet
        }
        return bytes
    }

    @Test(arguments: [0, 1] as [UInt8]) func who_knows_the_code_is_noticed(
        options: UInt8
    ) throws {
        let carrier: CarrierTraits =
            options == 0
            ? .stream : CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true)
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
        var said: [[UInt8]] = []
        for _ in 0..<10 {
            for packet in phone.takeOutgoing() {
                said.append(packet)
                watch.receive(packet.span, at: .zero)
            }
            for packet in watch.takeOutgoing() { phone.receive(packet.span, at: .zero) }
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

    @Test func who_has_the_keys_is_noticed() throws {
        let devices = try SimulatedPair(seed: 5)
        var host = FuzzHost()
        var image = JournalImage()
        image.apply(.handshakesReserved(64))
        var phone = Peer(
            PeerConfiguration(role: .phone, pairing: PairingID(rawValue: 0xABCD), kinds: .product),
            restoring: image, freshEpoch: EpochID(rawValue: 0x2222),
            security: devices.security(of: .phone, life: 1),
            clock: WallClock(time: WallTime(milliseconds: 0)), at: .zero)
        let draft = RecordDraft(lane: .background, kind: .userInfo, payload: [9])
        _ = try phone.send(draft, at: .zero)
        phone.activate(at: .zero)
        phone.drain(into: &host)
        while !host.batches.isEmpty {
            let (receipt, _) = host.batches.removeFirst()
            phone.committed(receipt, at: .zero)
            phone.drain(into: &host)
        }
        phone.linkUp(
            CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true), at: .zero)
        phone.drain(into: &host)
        #expect(host.wire.count == 4, "a first flight, early data behind it, both once more")
        let said = try Self.input(1, Array(host.wire.prefix(2)))
        #expect(FuzzTarget.named("sealed-peer").complaint(said) == "a record without keys")
        var altered = said
        altered[100] ^= 1
        #expect(FuzzTarget.named("sealed-peer").complaint(altered) == nil)
    }

    /// The counterpart's frames get through: one that ends the link does, and a record is taken.
    @Test(arguments: [0, 1, 2, 3] as [UInt8]) func the_counterpart_is_heard(
        options: UInt8
    ) throws {
        let devices = try SimulatedPair(seed: 5)
        let pair = try #require(PairedFuzz(devices, options))
        let sessions = pair.sessions
        pair.say([FrameType.ping.rawValue, 1])
        #expect(pair.closed == nil)
        if options & 1 == 0 {
            // What has no numbers in its headers goes on with the key that was announced.
            pair.say([FrameType.nextKey.rawValue])
            pair.say([FrameType.ping.rawValue, 2])
            #expect(pair.closed == nil)
        }
        pair.say([FrameType.close.rawValue, 0])
        #expect(pair.closed == .counterpart(.normal))
        #expect(pair.mend() && pair.sessions == sessions + 1)
        // Half a frame.
        pair.say([FrameType.ping.rawValue])
        guard case .violation = pair.closed else {
            Issue.record("\(String(describing: pair.closed))")
            return
        }
        #expect(pair.mend() && pair.complaint(byteCount: 3) == nil)
        #expect(pair.complaintAfterRestart() == nil)
    }
}

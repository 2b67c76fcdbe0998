import WatchProto
import WatchProtoRecords
import WatchSecurity

/// What strangers can say to a device that pairs, or that has paired: none of it may pair, open a
/// session or bring a record, and none of it costs more than a few times its length.
///
/// The first byte says how: its lowest bit the carrier, the next the side. Then come packets, each
/// behind a byte with its length; a length of 255 lets a second pass.
extension FuzzTarget {
    /// A device that shows a code, or has entered one, and a counterpart that does not know it.
    static let pairing = FuzzTarget("pairing") { bytes in
        guard let options = bytes.first else { return nil }
        let role: DeviceRole = options & 2 == 0 ? .watch : .phone
        var link = PairingLink(
            PairingIdentity(role: role, device: DeviceID(rawValue: 7)),
            random: RandomSource(seed: 7))
        var now = Instant.zero
        guard let code = PairingCode("482913") else { return "six digits are no code" }
        if role == .watch {
            guard (try? link.showCode(at: now)) != nil else { return "no code is shown" }
        } else {
            guard (try? link.enterCode(code, at: now)) != nil else { return "no code is taken" }
        }
        let carrier = Self.carrier(options)
        var packets = 0
        for step in Self.steps(bytes.dropFirst()) {
            if link.wantsLink { link.linkUp(carrier, at: now) }
            switch step {
            case .second:
                now = now.advanced(by: .seconds(1))
                link.wake(at: now)
            case .packet(let packet): link.receive(packet.span, at: now)
            }
            packets += link.takeOutgoing().count
            for event in link.takeEvents() {
                switch event {
                case .confirm: return "somebody who does not know the code is to be confirmed"
                case .store: return "somebody who does not know the code was paired"
                default: break
                }
            }
            if link.mustClose { link.linkDown(at: now) }
        }
        // A flight, an answer and its repetitions each; a code that is burnt makes another.
        return packets > 8 + 8 * bytes.count ? "\(packets) packets for \(bytes.count) bytes" : nil
    }

    /// A paired device, and a counterpart without its keys.
    static let sealedPeer = FuzzTarget("sealed-peer") { bytes in
        guard let options = bytes.first else { return nil }
        guard let devices else { return "two devices do not pair" }
        let role: DeviceRole = options & 2 == 0 ? .watch : .phone
        let configuration = PeerConfiguration(
            role: role, pairing: PairingID(rawValue: 0xABCD), kinds: .product)
        var host = FuzzHost()
        var now = Instant.zero
        // It has met its counterpart: else it would take nothing early.
        var image = JournalImage()
        image.apply(.handshakeTaken(1))
        var peer = Peer(
            configuration, restoring: image, freshEpoch: EpochID(rawValue: 0x1111),
            security: devices.security(of: role, life: 1),
            clock: WallClock(time: WallTime(milliseconds: 0)), at: now)
        func drain() {
            peer.drain(into: &host)
            while !host.batches.isEmpty {
                let (receipt, _) = host.batches.removeFirst()
                peer.committed(receipt, at: now)
                peer.drain(into: &host)
            }
        }
        let draft = RecordDraft(lane: .background, kind: .userInfo, payload: [1, 2, 3])
        guard let id = try? peer.send(draft, at: now) else { return "a record is refused" }
        peer.activate(at: now)
        peer.linkUp(Self.carrier(options), at: now)
        drain()
        for step in Self.steps(bytes.dropFirst()) {
            switch step {
            case .second:
                now = now.advanced(by: .seconds(1))
                peer.wake(at: now)
            case .packet(let packet): peer.receive(packet.span, at: now)
            }
            drain()
            if host.closed != nil {
                host.closed = nil
                peer.linkDown(CarrierFailure(call: "read", errorNumber: 104), at: now)
                peer.linkUp(Self.carrier(options), at: now)
                drain()
            }
            if peer.activationState == .activated { return "a session without keys" }
        }
        if !host.delivered.isEmpty { return "a record without keys" }
        if case .underWay(let stage) = peer.status(of: id), stage < .received {
            return host.outputs > 64 + 64 * bytes.count
                ? "\(host.outputs) outputs for \(bytes.count) bytes" : nil
        }
        return "a receipt without keys"
    }

    /// Pairing takes longer than all else here: once.
    static let devices = try? SimulatedPair(seed: 5)

    static func carrier(_ options: UInt8) -> CarrierTraits {
        options & 1 == 0
            ? .stream : CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true)
    }

    enum Step {
        case packet([UInt8])
        case second
    }

    static func steps(_ bytes: ArraySlice<UInt8>) -> [Step] {
        var steps: [Step] = []
        var rest = bytes
        while let count = rest.popFirst() {
            if count == 255 {
                steps.append(.second)
            } else {
                steps.append(.packet(Array(rest.prefix(Int(count)))))
                rest = rest.dropFirst(Int(count))
            }
        }
        return steps
    }
}

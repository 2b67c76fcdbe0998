import Synchronization
import WatchProto
import WatchProtoRecords
import WatchSecurity

/// The counterpart itself, paired and in session, that says whatever it likes: every packet is
/// sealed as it should be, and its frames are the input's. None of it may end the process, spoil
/// the journal, or cost more than a few times its length.
///
/// The first byte says how: its lowest bit the carrier, the next the side. Then come the frames of
/// packets, each behind a byte with their length; a length of 255 lets a second pass.
extension FuzzTarget {
    static let pairedPeer = FuzzTarget("paired-peer") { bytes in
        guard let options = bytes.first else { return nil }
        guard let devices, let pair = PairedFuzz(devices, options) else {
            return "two paired devices do not connect"
        }
        for step in Self.steps(bytes.dropFirst()) {
            switch step {
            case .second: pair.wait()
            case .packet(let frames): pair.say(frames)
            }
            if let complaint = pair.complaint(byteCount: bytes.count) { return complaint }
            // Who is found to be a copy is let in no more.
            guard pair.mend() else { break }
        }
        return pair.complaintAfterRestart()
    }
}

/// A device and its counterpart, of which the second is only a voice once they are in session.
final class PairedFuzz {
    private let devices: SimulatedPair
    private let role: DeviceRole
    private let carrier: CarrierTraits
    private let configuration: PeerConfiguration
    private var victim: Peer<PairedSecurity>
    private var host = FuzzHost()
    private var now = Instant.zero
    private var sealer: SessionSealer?
    /// The header of the counterpart's last packet, and how many packets there were.
    private var header: DatagramHeader?
    private var sent: UInt64 = 0
    /// Sessions that were opened.
    private(set) var sessions: UInt64 = 0
    /// Why the victim has closed the link, if it has.
    var closed: LinkCloseReason? { host.closed }
    private static let mostSessions: UInt64 = 4

    init?(_ devices: SimulatedPair, _ options: UInt8) {
        self.devices = devices
        role = options & 2 == 0 ? .watch : .phone
        carrier = FuzzTarget.carrier(options)
        configuration = PeerConfiguration(
            role: role, pairing: PairingID(rawValue: 0xABCD), kinds: .product)
        victim = Self.peer(
            configuration, devices.security(of: role, life: 1), JournalImage(), epoch: 0x1111, .zero
        )
        for lane in [Lane.background, .context] {
            let key = lane.traits.order == .newestPerKey ? RecordKey(rawValue: 1) : nil
            let draft = RecordDraft(
                lane: lane, kind: .userInfo, key: key, payload: [1, 2, 3])
            _ = try? victim.send(draft, at: now)
        }
        victim.activate(at: now)
        drain()
        guard open() else { return nil }
    }

    private static func peer<Security: PeerSecurity>(
        _ configuration: PeerConfiguration, _ security: Security, _ image: JournalImage,
        epoch: UInt64, _ now: Instant
    ) -> Peer<Security> {
        Peer(
            configuration, restoring: image, freshEpoch: EpochID(rawValue: epoch),
            security: security, clock: WallClock(time: WallTime(milliseconds: 0)), at: now)
    }

    /// Lets an honest counterpart open a session, and keeps what it seals with.
    private func open() -> Bool {
        sessions += 1
        let held = HeldSealer()
        let other: DeviceRole = role == .phone ? .watch : .phone
        var counterpart = Self.peer(
            PeerConfiguration(role: other, pairing: PairingID(rawValue: 0xABCD), kinds: .product),
            HeldSecurity(base: devices.security(of: other, life: sessions), held: held),
            JournalImage(), epoch: 0x2222, now)
        var voice = FuzzHost()
        (header, sent) = (nil, 0)
        counterpart.activate(at: now)
        counterpart.linkUp(carrier, at: now)
        victim.linkUp(carrier, at: now)
        host.wire = []
        for _ in 0..<50 {
            drain()
            FuzzTarget.drain(&counterpart, into: &voice, at: now)
            guard !host.wire.isEmpty || !voice.wire.isEmpty else { break }
            for packet in voice.wire {
                note(packet)
                victim.receive(packet.span, at: now)
            }
            voice.wire = []
            drain()
            for packet in host.wire { counterpart.receive(packet.span, at: now) }
            host.wire = []
        }
        sealer = held.sealer.withLock { $0 }
        return sealer != nil && victim.activationState == .activated
    }

    /// Remembers which numbers of the session the counterpart has used.
    private func note(_ packet: [UInt8]) {
        if case .stream = carrier.framing {
            let found = try? StreamFraming(limitBytes: 1 << 20).find(in: packet.span, from: 0)
            if found?.kind == .transport { sent += 1 }
            return
        }
        var reader = WireReader(packet.span)
        guard let header = try? DatagramHeader.read(&reader), header.kind == .transport else {
            return
        }
        self.header = header
        sent = max(sent, header.number + 1)
    }

    private func drain() { FuzzTarget.drain(&victim, into: &host, at: now) }

    /// Frames of the counterpart's in a packet that only it can have sealed.
    func say(_ frames: [UInt8]) {
        guard sealer != nil else { return }
        var packet = WireWriter()
        var body = frames
        sealer?.pad(&body, from: 0, atMost: 4096)
        guard sealer?.prepare(sent) == true else { return }
        if case .stream = carrier.framing {
            sealer?.seal(&body, from: 0, number: sent)
            packet.append(StreamFraming.prefix(of: .transport, length: body.count))
            packet.append(body)
        } else {
            DatagramHeader(
                kind: .transport, hint: header?.hint ?? 0, number: sent, largestAcknowledged: nil
            ).write(to: &packet)
            let start = packet.count
            packet.append(body)
            sealer?.seal(&packet.bytes, from: start, number: sent)
        }
        let last = sent
        sent = announcesNextKey(frames) ? SessionSealer.nextKeyNumber(after: last) : last + 1
        victim.receive(packet.bytes.span, at: now)
        drain()
        host.wire = []
    }

    /// Whether the packet that follows these frames has the next key: what has no numbers in its
    /// headers says so at the end of a packet.
    private func announcesNextKey(_ frames: [UInt8]) -> Bool {
        guard case .stream = carrier.framing else { return false }
        let limits = configuration.limits
        var reader = WireReader(frames.span)
        while !reader.isAtEnd {
            guard let frame = try? Frame.read(&reader, limits: limits) else { return false }
            if case .nextKey = frame { return reader.isAtEnd }
        }
        return false
    }

    func wait() {
        now = now.advanced(by: .seconds(1))
        victim.wake(at: now)
        drain()
        host.wire = []
    }

    /// What does not hold, if anything.
    func complaint(byteCount: Int) -> String? {
        if host.closed == .notAuthentic { return "a packet of the counterpart does not open" }
        if host.hasUnreadableEntries { return "entries that the journal could not read" }
        if host.outputs > 2_000 + 64 * byteCount {
            return "\(host.outputs) outputs for \(byteCount) bytes"
        }
        return nil
    }

    /// Opens the link again where the victim has closed it; false where there is none any more.
    func mend() -> Bool {
        guard host.closed != nil else { return true }
        host.closed = nil
        victim.linkDown(CarrierFailure(call: "read", errorNumber: 104), at: now)
        drain()
        return sessions < Self.mostSessions && open()
    }

    /// The device begins again on what its journal holds.
    func complaintAfterRestart() -> String? {
        victim = Self.peer(
            configuration, devices.security(of: role, life: 2), host.image, epoch: 0x3333, now)
        victim.activate(at: now)
        drain()
        return host.hasUnreadableEntries ? "entries that the journal could not read" : nil
    }
}

extension FuzzTarget {
    /// Carries out what is due; the journal confirms at once.
    static func drain<Security: PeerSecurity>(
        _ peer: inout Peer<Security>, into host: inout FuzzHost, at now: Instant
    ) {
        peer.drain(into: &host)
        while !host.batches.isEmpty {
            let (receipt, entries) = host.batches.removeFirst()
            for entry in entries { host.image.apply(entry) }
            peer.committed(receipt, at: now)
            peer.drain(into: &host)
        }
    }
}

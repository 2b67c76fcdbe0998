import WatchProtoCore
import WatchProtoSecurity

extension FuzzTarget {
    /// The counterpart itself, with the keys of the pairing, that says whatever it likes: its hello
    /// and its frames are the input's, sealed as they should be. None of it may end the process,
    /// spoil the journal, or cost more than a few times its length.
    ///
    /// The first byte says how: its lowest bit the carrier, the next the side, bit 2 that the input
    /// begins with a hello behind a byte with its length. Then come the frames of packets, each
    /// behind a byte with their length; a length of 255 lets a second pass.
    static let pairedPeer = FuzzTarget("paired-peer") { bytes in
        guard let options = bytes.first else { return nil }
        var steps = steps(bytes.dropFirst())
        var hello: [UInt8]?
        if options & 4 != 0, case .packet(let first)? = steps.first {
            hello = first
            steps.removeFirst()
        }
        guard let devices else { return "two devices do not pair" }
        let pair = PairedFuzz(devices, options)
        guard pair.open(hello: hello) || hello != nil else {
            return "two paired devices do not connect: \(pair.closed, default: "open")"
        }
        for step in steps {
            switch step {
            case .second: pair.wait()
            case .packet(let frames): pair.say(frames)
            }
            if let complaint = pair.complaint(byteCount: bytes.count) { return complaint }
            // A counterpart that is taken for a copy is let in no more.
            guard pair.reopen() else { break }
        }
        return pair.complaintAfterRestart()
    }
}

/// A peer, and a counterpart of which there is only the security.
final class PairedFuzz {
    private let devices: SimulatedPair
    private let role: DeviceRole
    private let carrier: CarrierTraits
    private let victim: FuzzSide
    private var security: NoiseSecurity
    private var now = Instant.zero
    private var sealer: SessionSealer?
    /// The name of the session at the victim, and the number of the next packet.
    private var victimID = ConnectionID(rawValue: 0)
    private var next: UInt64 = 0
    private var counter: UInt64 = 0
    private static let mostSessions: UInt64 = 4

    init(_ devices: SimulatedPair, _ options: UInt8) {
        self.devices = devices
        role = FuzzTarget.role(options)
        carrier = FuzzTarget.carrier(options)
        victim = FuzzSide(
            role, security: devices.security(of: role, life: 1), image: FuzzTarget.pairedImage)
        security = devices.security(of: role == .phone ? .watch : .phone, life: 1)
        for channel in [Channel.background, .context] {
            _ = victim.accept(channel, 1, at: now)
        }
        victim.peer.activate(at: now)
        victim.drain(at: now)
    }

    /// Sessions that were opened.
    var sessions: UInt64 { counter }
    /// Why the victim has closed the link, if it has.
    var closed: ConnectionEnd? { victim.environment.closed }

    /// The hello of a counterpart that has just been paired.
    private func freshHello(isAnswer: Bool) -> [UInt8] {
        var tickets = TicketPresentation()
        tickets.common = Ticket(rawValue: 0x7AC_0001)
        tickets.position = 1
        var writer = WireWriter()
        Hello(tickets: tickets, answer: isAnswer ? .held : nil).write(to: &writer)
        return writer.bytes
    }

    /// Opens a session with `hello`: makes message 1, or answers the victim's where both call and
    /// the victim's counts.
    func open(hello: [UInt8]?) -> Bool {
        counter += 1
        (sealer, next) = (nil, 0)
        victim.linkUp(carrier, .afterPatience, at: now)
        guard var initiation = initiation(hello ?? freshHello(isAnswer: false)) else {
            return false
        }
        var message = WireWriter()
        initiation.message.write(to: &message)
        let calls = victim.environment.wire
        send(.initiation, message.bytes)
        for packet in victim.environment.wire {
            guard let body = body(of: packet, .response) else { continue }
            var reader = WireReader(body.span)
            guard let response = try? ResponsePacket.read(&reader),
                let (payload, keys) = try? initiation.open(response.body)
            else { return false }
            victimID = ConnectionID(
                rawValue: payload.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
            sealer = keys.sending
        }
        if sealer == nil, closed == nil {
            // The newest one: on datagrams it was repeated.
            if let body = calls.compactMap({ body(of: $0, .initiation) }).last {
                answer(body, hello ?? freshHello(isAnswer: true))
            }
        }
        victim.environment.wire = []
        return sealer != nil
    }

    private var ownID: ConnectionID { ConnectionID(rawValue: UInt32(counter)) }

    private func initiation(_ hello: [UInt8]) -> NoiseInitiation? {
        var payload = WireWriter()
        payload.uint64(0x2222)
        payload.append(hello)
        return try? security.initiate(ownID, counter: counter, payload: payload.bytes)
    }

    /// Answers the victim's message 1.
    private func answer(_ body: [UInt8], _ hello: [UInt8]) {
        var reader = WireReader(body.span)
        var payload = WireWriter()
        payload.fixed(UInt64(ownID.rawValue), count: ConnectionID.byteCount)
        payload.uint64(0x2222)
        payload.append([0])
        payload.varint(counter)
        payload.append(hello)
        guard let message = try? InitiationPacket.read(&reader),
            var response = try? security.open(message),
            let (body, keys) = try? response.respond(payload.bytes)
        else { return }
        victimID = message.connectionID
        sealer = keys.sending
        var packet = WireWriter()
        ResponsePacket(connectionID: message.connectionID, body: body).write(to: &packet)
        send(.response, packet.bytes)
    }

    /// The rest of a packet of that kind.
    private func body(of packet: [UInt8], _ kind: PacketKind) -> [UInt8]? {
        guard case .stream = carrier.framing else {
            return packet.first.map { $0 & 7 } == kind.rawValue ? Array(packet.dropFirst()) : nil
        }
        let found = try? StreamFraming(limitBytes: 1 << 20).find(in: packet.span, from: 0)
        guard let found, found.kind == kind else { return nil }
        return Array(packet[found.body])
    }

    /// An unnumbered packet.
    private func send(_ kind: PacketKind, _ body: [UInt8]) {
        var packet = WireWriter()
        if case .stream = carrier.framing {
            packet.append(StreamFraming.prefix(of: kind, length: body.count))
        } else {
            DatagramHeader(unnumbered: kind).write(to: &packet)
        }
        packet.append(body)
        victim.receive(packet.bytes, on: carrier, at: now)
    }

    /// Frames in a packet that only the counterpart can have sealed.
    func say(_ frames: [UInt8]) {
        guard sealer?.prepare(next) == true else { return }
        if case .stream = carrier.framing {
            var body = frames
            sealer?.pad(&body, from: 0, atMost: 4096)
            sealer?.seal(&body, from: 0, number: next)
            send(.transport, body)
        } else {
            var packet = WireWriter()
            DatagramHeader(
                kind: .transport, connectionID: victimID, number: next, largestAcknowledged: nil
            ).write(to: &packet)
            let start = packet.count
            packet.append(frames)
            sealer?.pad(&packet.bytes, from: start, atMost: 512)
            sealer?.seal(&packet.bytes, from: start, number: next)
            victim.receive(packet.bytes, on: carrier, at: now)
        }
        next = updatesKey(frames) ? SessionSealer.traits.nextKeyNumber(after: next) : next + 1
        victim.environment.wire = []
    }

    /// Whether the packet that follows these frames has the next key, as a stream announces it.
    private func updatesKey(_ frames: [UInt8]) -> Bool {
        guard case .stream = carrier.framing else { return false }
        var reader = WireReader(frames.span)
        while let (_, frame) = try? Frame.read(&reader) {
            if case .keyUpdate = frame { return true }
        }
        return false
    }

    func wait() {
        now = now.advanced(by: .seconds(1))
        victim.wake(at: now)
        victim.environment.wire = []
    }

    /// The promise that is broken; nil if none is.
    func complaint(byteCount: Int) -> String? {
        let environment = victim.environment
        if sealer != nil, environment.closed == .notAuthentic {
            return "a packet of the counterpart does not open"
        }
        if environment.hasUnreadableEntries { return "entries that the journal could not read" }
        if victim.hasHiddenOutput { return "a dropped packet left something to drain" }
        if environment.outputs > 2_000 + 64 * byteCount {
            return "\(environment.outputs) outputs for \(byteCount) bytes"
        }
        return nil
    }

    /// Opens the link again where the victim has closed it; false where there is none any more.
    func reopen() -> Bool {
        guard closed != nil else { return true }
        victim.linkDown(at: now)
        return counter < Self.mostSessions && open(hello: nil)
    }

    /// The device begins again on what its journal holds.
    func complaintAfterRestart() -> String? {
        victim.restart(
            security: devices.security(of: role, life: 2), epoch: 0x3333, at: now)
        victim.peer.activate(at: now)
        victim.drain(at: now)
        return victim.environment.hasUnreadableEntries
            ? "entries that the journal could not read" : nil
    }
}

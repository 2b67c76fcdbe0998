package import WatchProtoCore

/// Packets from and to the carrier.
extension PairingLink {
    /// The packets that wait for the carrier at most. Further ones are dropped.
    package static let outgoingLimit = 16
    static var emptyFraming: StreamFraming {
        StreamFraming(limitBytes: 2 + PairingPacket.largestMessageBytes)
    }
    /// The source of all packets on a carrier without addresses.
    static let anyAddress = PathAddress(host: 0, port: 0)

    /// Handles received bytes: on a stream a chunk, elsewhere one datagram. The worst effect of any
    /// bytes is to end this link and to burn the code.
    package mutating func receive(
        _ bytes: Span<UInt8>, from source: PathAddress? = nil, at now: Instant
    ) {
        guard let traits, !isOver, !mustClose else { return }
        switch traits.framing {
        case .datagram:
            var reader = WireReader(bytes)
            guard let header = try? DatagramHeader.read(&reader, isLossy: traits.isLossy) else {
                turnAway(nil, telling: nil, to: source)
                return
            }
            let body = bytes.extracting(reader.offset..<bytes.count)
            take(header.kind, body, from: source, at: now)
        case .stream:
            let whole = framing.take(bytes)
            var start = 0
            while start < whole.count {
                let found: StreamFraming.Found?
                do throws(WireError) {
                    found = try framing.find(in: whole.span, from: start)
                } catch {
                    // Too long for a message: a handshake message, most likely.
                    turnAway(.notPairing, telling: .pairing, to: nil)
                    return
                }
                guard let found else { break }
                take(found.kind, whole.span.extracting(found.body), from: nil, at: now)
                guard self.traits != nil, !mustClose, !isOver else { return }
                start = found.body.upperBound
            }
            framing.keep(whole.span.extracting(start..<whole.count))
        }
    }

    private mutating func take(
        _ kind: PacketKind, _ body: Span<UInt8>, from source: PathAddress?, at now: Instant
    ) {
        switch kind {
        case .pairing: takePairing(body, from: source, at: now)
        case .advisory:
            var reader = WireReader(body)
            guard let advisory = try? AdvisoryPacket.read(&reader) else { return drop() }
            switch advisory.code {
            case .normal: advise(.gaveUp)
            case .wrongPeer where advisory.version == Suite.version: advise(.notPairing)
            case .wrongPeer, .incompatible:
                advise(.refused(Self.incompatibility(with: advisory.version)))
            // The guess was wrong. Anybody may have sent it: the answer to a right one has time.
            case .violation
            where isEntering && coordinator.isCommitted && coordinator.counterpart == nil:
                answerDue = answerDue.map { min($0, now.advanced(by: Self.refusalTime)) }
            default: break
            }
        // The counterpart has its keys: nothing of the end has to be repeated for it.
        case .initiation where farewellUntil != nil && source?.host == admission.source?.host:
            end(.paired)
        // The peer wants a session, and does not pair.
        case .transport, .early, .initiation, .response, .refusal, .reset:
            turnAway(.notPairing, telling: .pairing, to: source)
        }
    }

    private mutating func takePairing(
        _ body: Span<UInt8>, from source: PathAddress?, at now: Instant
    ) {
        guard let traits else { return }
        if body.count > 1, body[0] != Suite.version {
            let failure = Self.incompatibility(with: body[0])
            return turnAway(.refused(failure), telling: .incompatible, to: source)
        }
        var reader = WireReader(body)
        guard let (_, packet) = try? PairingPacket.read(&reader) else {
            return turnAway(nil, telling: nil, to: source)
        }
        switch packet {
        case .message(let message) where isEntering || !traits.isLossy:
            take(message, from: source, at: now)
        case .messageWithCookie(_, let message) where isEntering && traits.isLossy:
            // Another side that was given a code.
            take(message, from: source, at: now)
        case .cookie(let cookie) where isEntering && traits.isLossy: take(cookie, at: now)
        case .messageWithCookie where cookies != nil:
            guard let cookies else { return }
            let address = source ?? Self.anyAddress
            switch PairingAdmission.answer(packet, from: address, cookies: cookies) {
            case .proceed(let message): take(message, from: source, at: now)
            case .packet(let answer): put(answer, to: source)
            case .drop: drop()
            }
        case .message, .messageWithCookie, .cookie: turnAway(nil, telling: nil, to: source)
        }
    }

    /// Handles a request to show that this side can be reached: repeats the waiting message.
    /// Anybody can send a cookie, so one is accepted between two repetitions.
    private mutating func take(_ cookie: UInt128, at now: Instant) {
        guard awaitsCookie, cookie != self.cookie, let repetition else { return drop() }
        self.cookie = cookie
        awaitsCookie = false
        send(repetition.message, at: now)
    }

    /// Whether a message of `source` counts now. The entering side accepts the address that it
    /// asked. The displaying side accepts one address at a time.
    mutating func admits(_ source: PathAddress?, at now: Instant) -> Bool {
        if isEntering { return true }
        expireExchange(at: now)
        return !mustClose && admission.admits(source ?? Self.anyAddress, at: now)
    }

    /// Ends an exchange that took too long, or whose other side is silent, before it has shown that
    /// it knows the code.
    mutating func expireExchange(at now: Instant) {
        guard admission.expire(at: now) else { return }
        closeCarrier()
        abandon(at: now)
    }

    mutating func drop() { droppedPackets += 1 }

    // MARK: Packets sent

    /// Sends a message. If packets may be lost, the entering side repeats it until it is answered.
    mutating func send(_ message: [UInt8], at now: Instant) {
        guard let traits else { return }
        guard traits.isLossy, isEntering else {
            put(.message(message), to: traits.isLossy ? admission.source : nil)
            return
        }
        put(.messageWithCookie(cookie, message), to: nil)
        repetition = (message, now.advanced(by: Self.repetitionTime))
    }

    private mutating func put(_ packet: PairingPacket, to address: PathAddress?) {
        var writer = WireWriter()
        packet.write(version: Suite.version, to: &writer)
        put(.pairing, writer.bytes, to: address)
    }

    /// Sends in clear why this side leaves, or does not answer.
    mutating func put(_ code: CloseCode, to address: PathAddress?) {
        var writer = WireWriter()
        AdvisoryPacket(version: Suite.version, code: code).write(to: &writer)
        put(.advisory, writer.bytes, to: address)
    }

    private mutating func put(_ kind: PacketKind, _ body: [UInt8], to address: PathAddress?) {
        guard let traits, outgoing.count < Self.outgoingLimit else { return }
        let known = address == Self.anyAddress ? nil : address
        outgoing.append(
            OutgoingPacket(
                bytes: PacketFraming.plain(kind, body, carrier: traits), address: known))
    }

    /// Turns a peer away. On a carrier that can lose, anybody may have sent the message, and the
    /// link stays. On another carrier the link is closed. Different versions are answered on both.
    mutating func turnAway(_ advice: Advice?, telling code: CloseCode?, to source: PathAddress?) {
        if let advice { advise(advice) }
        guard let traits else { return }
        drop()
        if let code, !traits.isLossy || code == .incompatible { put(code, to: source) }
        if !traits.isLossy { closeCarrier() }
    }
}

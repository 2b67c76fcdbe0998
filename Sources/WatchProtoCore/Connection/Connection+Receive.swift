/// Input from the carrier: chunks of a stream or datagrams, from the counterpart or from anybody.
extension Connection {
    /// Bytes arrived: on a stream a chunk of any size, on a datagram carrier one whole datagram.
    /// Malformed bytes at worst end the link. The peer drains ``nextEvent(at:)`` before the next
    /// call.
    ///
    /// - Returns: whether anything came of them. Of a datagram that is dropped or repeated, and of
    ///   a part of a packet, nothing does.
    @discardableResult
    package mutating func receive(
        _ bytes: Span<UInt8>, from source: PathAddress? = nil, at now: Instant
    ) -> Bool {
        var isInert = true
        switch carrier?.framing {
        case nil: break
        case .datagram:
            let before = (counters.packetsDropped, counters.packetsRepeated)
            receiveDatagram(bytes, from: source, isLossy: carrier?.isLossy == true, at: now)
            isInert = before != (counters.packetsDropped, counters.packetsRepeated)
        case .stream:
            var whole: [UInt8] = []
            withLink { link in
                link.partialSince = link.partialSince.map {
                    min(now, $0.advanced(by: .milliseconds(bytes.count)))
                }
                whole = link.framing.take(bytes)
            }
            inbound = (whole, 0)
            receiveNextOfStream(at: now)
            isInert = inbound == nil
        }
        return !isInert || !events.isEmpty || !outgoing.isEmpty
    }

    /// Handles the next packet of the chunk, or stores what is left of it.
    mutating func receiveNextOfStream(at now: Instant) {
        guard let (bytes, start) = inbound, let limit = link?.framing.limitBytes else {
            inbound = nil
            return
        }
        let found: StreamFraming.Found?
        do throws(WireError) {
            found = try StreamFraming(limitBytes: limit).find(in: bytes.span, from: start)
        } catch {
            close(.violation(error), at: now)
            return
        }
        guard let found else {
            inbound = nil
            withLink { link in
                link.framing.keep(bytes.span.extracting(start..<bytes.count))
                let isSame = start == 0
                link.partialSince =
                    start == bytes.count ? nil : isSame ? link.partialSince ?? now : now
            }
            return
        }
        inbound = (bytes, found.body.upperBound)
        receivePacket(
            Array(bytes[found.body]), DatagramHeader(unnumbered: found.kind), start: 0, from: nil,
            at: now)
    }

    private mutating func receiveDatagram(
        _ bytes: Span<UInt8>, from source: PathAddress?, isLossy: Bool, at now: Instant
    ) {
        guard bytes.count <= configuration.limits.largestDatagramBytes else {
            counters.packetsDropped += 1
            return
        }
        var reader = WireReader(bytes)
        do throws(WireError) {
            let header = try DatagramHeader.read(&reader, isLossy: isLossy)
            receivePacket(
                [UInt8](copying: bytes), header, start: reader.offset, from: source, at: now)
        } catch {
            dropOrClose(.violation(error), at: now)
        }
    }

    private mutating func receivePacket(
        _ packet: [UInt8], _ header: DatagramHeader, start: Int, from source: PathAddress?,
        at now: Instant
    ) {
        let kind = header.kind
        if isOutOfOrder(kind) { return close(.unexpected(code: kind.rawValue), at: now) }
        if kind == .transport {
            receiveTransport(packet, header, start: start, from: source, at: now)
            return
        }
        if kind == .early {
            receiveEarly(packet, header, start: start, from: source, at: now)
            return
        }
        do throws(WireError) {
            var reader = WireReader(packet.span.extracting(start..<packet.count))
            switch kind {
            case .transport, .early: break
            case .initiation:
                let message = try InitiationPacket.read(&reader)
                receive(message, bytes: packet.count, from: source, at: now)
            case .response:
                receive(try ResponsePacket.read(&reader), from: source, at: now)
            case .refusal: receive(try RefusalPacket.read(&reader), at: now)
            case .reset: receive(try ResetPacket.read(&reader), at: now)
            case .advisory: receive(try AdvisoryPacket.read(&reader), at: now)
            case .pairing: receivePairing(from: source, at: now)
            }
        } catch {
            dropOrClose(.violation(error), at: now)
        }
    }

    /// Whether a packet of this kind cannot come now on a carrier that keeps the order: it was
    /// another one, and is damaged (C-2).
    private func isOutOfOrder(_ kind: PacketKind) -> Bool {
        guard case .established(let owned) = state, !owned.value.link.isLossy,
            owned.value.request == nil
        else { return false }
        return kind == .early || kind == .response || kind == .refusal
    }

    /// On carriers that can lose, a packet that does not authenticate is dropped and counted:
    /// anybody may have sent it. On others it ends the link.
    mutating func dropOrClose(_ end: ConnectionEnd, at now: Instant) {
        counters.packetsDropped += 1
        if carrier?.isLossy == false { close(end, at: now) }
    }

    // MARK: Resets

    /// A packet whose connection ID names no session: its sender has a session that this side has
    /// not. Nothing is said about a session that this side has just left, or while message 1 is on
    /// its way there: the handshake shows the sender as much.
    mutating func receiveUnknown(
        _ packet: [UInt8], _ header: DatagramHeader, from source: PathAddress?, at now: Instant
    ) {
        counters.unknownConnectionIDs += 1
        counters.packetsDropped += 1
        guard let id = header.connectionID, packet.count > ResetPacket.datagramBytes else { return }
        if let handshake, handshake.formerID == id { return }
        if initiated != nil, source == address { return }
        guard answerLimiter.take(at: now) else { return }
        counters.resetsSent += 1
        var writer = WireWriter()
        let token = security.resetToken(for: id, answering: SentTails.tail(of: packet), of: .own)
        ResetPacket(connectionID: id, token: token).write(to: &writer)
        answer(.reset, writer.bytes, to: source)
    }

    /// The counterpart, or anybody, says that it does not know a session.
    private mutating func receive(_ reset: ResetPacket, at now: Instant) {
        guard let session = currentSession, session.counterpartID == reset.connectionID,
            session.sentTails.contains(where: { tail in
                reset.token
                    == security.resetToken(
                        for: reset.connectionID, answering: tail, of: .counterpart)
                    || configuration.mutant == .anyReset
            })
        else {
            counters.invalidResets += 1
            dropOrClose(.unexpected(code: PacketKind.reset.rawValue), at: now)
            return
        }
        endSession(.reset, at: now)
    }

    // MARK: Advice in clear

    private mutating func receive(_ advisory: AdvisoryPacket, at now: Instant) {
        if advisoryGate.admits(advisory, at: now) { events.append(.advisory(advisory)) }
    }

    mutating func refuseVersion(_ version: UInt8, to source: PathAddress?, at now: Instant) {
        advise(.incompatible, to: source, at: now)
        let advisory = AdvisoryPacket(version: version, code: .incompatible)
        if carrier?.isLossy == true {
            counters.packetsDropped += 1
            receive(advisory, at: now)
        } else {
            let isOld = version < security.traits.wireVersion
            close(isOld ? .peerTooOld(version: version) : .peerTooNew(version: version), at: now)
        }
    }

    private mutating func receivePairing(from source: PathAddress?, at now: Instant) {
        guard carrier?.isLossy == false else {
            counters.packetsDropped += 1
            // An unsealed side never pairs, and tells so to a side that asks.
            if !security.traits.isSealed { advise(.incompatible, to: source, at: now) }
            return
        }
        advise(.wrongPeer, to: source, at: now)
        close(.counterpartPairs, at: now)
    }

    mutating func advise(_ code: CloseCode, to source: PathAddress?, at now: Instant) {
        guard let carrier, let packet = advisory(code, on: carrier, at: now) else { return }
        put(packet, to: source)
    }

    // MARK: Packets that leave

    /// Sends a packet to the sender of another packet; it is shorter than that one.
    @discardableResult
    mutating func answer(_ kind: PacketKind, _ body: [UInt8], to source: PathAddress?) -> Int {
        guard let carrier else { return 0 }
        let packet = PacketFraming.plain(kind, body, carrier: carrier)
        put(packet, to: source)
        return packet.count
    }

    /// Sends a handshake message to the counterpart's address, if that may have as much.
    mutating func send(_ kind: PacketKind, _ body: [UInt8]) {
        guard let carrier else { return }
        let packet = PacketFraming.plain(kind, body, carrier: carrier)
        guard packet.count <= sendAllowance else { return }
        withLink { $0.path.sent(packet.count) }
        put(packet, to: address)
    }

    private mutating func put(_ packet: [UInt8], to address: PathAddress?) {
        guard outgoing.count < Self.outgoingLimit else { return }
        outgoing.append(OutgoingPacket(bytes: packet, address: address))
    }

    /// Packets that wait to be transmitted. Further ones are dropped: they are repeated, or answers
    /// to anybody.
    private static var outgoingLimit: Int { 64 }
}

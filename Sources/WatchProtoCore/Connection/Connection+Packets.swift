/// Packets of a session: frames are sealed, numbered and framed here, on every carrier alike.
extension Connection {
    // MARK: Sending

    /// Bytes of frames that a packet of the session has room for, padding included.
    public var plaintextLimit: Int {
        carrier.map { Self.plaintextLimit(on: $0, configuration.limits) } ?? 0
    }

    private static func plaintextLimit(on carrier: CarrierTraits, _ limits: Limits) -> Int {
        switch carrier.framing {
        case .stream: return limits.streamPacketBytes - Sealer.overheadBytes
        case .datagram(let bytes):
            let largest = min(bytes, limits.largestDatagramBytes)
            let header = carrier.isLossy ? DatagramHeader.largestBytes : 1
            return max(0, largest - header - Sealer.overheadBytes)
        }
    }

    /// The most bytes of frames that padding makes `limit` bytes or less of; 0 where none are, and
    /// without a session.
    public func capacity(within limit: Int) -> Int {
        currentSession?.sending.value.capacity(within: limit) ?? 0
    }

    /// Bytes that may be sent to the counterpart's address now: at most three times what came from
    /// an address that no packet of the session has shown.
    public var sendAllowance: Int { link?.path.allowance ?? 0 }

    /// The destination of the session's datagrams; nil where the carrier knows it.
    public var address: PathAddress? { link?.path.address }

    /// Makes a packet of frames: padded, sealed and framed.
    ///
    /// - Parameters:
    ///   - frames: at most ``plaintextLimit`` bytes, less what padding adds at least.
    ///   - number: the packet number, ascending; nil where it is implied.
    ///   - largestAcknowledged: the largest number that the counterpart acknowledged.
    ///   - now: the monotonic time.
    /// - Returns: the whole packet. Nil without a session, without memory for the next key, and
    ///   where the numbers are used up.
    public mutating func seal(
        _ frames: consuming [UInt8], number: UInt64? = nil, largestAcknowledged: UInt64? = nil,
        at now: Instant
    ) -> [UInt8]? {
        let bytes = frames
        let limits = configuration.limits
        let packet = withSession { session, link in
            let limit = Self.plaintextLimit(on: link.carrier, limits)
            let packet = session.seal(
                bytes, number: number, largestAcknowledged: largestAcknowledged,
                on: link.carrier, limit: limit, at: now)
            if link.isLossy, let packet { link.path.sent(packet.count) }
            return packet
        }
        return packet ?? nil
    }

    /// Makes an early packet of frames, behind this side's message 1. Numbers begin at 0.
    ///
    /// - Returns: the whole packet; nil where message 1 is not on its way.
    public mutating func sealEarly(_ frames: consuming [UInt8], number: UInt64) -> [UInt8]? {
        guard case .handshaking(let owned) = state, case var handshake = owned.value,
            case .initiated(var initiated) = handshake.attempt,
            initiated.early.value.prepare(number)
        else { return nil }
        let carrier = handshake.link.carrier
        let limit = Self.plaintextLimit(on: carrier, configuration.limits)
        let packet = PacketFraming.seal(
            frames, carrier: carrier, limit: limit, sealer: &initiated.early.value, number: number,
            header: DatagramHeader(
                kind: .early, connectionID: initiated.id, number: number,
                largestAcknowledged: nil))
        handshake.attempt = .initiated(initiated)
        if carrier.isLossy { handshake.link.path.sent(packet.count) }
        state = .handshaking(Owned(handshake))
        return packet
    }

    // MARK: The age of keys

    /// Whether the key that this side seals with is too old. On a carrier that can lose the
    /// counterpart must have opened a packet of it first.
    public func isKeyUpdateDue(
        next: UInt64? = nil, largestAcknowledged: UInt64? = nil, at now: Instant
    ) -> Bool {
        guard let age = Sealer.keyAge, let session = currentSession,
            session.keySince.duration(to: now) >= age
        else { return false }
        guard let next else { return true }
        guard let largestAcknowledged, next > 0 else { return false }
        return Sealer.nextKeyNumber(after: largestAcknowledged)
            == Sealer.nextKeyNumber(after: next - 1)
    }

    /// Makes the next key before it is announced, or numbers are left out for it. False without
    /// memory for it: the old key goes on.
    ///
    /// - Parameter last: the number of the last packet; nil where it is implied.
    public mutating func prepareKeyUpdate(after last: UInt64? = nil) -> Bool {
        withSession { session, _ in
            session.sending.value.prepare(
                Sealer.nextKeyNumber(after: last ?? session.nextSent))
        } ?? false
    }

    /// The packet just sealed announced the next key (carriers that cannot lose), or the next
    /// number is the first of the next key (carriers that can).
    public mutating func keyUpdated(at now: Instant) {
        _ = withSession { session, _ in
            session.keySince = now
            if session.nextSent > 0 {
                session.nextSent = Sealer.nextKeyNumber(after: session.nextSent - 1)
            }
        }
    }

    /// The packet just opened announced the next key of the counterpart.
    ///
    /// - Returns: false on carriers that can lose, where nothing is announced: a violation.
    public mutating func counterpartUpdatedKey() -> Bool {
        withSession { session, link in
            guard !link.isLossy, session.nextReceived > 0 else { return false }
            session.nextReceived = Sealer.nextKeyNumber(after: session.nextReceived - 1)
            return true
        } ?? false
    }

    /// Whether the keys of the session have sealed as much as they may: the peer closes it.
    ///
    /// - Parameter next: the next number of this side; nil where it is implied.
    public func needsRenewal(next: UInt64? = nil) -> Bool {
        guard let session = currentSession else { return false }
        return session.sending.value.needsRenewal(at: next ?? session.nextSent)
            || session.receiving.value.needsRenewal(at: session.nextReceived)
    }

    var currentSession: Session? {
        switch state {
        case .down, .opening: return nil
        case .established(let owned): return owned.value.session
        case .handshaking(let owned):
            guard case .responded(let responded) = owned.value.attempt else { return nil }
            return responded.session
        }
    }

    // MARK: Receiving

    /// A packet of a session, from the counterpart or from anybody.
    mutating func receiveTransport(
        _ packet: [UInt8], _ header: DatagramHeader, start: Int, from source: PathAddress?,
        at now: Instant
    ) {
        let mutant = configuration.mutant
        let opened = withSession { session, link in
            if mutant == .noReplayWindow { session.window = ReplayWindow() }
            let isLossy = link.isLossy
            guard !isLossy || session.ownID == header.connectionID else {
                return OpenedPacket.unknown
            }
            let opened = session.open(packet, header, start: start, isLossy: isLossy)
            if isLossy, case .packet(let packet) = opened {
                link.path.opened(packet.number, from: source)
            }
            return opened
        }
        switch opened ?? .unknown {
        case .unknown:
            if carrier?.isLossy == true {
                receiveUnknown(packet, header, from: source, at: now)
            } else {
                close(.unexpected(code: PacketKind.transport.rawValue), at: now)
            }
        case .repeated: counters.packetsRepeated += 1
        case .noMemory: dropOrClose(.noMemory, at: now)
        case .notAuthentic:
            counters.packetsNotAuthentic += 1
            dropOrClose(.notAuthentic, at: now)
        case .notPadded:
            // It is sealed, so that only the counterpart can have sent it.
            let error = WireError(.notCanonical, at: 0, expected: "padding of a packet", found: 0)
            close(.violation(error), at: now)
        case .packet(let packet):
            confirm(at: now)
            events.append(.packet(packet))
        }
    }

    /// A packet of the session has come: the session is alive, and it is confirmed where this side
    /// responded.
    private mutating func confirm(at now: Instant) {
        if case .established(let owned) = state {
            guard owned.value.probeDeadline != nil else { return }
            var established = owned.value
            established.probeDeadline = nil
            state = .established(Owned(established))
            return
        }
        guard case .handshaking(let owned) = state, case let handshake = owned.value,
            case .responded(let responded) = handshake.attempt
        else { return }
        establish(
            responded.session, on: handshake.link, initiation: responded.initiation, at: now)
        if case .established(let owned) = state, case var established = owned.value,
            let request = handshake.request
        {
            established.request = request
            state = .established(Owned(established))
        }
        events.append(.confirmed)
    }

    /// An early packet, from the counterpart or from anybody.
    mutating func receiveEarly(
        _ packet: [UInt8], _ header: DatagramHeader, start: Int, at now: Instant
    ) {
        guard let isLossy = carrier?.isLossy else { return }
        guard var arrival = earlyArrival, !isLossy || header.connectionID == arrival.id else {
            storeEarly(packet, header, start: start)
            return
        }
        let number = isLossy ? header.number(near: arrival.window.largest) : arrival.next
        guard number < UInt64(configuration.limits.earlyPackets), arrival.window.accepts(number)
        else {
            counters.packetsDropped += 1
            return
        }
        var packet = packet
        guard arrival.sealer.value.open(&packet, from: start, number: number) else {
            counters.packetsNotAuthentic += 1
            dropOrClose(.notAuthentic, at: now)
            return
        }
        arrival.window.insert(number)
        arrival.next += 1
        earlyArrival = arrival
        guard Sealer.unpad(&packet, from: start) else {
            let error = WireError(.notCanonical, at: 0, expected: "padding of a packet", found: 0)
            dropOrClose(.violation(error), at: now)
            return
        }
        events.append(.earlyPacket(ReceivedPacket(number: number, bytes: packet, start: start)))
    }

    /// The connection ID in the message 1 whose early packets are taken.
    var earlyArrivalID: ConnectionID? { earlyArrival?.id }

    /// Opens what follows the counterpart's newest message 1, until a packet of a session has come.
    private var earlyArrival: EarlyArrival? {
        get {
            guard case .handshaking(let owned) = state, case let handshake = owned.value else {
                return nil
            }
            if let request = handshake.request { return request.early }
            if case .responded(let responded) = handshake.attempt { return responded.early }
            return nil
        }
        set {
            guard let newValue, case .handshaking(let owned) = state,
                case var handshake = owned.value
            else { return }
            if handshake.request != nil {
                handshake.request?.early = newValue
            } else if case .responded(var responded) = handshake.attempt {
                responded.early = newValue
                handshake.attempt = .responded(responded)
            }
            state = .handshaking(Owned(handshake))
        }
    }

    /// Stores a packet whose message 1 may yet come: a few, instead of the oldest.
    private mutating func storeEarly(_ packet: [UInt8], _ header: DatagramHeader, start: Int) {
        counters.packetsDropped += 1
        guard case .handshaking(let owned) = state, case var handshake = owned.value,
            handshake.link.isLossy,
            packet.count <= ConnectionConfiguration.largestEarlyPacketStored
        else { return }
        if handshake.earlyPackets.count == ConnectionConfiguration.earlyPacketsStored {
            handshake.earlyPackets.removeFirst()
        }
        handshake.earlyPackets.append(
            StoredEarlyPacket(header: header, bytes: packet, start: start))
        state = .handshaking(Owned(handshake))
    }
}

extension Connection.Session {
    /// Seals a packet of the session; nil without memory for the key, or beyond the last number.
    mutating func seal(
        _ frames: [UInt8], number: UInt64?, largestAcknowledged: UInt64?, on carrier: CarrierTraits,
        limit: Int, at now: Instant
    ) -> [UInt8]? {
        let number = number ?? nextSent
        guard number <= Sealer.lastNumber, sending.value.prepare(number) else { return nil }
        if number > 0, Sealer.keyPhase(of: number) != Sealer.keyPhase(of: number - 1) {
            keySince = now
        }
        nextSent = number + 1
        let packet = PacketFraming.seal(
            frames, carrier: carrier, limit: limit, sealer: &sending.value, number: number,
            header: DatagramHeader(
                kind: .transport, connectionID: counterpartID, number: number,
                largestAcknowledged: largestAcknowledged,
                keyPhase: Sealer.keyPhase(of: number)))
        if carrier.isLossy { sentTails.insert(packet) }
        return packet
    }

    /// Opens a packet of the session.
    mutating func open(
        _ packet: [UInt8], _ header: DatagramHeader, start: Int, isLossy: Bool
    ) -> OpenedPacket {
        var number = nextReceived
        if isLossy {
            number = header.number(near: window.largest)
            guard number <= Sealer.lastNumber, header.keyPhase == Sealer.keyPhase(of: number)
            else { return .notAuthentic }
            guard window.accepts(number) else { return .repeated }
        }
        var packet = packet
        guard receiving.value.open(&packet, from: start, number: number) else {
            return receiving.value.lacksMemory ? .noMemory : .notAuthentic
        }
        if isLossy { window.insert(number) }
        nextReceived = max(nextReceived, number + 1)
        guard Sealer.unpad(&packet, from: start) else { return .notPadded }
        return .packet(ReceivedPacket(number: number, bytes: packet, start: start))
    }
}

/// The result of opening a packet.
enum OpenedPacket {
    case packet(ReceivedPacket)
    /// It names another session, or there is none.
    case unknown
    case repeated
    case notAuthentic
    case notPadded
    case noMemory
}

/// The framing that turns sealed frames into a packet of a carrier.
public enum PacketFraming {
    /// Pads, seals and frames a packet. The header is authenticated on datagrams; on streams kind
    /// and length are shown by key and tag.
    static func seal<Sealer: Sealing>(
        _ frames: [UInt8], carrier: CarrierTraits, limit: Int, sealer: inout Sealer,
        number: UInt64, header: DatagramHeader
    ) -> [UInt8] {
        var writer = WireWriter()
        guard case .datagram = carrier.framing else {
            var frames = frames
            sealer.pad(&frames, from: 0, atMost: limit)
            sealer.seal(&frames, from: 0, number: number)
            writer.append(StreamFraming.prefix(of: header.kind, length: frames.count))
            writer.append(frames)
            return writer.bytes
        }
        writer.bytes.reserveCapacity(
            frames.count + DatagramHeader.largestBytes + Sealer.overheadBytes)
        if carrier.isLossy {
            header.write(to: &writer)
        } else {
            DatagramHeader(unnumbered: header.kind).write(to: &writer)
        }
        let start = writer.count
        writer.append(frames)
        sealer.pad(&writer.bytes, from: start, atMost: limit)
        sealer.seal(&writer.bytes, from: start, number: number)
        return writer.bytes
    }

    /// A packet that is not sealed as frames are.
    public static func plain(
        _ kind: PacketKind, _ body: [UInt8], carrier: CarrierTraits
    ) -> [UInt8] {
        var writer = WireWriter()
        if case .datagram = carrier.framing {
            DatagramHeader(unnumbered: kind).write(to: &writer)
        } else {
            writer.append(StreamFraming.prefix(of: kind, length: body.count))
        }
        writer.append(body)
        return writer.bytes
    }
}

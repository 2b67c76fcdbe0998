/// Packets of a session: frames are sealed, numbered and framed here, on every carrier alike.
extension Connection {
    // MARK: Sending

    /// Bytes of frames that a packet of the session has room for, padding included.
    package var plaintextLimit: Int {
        carrier.map { plaintextLimit(on: $0) } ?? 0
    }

    private func plaintextLimit(on carrier: CarrierTraits) -> Int {
        let (limits, overhead) = (configuration.limits, security.traits.sealing.overheadBytes)
        switch carrier.framing {
        case .stream: return limits.streamPacketBytes - overhead
        case .datagram(let bytes):
            let largest = min(bytes, limits.largestDatagramBytes)
            let header = carrier.isLossy ? DatagramHeader.largestBytes : 1
            return max(0, largest - header - overhead)
        }
    }

    /// The most bytes of frames that padding makes `limit` bytes or less of; 0 where none are, and
    /// without a session.
    package func capacity(within limit: Int) -> Int {
        readSession { $0.sending.capacity(within: limit) } ?? 0
    }

    /// Bytes that may be sent to the counterpart's address now: at most three times the
    /// bytes that came from an address that no packet of the session has shown.
    package var sendAllowance: Int {
        configuration.mutant == .noAddressLimit ? .max : link?.path.allowance ?? 0
    }

    /// Bytes of frames that may leave for an address that no packet of the session has shown, so
    /// that message 2 can leave once more; nil for any other address.
    package var unprovenRoom: Int? {
        guard case .handshaking(let owned) = state, let response = owned.value.responded?.response,
            case let allowance = sendAllowance, allowance < .max
        else { return nil }
        let overhead = DatagramHeader.largestBytes + security.traits.sealing.overheadBytes
        return capacity(within: allowance - response.count - 1 - overhead)
    }

    /// The destination of the session's datagrams; nil where the carrier knows it.
    package var address: PathAddress? {
        switch state {
        case .down, .opening: nil
        case .handshaking(let owned): owned.value.link.path.address
        case .established(let owned): owned.value.link.path.address
        }
    }

    /// The address on datagrams that a packet of a session has shown, or that was dialled.
    var shownAddress: PathAddress? { link?.path.proven }

    /// Makes a packet of frames: padded, sealed and framed.
    ///
    /// `frames` take at most ``plaintextLimit`` bytes, less what padding adds at least. `number` is
    /// nil where it is implied. With `announcesKey` the last frame is the key update of a carrier
    /// that cannot lose. Nil without a session, without memory for the key, and where the numbers
    /// are used up.
    package mutating func seal(
        _ frames: consuming [UInt8], number: UInt64? = nil, largestAcknowledged: UInt64? = nil,
        announcesKey: Bool = false, at now: Instant
    ) -> [UInt8]? {
        let bytes = frames
        let (limit, isLong) = (plaintextLimit, configuration.hasConstantLengths)
        let packet = withSession { session, link in
            let packet = session.seal(
                bytes, number: number, largestAcknowledged: largestAcknowledged, isLong: isLong,
                on: link.carrier, limit: limit, at: now)
            if announcesKey, packet != nil { session.updateKey(at: now) }
            if link.isLossy, let packet { link.path.sent(packet.count) }
            return packet
        }
        return packet ?? nil
    }

    /// Makes an early packet of frames, behind this side's message 1. Numbers begin at 0.
    ///
    /// - Returns: the whole packet; nil where message 1 is not on its way.
    package mutating func sealEarly(_ frames: consuming [UInt8], number: UInt64) -> [UInt8]? {
        guard var handshake, var initiated = handshake.initiated,
            initiated.early.prepare(number)
        else { return nil }
        let carrier = handshake.link.carrier
        let packet = PacketFraming.seal(
            frames, carrier: carrier, limit: plaintextLimit(on: carrier),
            sealer: &initiated.early, number: number,
            header: DatagramHeader(
                kind: .early, connectionID: initiated.id, number: number,
                largestAcknowledged: nil))
        handshake.initiated = initiated
        if carrier.isLossy { handshake.link.path.sent(packet.count) }
        self.handshake = handshake
        return packet
    }

    // MARK: The age of keys

    /// The first number of the next key, made ready, where the key that this side seals with is too
    /// old: the packet about to be made gets that number on a carrier that can lose, and announces
    /// the key on others. Without memory for a key the old one goes on.
    ///
    /// On a carrier that can lose the counterpart must have opened a packet of the present key: it
    /// opens nothing that is two keys ahead.
    package mutating func keyUpdate(
        next: UInt64?, largestAcknowledged: UInt64?, at now: Instant
    ) -> UInt64? {
        let sealing = security.traits.sealing
        guard let age = sealing.keyAge,
            case (let since, let sent)? = readSession({ ($0.keySince, $0.nextSent) }),
            since.duration(to: now) >= age
        else { return nil }
        let last = next.map { max($0, 1) - 1 } ?? sent
        if next != nil {
            guard let largestAcknowledged,
                sealing.key(of: largestAcknowledged) == sealing.key(of: last)
            else { return nil }
        }
        let first = sealing.nextKeyNumber(after: last)
        let isReady = withSession { session, _ in session.sending.prepare(first) } ?? false
        return isReady ? first : nil
    }

    /// The packet just opened announced the next key of the counterpart.
    ///
    /// - Returns: false on carriers that can lose, where nothing is announced: a violation.
    package mutating func counterpartUpdatedKey() -> Bool {
        let sealing = security.traits.sealing
        return withSession { session, link in
            guard !link.isLossy, session.nextReceived > 0 else { return false }
            // Without keys there is nothing to update.
            guard sealing.keyAge != nil else { return true }
            session.nextReceived = sealing.nextKeyNumber(after: session.nextReceived - 1)
            return true
        } ?? false
    }

    /// Whether the keys of the session have sealed as much as they may: the peer closes it. `next`
    /// is nil where numbers are implied.
    package func needsRenewal(next: UInt64? = nil) -> Bool {
        readSession { session in
            session.sending.needsRenewal(at: next ?? session.nextSent)
                || session.receiving.needsRenewal(at: session.nextReceived)
        } ?? false
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
            let opened = session.open(packet, header, start: start, isLossy: isLossy, at: now)
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
        failedAttempts = 0
        if case .established(let owned) = state {
            if owned.value.probeDeadline != nil { established?.probeDeadline = nil }
            return
        }
        guard let handshake, let responded = handshake.responded else { return }
        establish(
            responded.session, on: handshake.link, initiation: responded.initiation,
            request: handshake.request, at: now)
        events.append(.confirmed)
    }

    /// An early packet, from the counterpart or from anybody.
    mutating func receiveEarly(
        _ packet: [UInt8], _ header: DatagramHeader, start: Int,
        from source: PathAddress? = nil, at now: Instant
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
        guard arrival.sealer.open(&packet, from: start, number: number) else {
            counters.packetsNotAuthentic += 1
            dropOrClose(.notAuthentic, at: now)
            return
        }
        arrival.window.insert(number)
        arrival.next += 1
        earlyArrival = arrival
        let size = packet.count
        guard arrival.sealer.unpad(&packet, from: start) else {
            let error = WireError(.notCanonical, at: 0, expected: "padding of a packet", found: 0)
            dropOrClose(.violation(error), at: now)
            return
        }
        withLink { $0.path.early(from: source, bytes: size) }
        events.append(.earlyPacket(ReceivedPacket(number: number, bytes: packet, start: start)))
    }

    /// The connection ID in the message 1 whose early packets are taken.
    var earlyArrivalID: ConnectionID? { earlyArrival?.id }

    /// Opens what follows the counterpart's newest message 1, until a packet of a session has come.
    private var earlyArrival: EarlyArrival? {
        get {
            guard let handshake else { return nil }
            return handshake.request?.early ?? handshake.responded?.early
        }
        set {
            guard let newValue else { return }
            if handshake?.request == nil { handshake?.responded?.early = newValue }
            handshake?.request?.early = newValue
        }
    }

    /// Stores a packet whose message 1 may yet come: a few, instead of the oldest.
    private mutating func storeEarly(_ packet: [UInt8], _ header: DatagramHeader, start: Int) {
        counters.packetsDropped += 1
        guard var handshake, handshake.link.isLossy,
            packet.count <= ConnectionConfiguration.largestEarlyPacketStored
        else { return }
        if handshake.earlyPackets.count == ConnectionConfiguration.earlyPacketsStored {
            handshake.earlyPackets.removeFirst()
        }
        handshake.earlyPackets.append(
            StoredEarlyPacket(header: header, bytes: packet, start: start))
        self.handshake = handshake
    }
}

extension Connection.Session {
    /// Seals a packet of the session; nil without memory for the key, or beyond the last number.
    mutating func seal(
        _ frames: [UInt8], number: UInt64?, largestAcknowledged: UInt64?, isLong: Bool,
        on carrier: CarrierTraits, limit: Int, at now: Instant
    ) -> [UInt8]? {
        let (number, sealing) = (number ?? nextSent, sending.traits)
        guard number <= sealing.lastNumber, sending.prepare(number) else { return nil }
        if sealing.key(of: number) > sealing.key(of: max(nextSent, 1) - 1) { keySince = now }
        nextSent = number + 1
        let packet = PacketFraming.seal(
            frames, carrier: carrier, limit: limit, sealer: &sending, number: number,
            header: DatagramHeader(
                kind: .transport, connectionID: counterpartID, number: number,
                largestAcknowledged: largestAcknowledged,
                keyPhase: sealing.keyPhase(of: number), isLong: isLong))
        if carrier.isLossy { sentTails.insert(packet) }
        return packet
    }

    /// The packet just sealed announced the next key.
    mutating func updateKey(at now: Instant) {
        keySince = now
        nextSent = sending.traits.nextKeyNumber(after: nextSent - 1)
    }

    /// The time for which packets of the key before the newest one are opened.
    private static var formerKeyTime: Duration { .seconds(10) }

    /// Opens a packet of the session.
    mutating func open(
        _ packet: [UInt8], _ header: DatagramHeader, start: Int, isLossy: Bool, at now: Instant
    ) -> OpenedPacket {
        dropFormerKey(at: now)
        let sealing = receiving.traits
        var number = nextReceived
        let newest = sealing.key(of: max(nextReceived, 1) - 1)
        var isLate = false
        if isLossy {
            number = header.number(near: window.largest)
            let isOther = sealing.keyPhase(of: number) != header.keyPhase
            if let former, isOther || sealing.key(of: number) < newest {
                number = header.number(near: former.window.largest)
                isLate = true
            }
            guard number <= sealing.lastNumber, header.keyPhase == sealing.keyPhase(of: number)
            else { return .notAuthentic }
            guard (isLate ? former?.window : window)?.accepts(number) == true else {
                return .repeated
            }
        }
        var packet = packet
        guard receiving.open(&packet, from: start, number: number) else {
            return receiving.lacksMemory ? .noMemory : .notAuthentic
        }
        if sealing.key(of: number) > newest {
            if isLossy { former = (window, now.advanced(by: Self.formerKeyTime)) }
            window = ReplayWindow()
            if !isLossy { receiving.dropFormerKey() }
        }
        if isLate { former?.window.insert(number) } else if isLossy { window.insert(number) }
        nextReceived = max(nextReceived, number + 1)
        guard receiving.unpad(&packet, from: start) else { return .notPadded }
        return .packet(ReceivedPacket(number: number, bytes: packet, start: start))
    }

    /// Drops the key before the newest one where its time is over.
    mutating func dropFormerKey(at now: Instant) {
        guard let former, former.until <= now else { return }
        self.former = nil
        receiving.dropFormerKey()
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
package enum PacketFraming {
    /// Pads, seals and frames a packet. The header is authenticated on datagrams; on streams kind
    /// and length are shown by key and tag.
    static func seal(
        _ frames: [UInt8], carrier: CarrierTraits, limit: Int, sealer: inout AnySealer,
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
            frames.count + DatagramHeader.largestBytes + sealer.traits.overheadBytes)
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
    package static func plain(
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

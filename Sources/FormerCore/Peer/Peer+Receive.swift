/// What arrives: chunks or datagrams, packets, frames.
extension Peer {
    /// Bytes arrived: on a stream a chunk of any size, on a datagram carrier one whole datagram.
    ///
    /// Whatever they are, the worst they do is to end this link.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Instant) {
        advance(to: now)
        guard let carrier else { return }
        counters.bytesReceived += UInt64(bytes.count)
        switch carrier.framing {
        case .stream: receiveChunk(bytes)
        case .datagram: receiveDatagram(bytes)
        }
        afterInput()
    }

    private mutating func receiveChunk(_ chunk: Span<UInt8>) {
        if framing.heldBytes > 0 {
            let whole = framing.take(chunk)
            receivePackets(of: whole.span)
        } else {
            receivePackets(of: chunk)
        }
    }

    private mutating func receivePackets(of bytes: Span<UInt8>) {
        var start = 0
        while start < bytes.count {
            let found: StreamFraming.Found?
            do throws(WireError) {
                found = try framing.find(in: bytes, from: start)
            } catch {
                closeLink(.violation(error), telling: .violation)
                return
            }
            guard let found else { break }
            receivePacket(
                found.kind, [UInt8](copying: bytes.extracting(found.body)), header: nil)
            guard carrier != nil else { return }
            start = found.body.upperBound
        }
        framing.keep(bytes.extracting(start..<bytes.count))
        heldSince = framing.heldBytes > 0 ? now : nil
    }

    private mutating func receiveDatagram(_ bytes: Span<UInt8>) {
        guard bytes.count <= configuration.limits.largestDatagramBytes else {
            counters.packetsDropped += 1
            return
        }
        var reader = WireReader(bytes)
        do throws(WireError) {
            let header = try DatagramHeader.read(&reader)
            receivePacket(header.kind, [UInt8](copying: bytes), header: (header, reader.offset))
        } catch {
            dropOrClose(.violation(error), telling: .violation)
        }
    }

    private mutating func receivePacket(
        _ kind: PacketKind, _ packet: [UInt8], header: (DatagramHeader, Int)?
    ) {
        counters.packetsReceived += 1
        let start = header?.1 ?? 0
        do throws(WireError) {
            switch kind {
            case .transport:
                receiveTransport(packet, header: header)
            case .handshake where PairingPacket.isOne(packet.span.extracting(start...)):
                refusePairing()
            case .handshake where isForeign(packet.span.extracting(start...)):
                refuse(version: packet[start])
            case .handshake:
                var reader = WireReader(packet.span.extracting(start..<packet.count))
                receiveHandshake(try .read(&reader, limits: configuration.limits))
            case .notice:
                var reader = WireReader(packet.span.extracting(start..<packet.count))
                receive(try NoticePacket.read(&reader))
            case .early: receiveEarly(packet, header: header)
            }
        } catch {
            dropOrClose(.violation(error), telling: .violation)
        }
    }

    /// Whether the body of a handshake packet is of another wire version.
    private func isForeign(_ body: Span<UInt8>) -> Bool {
        body.count > 0 && body[0] != Security.wireVersion
    }

    private mutating func receiveTransport(_ packet: [UInt8], header: (DatagramHeader, Int)?) {
        var packet = packet
        let start = header?.1 ?? 0
        var number = receivedPackets
        var isOpen = false
        if carrier?.isLossy == true {
            guard let (fields, _) = header, fields.numberBytes > 0 else {
                counters.packetsDropped += 1
                return
            }
            if hasAnswered(fields.hint) {
                isOpen = openAnswered(
                    &packet, from: start, hint: fields.hint, number: fields.number(near: nil))
            } else if let candidate, candidate.isReady,
                fields.hint == hintToMe(of: candidate.ids)
            {
                switchToCandidate()
            } else if link.state == .greeting, let attempt, attempt.isReady,
                fields.hint == hintToMe(of: attempt.ids)
            {
                // Only one who knows this side's session, and has the one known here, sends to it.
                confirmByPacket()
            }
            guard link.state == .active, fields.hint == hintToMe(of: ids) else {
                hasHeardAnother = hasHeardAnother || link.state == .active
                counters.packetsDropped += 1
                return
            }
            number = fields.number(near: repair?.largestReceived)
            let keyPhase = Security.Handshake.Sealer.keyPhase(of: number)
            guard !Security.isSealed || fields.keyPhase == keyPhase else {
                counters.packetsDropped += 1
                return
            }
        } else if link.state != .active, hasAnswered(nil) {
            isOpen = openAnswered(&packet, from: start, hint: nil, number: number)
        } else if link.state != .active {
            closeLink(.unexpected(frame: PacketKind.transport.rawValue), telling: nil)
            return
        }
        isOpen = isOpen || receivingSealer?.open(&packet, from: start, number: number) == true
        guard isOpen else {
            dropOrClose(receivingSealer?.lacksMemory == true ? .noMemory : .notAuthentic)
            return
        }
        guard Security.Handshake.Sealer.unpad(&packet, from: start) else {
            // It is sealed, so that only the counterpart can have sent it.
            let error = WireError(.notCanonical, at: 0, expected: "filling of a packet", found: 0)
            closeLink(.violation(error), telling: .violation)
            return
        }
        receivedPackets += 1
        if packetLog != nil { logArrival(number) }
        receiveFrames(packet.span.extracting(start..<packet.count), number: number)
    }

    private mutating func confirmByPacket() {
        attempt?.isConfirmed = true
        completeHandshake()
    }

    mutating func receiveFrames(
        _ bytes: Span<UInt8>, number: UInt64, isRestored: Bool = false
    ) {
        let limits = configuration.limits
        // The whole packet must make sense before any of it takes effect.
        var frames: [Frame] = []
        var elicitsAck = false
        do throws(WireError) {
            var reader = WireReader(bytes)
            while !reader.isAtEnd {
                let frame = try Frame.read(&reader, limits: limits)
                frames.append(frame)
                elicitsAck = elicitsAck || (FrameType(rawValue: frame.type)?.elicitsAck ?? true)
                if case .nextKey = frame, !reader.isAtEnd {
                    throw WireError(
                        .notCanonical, at: reader.offset, expected: "end of the packet",
                        found: UInt64(reader.remaining))
                }
            }
        } catch {
            // What is sealed can only have come from the counterpart.
            if Security.isSealed {
                closeLink(.violation(error), telling: .violation)
            } else {
                dropOrClose(.violation(error), telling: .violation)
            }
            return
        }
        if repair != nil {
            guard repair?.arrived(number, elicitsAck: elicitsAck, at: now) == true else {
                counters.packetsRepeated += 1
                return
            }
        }
        takeLineage()
        guard carrier != nil else { return }
        lastHeard = now
        owedSince = owedSince == nil ? nil : now
        tell(reachability.receive(.heard, evidence: .heard, at: now))
        if repair != nil, frames.contains(where: { !$0.isBulk }) {
            repair?.keep(number, [UInt8](copying: bytes))
        }
        for (place, frame) in frames.enumerated() {
            do throws(WireError) {
                if case .ack(let ack) = frame {
                    let next = place + 1 < frames.count ? frames[place + 1] : nil
                    try receive(ack, next?.arrival)
                } else if case .parity(let parity) = frame {
                    if !isRestored { receive(parity, in: number) }
                } else {
                    try handle(frame)
                }
            } catch {
                closeLink(.violation(error), telling: .violation)
            }
            guard carrier != nil else { return }
        }
        if !isRestored { takeRestored() }
    }

    private mutating func handle(_ frame: Frame) throws(WireError) {
        switch frame {
        case .padding, .skipped, .arrival, .ack, .parity: break
        case .ping(let ping):
            if ping.isPong { receivePong(ping.token) } else { pongDue = ping.token }
        case .close(let close):
            closeLink(.counterpart(CloseCode(rawValue: close.code)), telling: nil)
        case .early(let early): receive(early)
        case .nextKey: receiveNextKey()
        case .record(let record): try inbox.receive(record)
        case .part(let part): try inbox.receive(part)
        case .floor(let floor): try inbox.receive(floor)
        case .withdraw(let withdraw): try inbox.receive(withdraw)
        case .receipt(let receipt): try outbox.receive(receipt)
        case .outcome(let outcome): try outbox.receive(outcome)
        case .credit(let credit): outbox.receive(credit)
        case .tryLater(let tryLater): try outbox.receive(tryLater)
        case .needBase(let needBase):
            counters.basesAsked += 1
            try outbox.receive(needBase)
        case .heldQuery(let query): comparison.answer(query.lane)
        case .held(let held):
            receive(held)
            audit(held)
        case .valueQuery(let query):
            audit.answer(
                SetAudit.Query(lane: query.lane, key: query.key, offset: query.offset))
        case .value(let value): try receive(value)
        }
    }

    private mutating func receivePong(_ token: UInt64) {
        guard let sentAt = pingSentAt, token == nextPingToken - 1 else { return }
        pingSentAt = nil
        roundTrip.add(sentAt.duration(to: now))
        judgeLink()
    }
}

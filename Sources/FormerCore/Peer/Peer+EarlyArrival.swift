/// Early data of the counterpart, behind its first flight.
extension Peer {
    /// A first flight of the counterpart has authenticated. What comes behind it is taken if
    /// nothing shows that the counterpart is not where this side last met it: else the whole
    /// session judges.
    mutating func meetEarly(_ fresh: HandshakeAttempt<Security.Handshake>) {
        guard link.state == .greeting, let greeting = fresh.greeting else { return }
        var arrival = EarlyArrival<Security.Handshake.Sealer>(
            session: fresh.ids.theirs, verdict: fresh.handshake.verdict)
        if arrival.verdict == .accepted {
            let found = inbox.judge(greeting)
            let isDoubtful =
                found.isCloned || found.isOutdated || found.isRolledBack
                || inbox.isForgotten(by: greeting) || mayBeOld(greeting)
            if configuration.usesEarlyData, !isDoubtful {
                arrival.sealer = fresh.handshake.earlyReceiving
                let epochs = greeting.epochs
                if earlyEpochs != epochs {
                    tookEarlyOfAnother = tookEarlyOfAnother || earlyEpochs != nil
                    inbox.knownBeforeEarly = inbox.knownBeforeEarly ?? inbox.knownEpochs
                    inbox.begin(greeting)
                }
                earlyEpochs = epochs
            } else {
                arrival.verdict = .none
            }
        }
        // An old flight that somebody sends again takes no place from the one that counts.
        guard arrival.sealer != nil || earlyArrival?.sealer == nil else { return }
        if earlyArrival?.session != arrival.session {
            earlyParity.decoder = ParityDecoder()
            // One verdict cannot name both, and the counterpart may know of one alone.
            if earlyArrival?.taken.isEmpty == false { tookEarlyOfAnother = true }
        }
        earlyArrival = arrival
        let kept = earlyPackets.filter { $0.header.hint == arrival.hint }
        earlyPackets.removeAll { $0.header.hint == arrival.hint }
        for packet in kept {
            receiveEarly(packet.bytes, header: (packet.header, packet.start))
        }
    }

    /// Whether nothing here shows that a flight is not one that somebody held back. A side that was
    /// wiped remembers neither its number nor how its records ended; and what comes of an opening
    /// after something of a later one would come in the wrong order.
    private func mayBeOld(_ greeting: Greeting) -> Bool {
        guard handshakeNoted > 0 || !inbox.knowsNoOpening else { return true }
        let stamp = greeting.presentID?.stamp ?? 0
        let isAnswered = answers.contains { $0.greeting?.presentID?.stamp ?? 0 > stamp }
        return isAnswered || inbox.isOfEarlierOpening(greeting)
    }

    /// Whether this side opened with a greeting that does not tell what it has taken since, early
    /// and of another opening of the counterpart. One restored from a backup would send again what
    /// is older than that. Nothing of the session has left yet: this side greets once more.
    func isOutOfDate(
        _ ready: HandshakeAttempt<Security.Handshake>, _ greeting: Greeting
    ) -> Bool {
        let isOfAnother = tookEarlyOfAnother || earlyEpochs.map { $0 != greeting.epochs } ?? false
        return ready.sealers == nil && isOfAnother && heldDigests != ready.toldDigests
    }

    /// Keeps a packet whose flight may yet come, instead of the oldest where they are too many.
    private mutating func keepEarly(_ packet: EarlyPacket) {
        let limits = configuration.limits
        guard Security.isSealed, configuration.usesEarlyData else {
            counters.packetsDropped += 1
            return
        }
        earlyPackets.append(packet)
        while earlyPackets.count > limits.earlyPacketsKept
            || earlyPackets.reduce(0, { $0 + $1.bytes.count }) > limits.earlyBytes
        {
            earlyPackets.removeFirst()
            counters.packetsDropped += 1
        }
    }

    /// Takes a packet of early data.
    mutating func receiveEarly(_ packet: [UInt8], header: (DatagramHeader, Int)?) {
        let isLossy = carrier?.isLossy == true
        guard link.state == .greeting else {
            // Where nothing is lost or overtaken, a counterpart in session has nothing early to
            // say: this is another packet, damaged, and nothing would bring that again.
            if !isLossy, link.state == .active, receivedPackets > 0 {
                closeLink(.unexpected(frame: PacketKind.early.rawValue), telling: nil)
                return
            }
            // It came late: its sender offers again what the verdict did not name.
            counters.packetsDropped += 1
            return
        }
        if isLossy, header?.0.numberBytes == 0 {
            counters.packetsDropped += 1
            return
        }
        guard var arrival = earlyArrival, !isLossy || header?.0.hint == arrival.hint else {
            guard isLossy, let (fields, start) = header else {
                closeLink(.unexpected(frame: PacketKind.early.rawValue), telling: nil)
                return
            }
            keepEarly(EarlyPacket(header: fields, bytes: packet, start: start))
            return
        }
        let number = isLossy ? header?.0.number(near: arrival.taken.last) ?? 0 : arrival.next
        guard arrival.sealer != nil, number < UInt64(configuration.limits.earlyPackets) else {
            counters.packetsDropped += 1
            return
        }
        var packet = packet
        let start = header?.1 ?? 0
        let isOpen = arrival.sealer?.open(&packet, from: start, number: number) == true
        guard isOpen else {
            earlyArrival = arrival
            dropOrClose(.notAuthentic)
            return
        }
        arrival.next += 1
        earlyArrival = arrival
        guard Security.Handshake.Sealer.unpad(&packet, from: start) else {
            let error = WireError(.notCanonical, at: 0, expected: "filling of a packet", found: 0)
            closeLink(.violation(error), telling: nil)
            return
        }
        if packetLog != nil { logEarlyArrival(number, of: arrival.session) }
        takeEarly(number, Array(packet[start...]))
        while let taken = earlyArrival?.taken {
            let restored = earlyParity.decoder.restored(received: taken)
            if restored.isEmpty { return }
            for packet in restored {
                counters.packetsRestored += 1
                if packetLog != nil {
                    logEarlyArrival(packet.number, of: arrival.session, isRestored: true)
                }
                takeEarly(packet.number, packet.frames)
            }
        }
    }

    /// Takes the frames of an early packet.
    private mutating func takeEarly(_ number: UInt64, _ packet: [UInt8]) {
        guard carrier != nil, var arrival = earlyArrival,
            number < UInt64(configuration.limits.earlyPackets)
        else { return }
        do throws(WireError) {
            let records = try earlyRecords(packet, number, arrival.taken)
            // A flight may have been held back: what has expired meanwhile the session judges.
            let now = wallTime
            let isLate = records.contains { $0.head.expiresAt.map { $0 <= now } ?? false }
            arrival.bytes += packet.count
            guard !isLate, arrival.bytes <= configuration.limits.earlyBytes else {
                counters.packetsDropped += 1
                counters.earlyPacketsExpired += isLate ? 1 : 0
                return
            }
            arrival.taken.insert(number)
            earlyArrival = arrival
            if carrier?.isLossy == true { earlyParity.decoder.arrived(number, packet) }
            // With the first record it brought, or before: never after.
            noteHandshake()
            for record in records {
                counters.earlyRecordsReceived += 1
                try inbox.receive(record)
            }
        } catch {
            closeLink(.violation(error), telling: nil)
        }
    }

    /// The number of a flight of the counterpart is in the journal no later than what it brought.
    mutating func noteHandshake() {
        guard security.highestTaken > handshakeNoted else { return }
        handshakeNoted = security.highestTaken
        inbox.entries.append(.handshakeTaken(handshakeNoted))
    }

    /// The records of an opened packet; it must hold nothing else but parity.
    private mutating func earlyRecords(
        _ packet: [UInt8], _ number: UInt64, _ taken: NumberRanges
    ) throws(WireError) -> [RecordFrame] {
        var records: [RecordFrame] = []
        var reader = WireReader(packet.span)
        while !reader.isAtEnd {
            let at = reader.offset
            let frame = try Frame.read(&reader, limits: configuration.limits)
            if case .parity(let parity) = frame, carrier?.isLossy == true,
                parity.first + UInt64(parity.count) <= number
            {
                _ = earlyParity.decoder.arrived(parity, received: taken)
                continue
            }
            guard case .record(let record) = frame, record.mayTravelEarly else {
                throw WireError(
                    .outOfRange, at: at, expected: "record that may travel early",
                    found: UInt64(frame.type))
            }
            records.append(record)
        }
        return records
    }
}

extension RecordFrame {
    /// Whole, and with nothing that a session has to know: no handle, no base, no reply.
    fileprivate var mayTravelEarly: Bool {
        guard case .whole = head.form else { return false }
        return head.lane != .interactive && head.handle == nil && !head.marksBase
    }
}

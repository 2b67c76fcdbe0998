/// Early data: records that leave behind message 1, so that they arrive half a round trip after the
/// link is up. Early packets have numbers of their own and hold whole records alone.
extension Peer {
    /// The next early packet, if one may leave.
    mutating func makeEarlyPacket() -> OutgoingPacket? {
        guard configuration.usesEarlyData, connection.canSealEarly, let session,
            session.earlySent.count < configuration.limits.earlyPackets
        else { return nil }
        let room = min(
            packetRoom, configuration.limits.earlyBytes - session.earlyBytes, earlyWindow)
        guard room > 64 else { return nil }
        var writer = WireWriter()
        var references: [PeerReference] = []
        for channel in Channel.allCases where channel.traits.travelsEarly {
            writeOffers(channel, &writer, &references, room: room, isEarly: true)
        }
        guard writer.count > 0 else { return nil }
        let number = UInt64(session.earlySent.count)
        self.session?.earlySent.append(references)
        guard let packet = connection.sealEarly(writer.bytes, number: number) else { return nil }
        self.session?.earlyBytes += packet.count
        self.session?.recovery?.sentUnnumbered(packet.count, at: time.now)
        counts.earlyPacketsSent += 1
        return OutgoingPacket(bytes: packet, address: connection.address)
    }

    /// Bytes that may leave early on a carrier of whose path nothing is known (RFC 9002, 7.2).
    private var earlyWindow: Int {
        guard let recovery = session?.recovery, recovery.path.bytesPerSecond == nil else {
            return .max
        }
        return configuration.limits.earlyBurstBytes - (session?.earlyBytes ?? 0)
    }

    /// An early packet of the counterpart was opened.
    mutating func receiveEarly(_ packet: ReceivedPacket) {
        counts.packetsReceived += 1
        guard session?.listing != nil else {
            counts.packetsDropped += 1
            return
        }
        do throws(WireError) {
            var reader = WireReader(packet.bytes.span.extracting(packet.start..<packet.bytes.count))
            var frames: [Frame] = []
            while !reader.isAtEnd {
                let (_, frame) = try Frame.read(&reader, limits: configuration.limits)
                frames.append(frame)
            }
            session?.earlyTaken.insert(packet.number)
            session?.owesEarlyAnswer = true
            for frame in frames { try takeEarly(frame) }
        } catch {
            close(.violation(error), telling: nil)
        }
    }

    private mutating func takeEarly(_ frame: Frame) throws(WireError) {
        switch frame {
        case .record(let record) where record.channel.traits.travelsEarly:
            counts.earlyRecordsReceived += 1
            try rooms.receivers[Rooms.place(of: record.channel)].receive(record, at: time.now)
        case .value(let value):
            counts.earlyRecordsReceived += 1
            try rooms.heldValues.receive(
                value, known: &rooms.counterpartEpochs, clock: time.wall)
        case .padding: break
        default:
            throw WireError(
                .notCanonical, at: 0, expected: "a record that may travel early", found: 0)
        }
    }

    /// The counterpart answers this side's early data: accepted or rejected. Packets that it does
    /// not name may still arrive: on a carrier that can lose they are given a moment.
    mutating func receive(_ frame: EarlyDataFrame) {
        guard let sent = session?.earlySent, !sent.isEmpty else { return }
        // A frame about another message 1 says that this one's early data was not taken.
        guard frame.counter == session?.ownCounter, case .accepted(let taken) = frame.answer else {
            returnEarlyData()
            return
        }
        var isMissing = false
        for (number, references) in sent.enumerated() {
            guard let references else { continue }
            guard taken.contains(UInt64(number)) else {
                isMissing = true
                continue
            }
            session?.earlySent[number] = nil
            counts.earlyPacketsTaken += 1
            for case .value(let reference) in references { rooms.values.acknowledged(reference) }
        }
        guard isMissing else {
            session?.earlySent = []
            session?.earlyLossAt = nil
            return
        }
        // Also a carrier that loses nothing: a counterpart that waits for its journal before it
        // answers message 1 drops what comes meanwhile.
        if session?.earlyLossAt == nil {
            let trip = session?.smoothedRoundTrip ?? firstTimeout
            session?.earlyLossAt = time.now.advanced(by: .milliseconds(20) + trip / 4)
        }
    }

    /// Early packets that were refused, or did not arrive in time: their records leave again.
    mutating func returnEarlyData() {
        let sent = session?.earlySent ?? []
        session?.earlySent = []
        session?.earlyLossAt = nil
        for case let references? in sent {
            counts.earlyPacketsReturned += 1
            takeBack(references)
        }
    }

    /// The answer to the counterpart's early data, for the next packet.
    var earlyAnswer: EarlyDataFrame? {
        guard session?.owesEarlyAnswer == true, let counter = session?.earlyCounter else {
            return nil
        }
        var taken = session?.earlyTaken ?? NumberRanges()
        let isTaken = session?.listing != nil || !taken.isEmpty
        // A packet that is left out comes again, and is known then.
        taken.keepNewest(configuration.limits.ackRanges)
        return EarlyDataFrame(counter: counter, answer: isTaken ? .accepted(taken) : .rejected)
    }
}

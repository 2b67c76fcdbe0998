/// Early data: records that leave behind message 1, so that they arrive half a round trip after the
/// link is up. Early packets have numbers of their own and hold whole records alone.
extension Peer {
    /// The next early packet, if one may leave.
    mutating func makeEarlyPacket() -> OutgoingPacket? {
        guard configuration.usesEarlyData, configuration.shape == nil, connection.canSealEarly,
            let session,
            session.earlySent.count < configuration.limits.earlyPackets
        else { return nil }
        if !session.earlyRepair.due.isEmpty { return makeEarlyRepair() }
        let most = min(configuration.limits.earlyBytes - session.earlyBytes, earlyWindow)
        let repair = session.recovery == nil ? 0 : EarlyRepair.overheadBytes
        let room = min(packetRoom - repair, most)
        guard room > 64 else { return endEarlyBlock() }
        var writer = WireWriter()
        var references: [PeerReference] = []
        for channel in Channel.allCases where mayTravelEarly(channel) {
            writeOffers(channel, &writer, &references, room: room, isEarly: true)
        }
        // A record may fit a packet, and not one that leaves room for its repair packet.
        for channel in Channel.allCases where writer.count == 0 && mayTravelEarly(channel) {
            writeOffers(
                channel, &writer, &references, room: min(packetRoom, most), most: 1, isEarly: true)
        }
        guard writer.count > 0 else { return endEarlyBlock() }
        if session.recovery != nil {
            self.session?.earlyRepair.encoder.add(
                UInt64(session.earlySent.count), writer.bytes,
                isUrgent: references.contains { $0.isUrgent })
        }
        return sealEarly(writer.bytes, references)
    }

    /// Behind sessions that were not confirmed most records wait (``UnconfirmedSessions``).
    private func mayTravelEarly(_ channel: Channel) -> Bool {
        channel.traits.travelsEarly && (channel.traits.isUrgent || !unconfirmed.recordsWait)
    }

    private mutating func sealEarly(
        _ frames: [UInt8], _ references: [PeerReference]?
    ) -> OutgoingPacket? {
        guard let session else { return nil }
        let number = UInt64(session.earlySent.count)
        self.session?.earlySent.append(references)
        guard let packet = connection.sealEarly(frames, number: number) else { return nil }
        if references != nil { self.session?.earlyBytes += frames.count }
        self.session?.recovery?.sentUnnumbered(packet.count, at: time.now)
        counts.earlyPacketsSent += 1
        logEarly(frames, number: number, bytes: packet.count)
        return OutgoingPacket(bytes: packet, address: connection.address)
    }

    /// Nothing more leaves early now: message 1 and the early packets get the redundancy that the
    /// losses of the path are worth.
    private mutating func endEarlyBlock() -> OutgoingPacket? {
        let limit = packetRoom
        guard let isFirst = session?.endEarlyBlock(limitBytes: limit, at: time.now) else {
            return nil
        }
        if isFirst { connection.copyInitiation() }
        return makeEarlyRepair()
    }

    private mutating func makeEarlyRepair() -> OutgoingPacket? {
        guard let repair = session?.earlyRepair.due.removeFirst() else { return nil }
        var writer = WireWriter()
        repair.write(to: &writer)
        counts.repairPacketsSent += 1
        return sealEarly(writer.bytes, nil)
    }

    /// Bytes that may leave early on a carrier that can lose: those of RFC 9002, 7.2, or what the
    /// path carries in eight time-outs. An answer behind more would find message 1 given up.
    private var earlyWindow: Int {
        guard let session, let recovery = session.recovery else { return .max }
        let seconds = Double(firstTimeout.nanosecondsClamped) * 8 / 1e9
        let carried = Int(min((recovery.path.bytesPerSecond ?? 0) * seconds, 1e9))
        return max(configuration.limits.earlyBurstBytes, carried) - session.earlyBytes
    }

    /// An early packet of the counterpart was opened.
    mutating func receiveEarly(_ packet: ReceivedPacket) {
        counts.packetsReceived += 1
        logEarlyArrival(packet.number, isRecovered: false)
        guard session?.listing != nil else {
            counts.packetsDropped += 1
            return
        }
        // It was recovered before it came.
        guard session?.earlyTaken.contains(packet.number) == false else { return }
        do throws(WireError) {
            try takeEarly(packet.number, Array(packet.bytes[packet.start...]))
            guard let session, session.recovery != nil else { return }
            let recovered = self.session?.earlyRepair.decoder.recovered(
                received: session.earlyTaken)
            for packet in recovered ?? [] {
                counts.packetsRecovered += 1
                logEarlyArrival(packet.number, isRecovered: true)
                try takeEarly(packet.number, packet.frames, isRecovered: true)
            }
        } catch {
            close(.violation(error), telling: nil)
        }
    }

    private mutating func takeEarly(
        _ number: UInt64, _ bytes: [UInt8], isRecovered: Bool = false
    ) throws(WireError) {
        var reader = WireReader(bytes.span)
        var frames: [Frame] = []
        while !reader.isAtEnd {
            let (_, frame) = try Frame.read(&reader)
            frames.append(frame)
        }
        session?.earlyTaken.insert(number)
        session?.owesEarlyAnswer = true
        if session?.recovery != nil { session?.earlyRepair.decoder.arrived(number, bytes) }
        for frame in frames {
            // A repair packet covers only numbers below its own, and is part of no block.
            if case .repair(let repair) = frame {
                if isRecovered || repair.first + UInt64(repair.count) > number { continue }
            }
            try takeEarly(frame)
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
        case .repair(let repair):
            guard let session, session.recovery != nil else { return }
            _ = self.session?.earlyRepair.decoder.arrived(repair, received: session.earlyTaken)
        case .padding, .skipped: break
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
            session?.earlySent.removeAll()
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
        session?.earlySent.removeAll()
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

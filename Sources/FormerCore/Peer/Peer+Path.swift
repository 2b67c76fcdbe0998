/// What is known of the path, from session to session, and what leaves on it when.
extension Peer {
    /// The repair of a session on `carrier`, which goes on with what is known of the path.
    func makeRepair(on carrier: CarrierTraits) -> Repair {
        Repair(
            limits: configuration.limits, initialTimeout: firstTimeout,
            interval: carrier.sendInterval, path: path)
    }

    /// Keeps what the session measured for those that follow.
    mutating func rememberPath() {
        parityDue = []
        isHeldBack = false
        isFlightCopyDue = false
        guard let repair else { return }
        path = repair.path
        path.endSession(roundTrip: repair.roundTrip.smoothed)
    }

    /// What is worth being written down of the path, once each time it has changed.
    mutating func pathToNote() -> PathMemory? {
        let present = repair?.path ?? path
        guard let memory = present.memory(roundTrip: repair?.roundTrip.smoothed),
            pathNoted?.differs(from: memory) ?? true
        else { return nil }
        pathNoted = memory
        return memory
    }

    /// The time-out before this session has measured anything: by what the last one measured.
    var firstTimeout: Duration {
        let longest = configuration.initialResendTime
        guard let trip = path.lastRoundTrip else { return longest }
        return max(trip + trip / 2, .milliseconds(20))
    }

    /// Which frames may leave now.
    struct Leave {
        /// Those somebody waits for: messages, complications.
        var urgent = true
        /// All others but acknowledgements, receipts and the like, which always may.
        var rest = true
        /// Of those, what is large.
        var bulk = true

        func allows(_ lane: Lane) -> Bool {
            lane.isUrgent ? urgent : rest && (bulk || lane != .bulk)
        }
    }

    /// Which frames may leave now: on carriers that never lose, all.
    var leave: Leave {
        guard let repair else { return Leave() }
        return Leave(
            urgent: repair.mayTransmit(isUrgent: true, at: now),
            rest: repair.mayTransmit(isUrgent: false, at: now),
            bulk: repair.mayTransmitBulk)
    }

    /// A packet that the repair does not number leaves: a flight, or early data.
    mutating func noteUnnumbered(_ bytes: Int) { repair?.noteUnnumbered(bytes, at: now) }

    /// The first flight of the link once more, behind the first of what follows it: where it is
    /// lost nothing of that counts.
    mutating func makeFlightCopy() -> [UInt8]? {
        guard isFlightCopyDue else { return nil }
        isFlightCopyDue = false
        guard link.state == .greeting, answers.isEmpty, let attempt, !attempt.lastFlight.isEmpty,
            repair?.isWorthCopy(attempt.lastFlight.count, at: now) == true
        else { return nil }
        let packet = flightPacket(attempt)
        noteUnnumbered(packet.count)
        return packet
    }

    mutating func receive(_ ack: AckFrame, _ arrival: ArrivalFrame?) throws(WireError) {
        guard repair != nil else {
            closeLink(.unexpected(frame: FrameType.ack.rawValue), telling: .violation)
            return
        }
        if let result = try repair?.acknowledged(ack, arrival, at: now) { takeBack(result.lost) }
        judgeLink()
    }

    /// Tells where what was measured puts the link on another step.
    mutating func judgeLink() {
        guard let trip = roundTripTime else { return }
        let measured = LinkQuality(
            roundTrip: trip, lossShare: repair?.path.lossShare ?? 0,
            bytesPerSecond: repair?.path.bytesPerSecond)
        let isWhole = repair == nil || repair?.path.bytesPerSecond != nil
        if let quality = judge.note(measured, isWhole: isWhole, roundTrip: trip, at: now) {
            events.append(.linkQuality(quality))
        }
    }

    /// How long a complication's updates are gathered: what is under way is confirmed within a
    /// round trip, and after two of them its confirmation, or it, was lost.
    package var gatheringTime: Duration {
        let longest = configuration.complicationBatchTime
        guard link.state == .active, let trip = roundTripTime else { return longest }
        return min(longest, max(trip * 2, Self.leastGatheringTime))
    }

    private static var leastGatheringTime: Duration { .milliseconds(50) }

    mutating func receive(_ parity: ParityFrame, in number: UInt64) {
        guard repair != nil else {
            closeLink(.unexpected(frame: FrameType.parity.rawValue), telling: .violation)
            return
        }
        repair?.take(parity, in: number)
    }

    /// Packets that parity can put together are taken as if they had arrived.
    mutating func takeRestored() {
        while let restored = repair?.takeRestored(), !restored.isEmpty {
            for packet in restored {
                counters.packetsRestored += 1
                if packetLog != nil { logArrival(packet.number, isRestored: true) }
                // Parity combines no parity, and what claims to must not lead on and on.
                receiveFrames(packet.frames.span, number: packet.number, isRestored: true)
                guard carrier != nil else { return }
            }
        }
    }
}

extension Lane {
    /// Whether somebody waits for what it carries.
    var isUrgent: Bool { self == .interactive || self == .complication }
}

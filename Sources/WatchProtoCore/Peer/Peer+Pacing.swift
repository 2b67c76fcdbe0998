/// The frames that may leave now, how much of them a packet holds, and the frames that wait.
extension Peer {
    /// The kinds of frames that a packet may hold now.
    struct Allowance {
        /// Frames somebody waits for.
        var urgent = true
        /// All others.
        var rest = true
        /// Bytes of bulk.
        var bulkBytes = Int.max
    }

    /// Reads loss recovery where it is; nil without it. A chain of optionals would copy it, and a
    /// call that does not mutate would copy the whole peer: hence `mutating`, here and below.
    mutating func readRecovery<Result>(
        _ read: (inout LossRecovery<PeerReference>) -> Result
    ) -> Result? {
        session?.recovery?.apply(read)
    }

    mutating func makeAllowance() -> Allowance {
        // The moments of a constant shape are the pace.
        if configuration.shape != nil { return Allowance() }
        let now = time.now
        let allowance = readRecovery { recovery in
            Allowance(
                urgent: recovery.mayTransmit(isUrgent: true, at: now),
                rest: recovery.mayTransmit(isUrgent: false, at: now),
                bulkBytes: recovery.mayTransmitBulk ? .max : 0)
        }
        if let allowance { return allowance }
        // Padding must not make more of a chunk and its ping.
        let bulk = session?.bulk?.bulkAllowance(at: now)
        return Allowance(
            bulkBytes: bulk.map { connection.capacity(within: $0) - Self.pingBytes } ?? .max)
    }

    /// Whether records of a channel may leave now. `isRiding` says that something else leaves in
    /// the packet: gathered records leave with it.
    mutating func mayLeave(
        _ channel: Channel, _ allowance: Allowance, isRiding: Bool = false
    ) -> Bool {
        guard channel.traits.isUrgent ? allowance.urgent : allowance.rest else { return false }
        if channel.traits.isGathered {
            // A packet leaves in any case.
            return isRiding || configuration.shape != nil || gathering.mayLeave(at: time.now)
        }
        return !channel.traits.isPaced || pacer.isEmpty || pacer.isDue(at: time.now)
    }

    // MARK: Room

    /// Bytes that frames of a packet have room for, padding left out.
    var packetRoom: Int {
        mutating get {
            let padding = connection.security.traits.sealing.leastPaddingBytes
            var room = connection.plaintextLimit
            if connection.carrier?.isLossy == false { room = min(room, Self.losslessPacketBytes) }
            if let shape = configuration.shape { room = min(room, shape.frameBytes + padding) }
            return max(0, room - padding - 1)
        }
    }

    /// Bytes of frames that the next packet should have at most: its repair packet is to fit a
    /// packet as well, and no urgent frame should wait long for it to pass.
    mutating func packetRoom(isBulk: Bool) -> Int {
        // A ping may follow bulk on a carrier that cannot lose.
        let whole = isBulk ? packetRoom - Self.pingBytes : packetRoom
        guard case .datagram(let bytes) = connection.carrier?.framing else { return whole }
        let largest = min(bytes, configuration.limits.largestDatagramBytes)
        let least = isBulk ? Self.leastBulkBytes : Self.leastPacketBytes
        let bounds = readRecovery { recovery in
            (recovery.packetLimit(largest: largest, least: least), recovery.repairOverhead)
        }
        guard let (limit, overhead) = bounds else { return whole }
        let repair = isBulk ? 0 : overhead
        guard limit < largest else { return packetRoom - repair }
        // Padding must not make more of it.
        let room = connection.plaintextLimit - (largest - limit)
        return min(packetRoom, max(connection.capacity(within: room), room / 2)) - repair
    }

    /// Bytes kept for an acknowledgement: a packet that holds one usual record and little else has
    /// none to spare before it is due.
    mutating func makeRoomForAck() -> Int {
        guard let deadline = readRecovery({ $0.received.ackDeadline }) ?? nil,
            !isNarrow || deadline <= time.now
        else { return 0 }
        return Self.ackRoom
    }

    private var isNarrow: Bool { mutating get { connection.plaintextLimit < 512 } }

    /// Bytes in which an acknowledgement of one range fits, with its arrival time.
    static var ackRoom: Int { 40 }
    /// Bytes in which a ping fits.
    private static var pingBytes: Int { 11 }
    /// Packets on carriers that cannot lose stay short: urgent frames wait for no more than this.
    private static var losslessPacketBytes: Int { 1 << 14 }
    /// The answers to a message 1 and its early packets fit into as much.
    static var leastUnprovenRoom: Int { 48 }
    private static var leastBulkBytes: Int { 512 }
    private static var leastPacketBytes: Int { 1200 }

    // MARK: Waiting frames

    /// Whether records wait to leave, with bulk or without.
    mutating func isAnyWaiting(isBulk: Bool, urgentOnly: Bool = false) -> Bool {
        for channel in Channel.allCases where mayLeave(channel, Allowance()) {
            if channel.traits.isBulk && !isBulk || urgentOnly && !channel.traits.isUrgent {
                continue
            }
            if hasOffer(channel) { return true }
        }
        return false
    }

    /// Whether records of a channel wait to leave; `isEarly` says that no session is open yet.
    mutating func hasOffer(_ channel: Channel, isEarly: Bool = false) -> Bool {
        channel.traits.order == .latestValue
            ? rooms.values.hasOffer(channel)
            : rooms.senders[Rooms.place(of: channel)].hasOffer(isEarly: isEarly)
    }

    /// Whether changes wait that could leave, but for their gathering.
    var isAnyGatheredWaiting: Bool {
        mutating get {
            hasOffer(.context) || hasOffer(.background)
        }
    }

    /// Nothing may leave: notes the time until which pacing delays the waiting frames. Where it
    /// delays urgent frames, answers and statements wait as well, whichever they are.
    mutating func pace(_ allowance: Allowance) {
        guard session?.recovery != nil else { return }
        let isPaced = isAnyWaiting(isBulk: true)
        let isLineBusy = isPaced && isNarrow
        session?.isPaced = isPaced
        session?.recovery?.received.isLineBusy = isLineBusy
        guard isPaced || !allowance.urgent else { return }
        let isUrgent = !allowance.urgent || isAnyWaiting(isBulk: false, urgentOnly: true)
        guard let departure = session?.recovery?.nextDeparture(isUrgent: isUrgent),
            departure > time.now
        else { return }
        session?.recovery?.pacedUntil = departure
    }
}

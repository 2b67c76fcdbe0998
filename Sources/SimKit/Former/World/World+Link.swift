import WatchProto

extension World {
    // MARK: Opening and closing

    /// The peer of `node` wants the carrier.
    func wantLink(_ node: Node<Security>) {
        guard node.link.generation == nil else { return }
        attempts += 1
        let attempt = attempts
        node.link = .wanted(attempt: attempt)
        trace.record(.wanted, at: now, side: node.side)
        guard scenario.carrier.isConnected else {
            generation += 1
            node.link = .opening(generation: generation)
            let wait = openWait(node, longestMicroseconds: 2_000)
            events.add(.opened(side: node.side, generation: generation), at: now.advanced(by: wait))
            return
        }
        if connect() { return }
        guard node.side != scenario.carrier.listener else { return }
        // A listener that is there but not ready refuses at once; silence takes its time.
        let isRefused = nodes[1 - node.side].process != nil && canConnect
        let wait = openWait(node, longestMicroseconds: isRefused ? 5_000 : 3_000_000)
        events.add(
            .attemptFailed(side: node.side, attempt: attempt), at: now.advanced(by: wait))
    }

    /// Connects the two when both want it and the line carries both ways.
    private func connect() -> Bool {
        guard canConnect else { return false }
        for node in nodes {
            guard case .wanted = node.link, node.process != nil, node.pausedUntil == nil else {
                return false
            }
        }
        generation += 1
        for node in nodes {
            directions[node.side] = makeDirection(node.side)
            node.link = .opening(generation: generation)
            node.early = []
            let wait =
                openWait(node, longestMicroseconds: 5_000) + weather[node.side].delay
            events.add(.opened(side: node.side, generation: generation), at: now.advanced(by: wait))
        }
        return true
    }

    /// Whether nothing blocks either direction now.
    private var canConnect: Bool {
        !(0..<2).contains { side in
            directions[side].options.outages.contains { $0.start <= now && now < $0.end }
                || directions[side].options.rateBitsPerSecond == 0
        }
    }

    private func openWait(_ node: Node<Security>, longestMicroseconds: UInt64) -> Duration {
        .microseconds(Int64(node.openRandom.uniform(in: 50...longestMicroseconds)))
    }

    func attemptFailed(_ node: Node<Security>, _ attempt: Int) {
        guard node.link == .wanted(attempt: attempt), let process = node.process else { return }
        if connect() { return }
        node.link = .idle
        coverage.meet(.attemptFailed)
        trace.record(.failed, at: now, side: node.side)
        process.peer.linkDown(CarrierFailure(call: "connect", errorNumber: 111), at: now)
        drain(node)
    }

    func opened(_ node: Node<Security>, _ generation: Int) {
        guard node.link == .opening(generation: generation), let process = node.process else {
            return
        }
        node.link = .up(generation: generation)
        trace.record(.opened, at: now, side: node.side, UInt64(generation), 0, "link \(generation)")
        let interval = weather[node.side].sendInterval
        node.wire.openings += 1
        show(.linkOpened, side: node.side)
        // What came before the carrier was open is received in this moment.
        let isCalled = scenario.carrier.kind.isLossy && !node.early.isEmpty
        process.peer.linkUp(
            scenario.carrier.traits(sendInterval: interval), isCalled: isCalled, at: now)
        drain(node)
        let early = node.early
        node.early = []
        let life = nodes[1 - node.side].life
        for bytes in early { arrive(bytes, at: node, generation, life: life, flight: 0) }
    }

    /// The peer of `node` closed the carrier; what it transmitted before still arrives.
    func closeLink(_ node: Node<Security>) {
        trace.record(.closed, at: now, side: node.side)
        endOtherEnd(of: node, CarrierFailure(call: "end of stream", errorNumber: 0))
        node.link = .idle
        node.isWaitingForRoom = false
    }

    /// Lets the other end learn, after everything in flight, that this one is gone.
    func endOtherEnd(of node: Node<Security>, _ failure: CarrierFailure) {
        guard scenario.carrier.isConnected, let generation = node.link.generation else { return }
        let direction = directions[node.side].options
        var after = max(node.lastArrivalAt, now.advanced(by: direction.delay))
        // The kernel of the side that is gone repeats its goodbye until it gets through.
        for outage in direction.outages where outage.start <= now && now < outage.end {
            coverage.meet(.halfOpen)
            after = max(after, outage.end.advanced(by: direction.delay))
        }
        guard after < .distantFuture else { return }
        events.add(.linkEnded(side: 1 - node.side, generation: generation, failure), at: after)
    }

    func linkEnded(_ node: Node<Security>, _ generation: Int, _ failure: CarrierFailure) {
        guard node.link.generation == generation, let process = node.process else { return }
        node.link = .idle
        node.isWaitingForRoom = false
        trace.record(.down, at: now, side: node.side, UInt64(generation), 0, "\(failure.call)")
        process.peer.linkDown(failure, at: now)
        drain(node)
    }

    // MARK: Bytes

    /// What the host of `node` does when its peer transmits.
    func transmit(_ bytes: [UInt8], from node: Node<Security>) -> Int {
        let taken = give(bytes, from: node)
        if repeats(taken) { _ = give(bytes, from: node) }
        return taken
    }

    private func give(_ bytes: [UInt8], from node: Node<Security>) -> Int {
        guard case .up(let generation) = node.link else { return 0 }
        let offer = directions[node.side].offer(bytes, at: now)
        count(offer.fate)
        meetEarly(bytes, offer.fate)
        trace.record(
            .packet, at: now, side: node.side, UInt64(offer.takenBytes),
            ContentHash.of(bytes) ^ UInt64(offer.fate.marks.rawValue),
            Self.describe(bytes.count, offer))
        if offer.takenBytes < bytes.count {
            if offer.takenBytes > 0 { coverage.meet(.takenInPart) }
            waitForRoom(node, generation)
        }
        tally(offer, of: node)
        let taken = Array(bytes.prefix(offer.takenBytes))
        if Security.isSealed { node.sealing.noteSent(taken) }
        if isRecorded { node.sent.append((taken, node.life)) }
        // Version 0 cannot tell damage; the carrier's checksum drops what is damaged, as in UDP.
        let isDamaged = !offer.fate.marks.isDisjoint(with: [.corrupted, .truncated])
        if isDamaged {
            coverage.meet(.damaged)
            if !Security.isSealed { return offer.takenBytes }
        }
        let flight = countFlight(bytes, from: node)
        for arrival in offer.arrivals {
            node.lastArrivalAt = max(node.lastArrivalAt, arrival.at)
            events.add(
                .arrival(
                    side: 1 - node.side, generation: generation, life: node.life,
                    flight: flight, arrival.bytes), at: arrival.at)
        }
        return offer.takenBytes
    }

    /// The number of a flight among those of its side; 0 for another packet.
    private func countFlight(_ bytes: [UInt8], from node: Node<Security>) -> UInt64 {
        guard !scenario.carrier.isConnected, let first = bytes.first,
            first & 0x03 == PacketKind.handshake.rawValue
        else { return 0 }
        node.flights += 1
        return node.flights
    }

    private func waitForRoom(_ node: Node<Security>, _ generation: Int) {
        guard !node.isWaitingForRoom, let room = directions[node.side].nextDeparture,
            room < .distantFuture
        else { return }
        node.isWaitingForRoom = true
        events.add(.room(side: node.side, generation: generation), at: max(room, now))
    }

    func hasRoom(_ node: Node<Security>, _ generation: Int) {
        guard node.link == .up(generation: generation) else { return }
        node.isWaitingForRoom = false
        drain(node)
    }

    func arrive(
        _ bytes: [UInt8], at node: Node<Security>, _ generation: Int, life: Int, flight: UInt64
    ) {
        let isOpen: Bool
        if scenario.carrier.isConnected {
            if node.link == .opening(generation: generation) {
                node.early.append(bytes)
                return
            }
            isOpen = node.link == .up(generation: generation)
        } else {
            // Nothing connects the two ends: a packet of an earlier link arrives like any other.
            if case .up = node.link { isOpen = true } else { isOpen = false }
            // Version 0 proves nothing: a flight of an earlier session that comes late would be
            // taken for a new one, and packets of the present session for that one's.
            if !Security.isSealed, flight > 0 {
                guard flight >= node.newestFlight else { return }
                node.newestFlight = flight
            }
        }
        guard isOpen, let process = node.process, !isHanging(node) else {
            trace.record(.dropped, at: now, side: node.side, UInt64(bytes.count))
            nodes[1 - node.side].wire.lose(bytes.count)
            return
        }
        trace.record(
            .arrive, at: now, side: node.side, UInt64(bytes.count), ContentHash.of(bytes),
            "\(bytes.count) B")
        if scenario.carrier.kind == .stream(.bytes) { coverage.meet(.byteAtATime) }
        node.wire.arrivals += 1
        var bytes = bytes
        if case .stream(.coalesced) = scenario.carrier.kind {
            // One read takes all that has arrived by now.
            coverage.meet(.coalesced)
            bytes = node.unread + bytes
            node.unread = []
            if events.nextIsArrival(at: now, side: node.side) {
                node.unread = bytes
                return
            }
        }
        node.packetLife = life
        if Security.isSealed { show(.arrival(isOver: false), side: node.side) }
        process.peer.receive(bytes.span, at: now)
        drain(node)
        if Security.isSealed { show(.arrival(isOver: true), side: node.side) }
        node.packetLife = nil
    }

    // MARK: Weather

    /// The direction out of `side` with its scheduled outages, or calm once all is healed.
    func makeDirection(_ side: Int) -> LinkModel {
        let seed = LinkDraws.mixed(scenario.seed &+ UInt64(generation) &* 4 &+ UInt64(side))
        return LinkModel(conditions(side), seed: seed)
    }

    /// What the direction out of `side` is like now.
    func conditions(_ side: Int) -> LinkOptions {
        var options = weather[side]
        options.kind = scenario.carrier.kind
        if scenario.carrier.isConnected, !Security.isSealed {
            // A kernel's stream does not alter bytes, and version 0 could not tell.
            options.corruption = 0
            options.truncation = 0
        }
        if isHealed {
            options = options.calm
        } else {
            options.outages += scriptedOutages[side]
        }
        return options
    }

    private func count(_ fate: PacketFate) {
        switch fate.lossCause {
        case .loss: coverage.meet(.lost)
        case .burst: coverage.meet(.lostInBurst)
        case .queueFull: coverage.meet(.queueFull)
        case .outage: coverage.meet(.outage)
        case .noRate, nil: break
        }
        guard !fate.marks.isEmpty else { return }
        for (mark, rarity) in Self.rarities where fate.marks.contains(mark) {
            coverage.meet(rarity)
        }
    }

    private static var rarities: [(PacketFate.Marks, Rarity)] {
        [
            (.duplicated, .duplicated), (.reordered, .reordered), (.clogged, .clogged),
            (.recovered, .recovered), (.stalled, .stalled), (.waited, .outage),
        ]
    }

    private static func describe(_ count: Int, _ offer: LinkOffer) -> String {
        var text = "\(count) B"
        if let cause = offer.fate.lossCause { return text + ", lost: \(cause)" }
        if offer.takenBytes < count { text += ", took \(offer.takenBytes)" }
        if let first = offer.arrivals.first { text += ", arrives \(Trace.seconds(first.at))" }
        if offer.arrivals.count > 1 { text += " in \(offer.arrivals.count)" }
        return text
    }
}

extension Scenario {
    /// The scheduled outages of each direction: partitions, and a direction that dies.
    func outages() -> [[LinkOutage]] {
        var outages: [[LinkOutage]] = [[], []]
        for fault in faults {
            guard case .partition(let side, let length) = fault.what else { continue }
            let outage = LinkOutage(from: fault.at, until: fault.at.advanced(by: length))
            for direction in 0..<2 where side == nil || side == direction {
                outages[direction].append(outage)
            }
        }
        if let dead = deadDirection {
            outages[dead.side].append(LinkOutage(from: dead.at, until: .distantFuture))
        }
        return outages
    }
}

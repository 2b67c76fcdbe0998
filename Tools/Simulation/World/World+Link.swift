import WatchProtoCore

extension World {
    // MARK: Opening and closing

    /// The peer of `node` wants the carrier.
    func wantLink(_ node: Node) {
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
                openWait(node, longestMicroseconds: 5_000) + linkConditions[node.side].delay
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

    private func openWait(_ node: Node, longestMicroseconds: UInt64) -> Duration {
        .microseconds(Int64(node.openRandom.uniform(in: 50...longestMicroseconds)))
    }

    func attemptFailed(_ node: Node, _ attempt: Int) {
        guard node.link == .wanted(attempt: attempt), let process = node.process else { return }
        if connect() { return }
        node.link = .idle
        coverage.meet(.attemptFailed)
        trace.record(.failed, at: now, side: node.side)
        process.peer.linkDown(CarrierFailure(call: "connect", errorNumber: 111), at: now)
        drain(node)
    }

    func opened(_ node: Node, _ generation: Int) {
        guard node.link == .opening(generation: generation), let process = node.process else {
            return
        }
        node.link = .up(generation: generation)
        trace.record(.opened, at: now, side: node.side, UInt64(generation), 0, "link \(generation)")
        let interval = linkConditions[node.side].sendInterval
        node.wire.openings += 1
        show(.linkOpened, side: node.side)
        let isListener = node.side == scenario.carrier.listener
        let other = nodes[1 - node.side]
        let isDialled = scenario.carrier.kind.isLossy && other.mapping == 0
        if isSealed, isDialled { show(.dialled(other.address), side: node.side) }
        process.peer.linkUp(
            scenario.carrier.traits(sendInterval: interval),
            address: isDialled ? other.address : nil,
            initiation: isListener ? scenario.carrier.listenerInitiation : .atOnce, at: now)
        drain(node)
        // Bytes that came before the carrier was open are received in this moment.
        let early = node.early
        node.early = []
        for bytes in early { arrive(bytes, at: node, generation) }
    }

    /// The peer of `node` closed the carrier; bytes that it transmitted before still arrive.
    func closeLink(_ node: Node) {
        trace.record(.closed, at: now, side: node.side)
        endOtherEnd(of: node, CarrierFailure(call: "end of stream", errorNumber: 0))
        node.link = .idle
        node.isWaitingForRoom = false
    }

    /// Lets the other end learn, after everything in flight, that this one is gone.
    func endOtherEnd(of node: Node, _ failure: CarrierFailure) {
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

    func linkEnded(_ node: Node, _ generation: Int, _ failure: CarrierFailure) {
        guard node.link.generation == generation, let process = node.process else { return }
        node.link = .idle
        node.isWaitingForRoom = false
        trace.record(.down, at: now, side: node.side, UInt64(generation), 0, "\(failure.call)")
        process.peer.linkDown(failure, at: now)
        drain(node)
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

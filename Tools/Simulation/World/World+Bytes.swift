import WatchProtoCore

/// Carries bytes over the link.
extension World {
    /// Carries out a transmission of the peer of `node`.
    func transmit(_ bytes: [UInt8], to address: PathAddress?, from node: Node) -> Int {
        let isLossy = scenario.carrier.kind.isLossy
        if isLossy, isLostInTranslation(address, from: node) {
            showLeft(bytes, to: address, from: node)
            node.wire.take(bytes.count)
            node.wire.lose(bytes.count)
            return bytes.count
        }
        if isLossy, address != nodes[1 - node.side].address {
            misread("a datagram leaves for \(address, default: "nowhere")", of: node)
        }
        let taken = give(bytes, from: node)
        if isLossy, taken > 0 { showLeft(bytes, to: address, from: node) }
        if mutant == .repeatPackets, taken > 0, isLossy {
            for _ in 0..<3 { _ = give(bytes, from: node) }
        }
        return taken
    }

    private func showLeft(
        _ bytes: [UInt8], to address: PathAddress?, from node: Node
    ) {
        guard isSealed, let address, let kind = kind(of: bytes) else { return }
        show(.datagramLeft(kind, bytes: bytes.count, to: address), side: node.side)
    }

    private func give(_ bytes: [UInt8], from node: Node) -> Int {
        guard case .up(let generation) = node.link else { return 0 }
        let offer = directions[node.side].offer(bytes, at: now)
        count(offer.fate)
        if keepsPackets { meetPacket(bytes, offer.fate, from: node) }
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
        if isSealed { node.sealing.noteSent(taken) }
        if isRecorded { node.sent.append(taken) }
        // Version 0 cannot tell damage; the carrier's checksum drops damaged packets, as in UDP.
        let isDamaged = !offer.fate.marks.isDisjoint(with: [.corrupted, .truncated])
        if isDamaged {
            coverage.meet(.damaged)
            if !isSealed { return offer.takenBytes }
        }
        for arrival in offer.arrivals {
            node.lastArrivalAt = max(node.lastArrivalAt, arrival.at)
            events.add(
                .arrival(side: 1 - node.side, generation: generation, arrival.bytes),
                at: arrival.at)
        }
        return offer.takenBytes
    }

    private func waitForRoom(_ node: Node, _ generation: Int) {
        guard !node.isWaitingForRoom, let room = directions[node.side].nextDeparture,
            room < .distantFuture
        else { return }
        node.isWaitingForRoom = true
        events.add(.room(side: node.side, generation: generation), at: max(room, now))
    }

    func hasRoom(_ node: Node, _ generation: Int) {
        guard node.link == .up(generation: generation) else { return }
        node.isWaitingForRoom = false
        node.process?.peer.wake(at: now)
        drain(node)
    }

    func arrive(_ bytes: [UInt8], at node: Node, _ generation: Int) {
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
        if keepsPackets { meetArrival(bytes, at: node) }
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
        let isLossy = scenario.carrier.kind.isLossy
        let source = isLossy ? nodes[1 - node.side].address : nil
        if isSealed {
            if let source, let kind = kind(of: bytes) {
                show(.datagramCame(kind, bytes: bytes.count, from: source), side: node.side)
            }
            show(.arrival(isOver: false), side: node.side)
        }
        if process.peer.receive(bytes.span, from: source, at: now) {
            drain(node)
        } else {
            showSealing(of: node)
            planWake(node)
        }
        if isSealed { show(.arrival(isOver: true), side: node.side) }
    }

    /// Whether nothing reaches the peer of `node` any more.
    private func isHanging(_ node: Node) -> Bool {
        mutant == .hang && node.side == 1 && now.nanoseconds >= 1_000_000_000
    }

    // MARK: Conditions

    /// The direction out of `side` with its scheduled outages, or calm once all is healed.
    func makeDirection(_ side: Int) -> LinkModel {
        let seed = LinkDraws.mixed(scenario.seed &+ UInt64(generation) &* 4 &+ UInt64(side))
        return LinkModel(currentConditions(side), seed: seed)
    }

    /// The present currentConditions of the direction out of `side`.
    func currentConditions(_ side: Int) -> LinkOptions {
        var options = linkConditions[side]
        options.kind = scenario.carrier.kind
        if scenario.carrier.isConnected, !isSealed {
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
        if let first = offer.arrivals.first { text += ", arrives \(WorldTrace.seconds(first.at))" }
        if offer.arrivals.count > 1 { text += " in \(offer.arrivals.count)" }
        return text
    }
}

import WatchProtoCore

/// The acts of an attacker on the network. The attacker sends old handshake messages, forges
/// resets, opens connections, and translates addresses.
extension World {
    // MARK: Old messages

    /// A message 1 that `node` sent `back` messages 1 ago arrives once more, with the early packets
    /// behind it; where the carrier is connected, on a connection of its own.
    func sendOldMessage1(of node: Node, back: Int) {
        guard isRecorded, !isHealed else { return }
        let starts = node.sent.indices.filter { kind(of: node.sent[$0]) == .initiation }
        guard back < starts.count else { return }
        let start = starts[starts.count - 1 - back]
        let early = node.sent[(start + 1)...].prefix { kind(of: $0) == .early }
        let packets = [node.sent[start]] + early
        coverage.meet(.replayed)
        trace.record(
            .cut, at: now, side: node.side, 5, UInt64(packets.count), "an old message 1 comes again"
        )
        guard !scenario.carrier.isConnected else {
            if node.side != scenario.carrier.listener { visit(nodes[1 - node.side], packets) }
            return
        }
        for packet in packets {
            events.add(.arrival(side: 1 - node.side, generation: 0, packet), at: now)
        }
    }

    /// The kind of a packet that left whole.
    func kind(of packet: [UInt8]) -> PacketKind? {
        guard case .stream = scenario.carrier.kind else {
            return packet.first.flatMap { PacketKind(rawValue: $0 & 0x07) }
        }
        let found = try? StreamFraming(limitBytes: packet.count).find(in: packet.span, from: 0)
        return found?.kind
    }

    // MARK: Forged resets

    /// Somebody who saw a packet of `node` says that nobody knows its session.
    func forgeReset(to node: Node) {
        guard isRecorded, !isHealed, scenario.carrier.kind.isLossy, case .up = node.link,
            node.pausedUntil == nil, let process = node.process,
            let id = node.sent.reversed().lazy.compactMap(connectionID).first
        else { return }
        var writer = WireWriter()
        let token = UInt128(node.replayRandom.next()) << 64 | UInt128(node.replayRandom.next())
        ResetPacket(connectionID: id, token: token).write(to: &writer)
        let packet = PacketFraming.plain(
            .reset, writer.bytes, carrier: scenario.carrier.traits(sendInterval: .zero))
        let state = process.peer.activationState
        let counted = process.peer.connectionCounters.invalidResets
        coverage.meet(.resetForged)
        trace.record(.cut, at: now, side: node.side, 6, 0, "a reset is forged")
        process.peer.receive(packet.span, from: nodes[1 - node.side].address, at: now)
        let isInert =
            process.peer.activationState == state
            && process.peer.connectionCounters.invalidResets == counted + 1
        show(.resetForged(isInert: isInert), side: node.side)
        drain(node)
    }

    private func connectionID(of packet: [UInt8]) -> ConnectionID? {
        var reader = WireReader(packet.span)
        guard let header = try? DatagramHeader.read(&reader, isLossy: true),
            header.kind == .transport
        else { return nil }
        return header.connectionID
    }

    // MARK: Newcomers

    /// Somebody connects to the side that listens and sends `packets`, or noise where there are
    /// none. The environment lets the peer look at the first packet, as a listener does.
    func visit(_ node: Node, _ packets: [[UInt8]], isSecondLook: Bool = false) {
        guard scenario.carrier.isConnected, !isHealed, node.side == scenario.carrier.listener,
            node.pausedUntil == nil, let process = node.process
        else { return }
        let traits = scenario.carrier.traits(sendInterval: linkConditions[node.side].sendInterval)
        var first = FirstPacket(traits.framing, limits: scenario.limits(of: node.side))
        var left = packets.isEmpty ? [noise(from: node)] : packets
        if traits.framing == .stream { left = [Array(left.joined())] }
        let chunk = left.removeFirst()
        first.receive(chunk.span)
        switch process.peer.screen(&first, on: traits, at: now) {
        case .admitted: admit(first.received, left, traits, at: node)
        case .crossed where isSecondLook: admit(first.received, left, traits, at: node)
        case .crossed:
            events.add(
                .visit(side: node.side, packets), at: now.advanced(by: PendingConnections.patience))
        case .incomplete, .answer, .refused: coverage.meet(.newcomerRefused)
        }
    }

    private func noise(from node: Node) -> [UInt8] {
        (0..<node.replayRandom.uniform(in: 1...200)).map { _ in
            UInt8(truncatingIfNeeded: node.replayRandom.next())
        }
    }

    /// A new connection takes the place of the open one. The attacker who made the new connection
    /// sends nothing more on it.
    private func admit(
        _ bytes: [UInt8], _ left: [[UInt8]], _ traits: CarrierTraits, at node: Node
    ) {
        guard let process = node.process else { return }
        coverage.meet(.newcomerAdmitted)
        trace.record(.opened, at: now, side: node.side, UInt64(generation), 1, "for a newcomer")
        endOtherEnd(of: node, CarrierFailure(call: "end of stream", errorNumber: 0))
        generation += 1
        node.link = .up(generation: generation)
        node.isWaitingForRoom = false
        directions[node.side] = makeDirection(node.side)
        node.wire.openings += 1
        show(.linkOpened, side: node.side)
        let leaves = Duration.milliseconds(Int64(node.replayRandom.uniform(in: 1...4_000)))
        events.add(
            .linkEnded(
                side: node.side, generation: generation,
                CarrierFailure(call: "end of stream", errorNumber: 0)), at: now.advanced(by: leaves)
        )
        process.peer.linkReplaced(by: traits, at: now)
        drain(node)
        for packet in [bytes] + left { arrive(packet, at: node, generation) }
    }

    // MARK: Translated addresses

    /// Whether a datagram goes to an address that the other side does not have any more, or to
    /// nobody: a translator on the way has changed it, and drops what comes for the former one.
    func isLostInTranslation(_ address: PathAddress?, from node: Node) -> Bool {
        let other = nodes[1 - node.side]
        guard other.mapping > 0 else { return false }
        return address.map { $0.host == other.address.host && $0.port < other.address.port } ?? true
    }

    /// The translator before `node` maps its address anew.
    func mapAnew(_ node: Node) {
        guard scenario.carrier.kind.isLossy, !isHealed else { return }
        node.mapping += 1
        coverage.meet(.mappedAnew)
        trace.record(.cut, at: now, side: node.side, 7, node.mapping, "mapped anew")
    }
}

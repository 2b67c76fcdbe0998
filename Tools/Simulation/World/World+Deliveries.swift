import WatchProtoCore
import WatchProtoRecords

/// Delivers records and answers of the peers to the applications.
extension World {
    // MARK: Deliveries

    /// The application of `node` is given `record` and answers.
    func show(_ record: InboundRecord, to node: Node) -> Disposition {
        let choice = LinkDraws.mixed(
            scenario.seed ^ ContentHash.of(record.payload) ^ record.id.number.rawValue)
        let disposition =
            scenario.isWritten
            ? Disposition.applied
            : Payloads.disposition(of: record, choice: choice % scenario.choices)
        trace.record(
            .deliver, at: now, side: node.side, record.id.number.rawValue,
            ContentHash.of(record.payload) ^ UInt64(record.id.channel.rawValue),
            "\(record.id.text), \(record.payload.count) B: \(disposition)")
        meet(record, disposition)
        if node.bringsEarly { coverage.meet(.earlyBeforeActivation) }
        show(.delivered(record, disposition), side: node.side)
        if record.id.channel.traits.isDurable { write(record, disposition, on: node) }
        if record.expectsReply, disposition == .applied {
            let wait = Duration.microseconds(Int64(record.id.number.rawValue % 50) * 1_000)
            events.add(
                .reply(side: node.side, life: node.life, record.id.number),
                at: now.advanced(by: wait))
        }
        return disposition
    }

    /// The application's writes belong to the transaction of the record.
    private func write(
        _ record: InboundRecord, _ disposition: Disposition, on node: Node
    ) {
        let value = mutatedEffect(of: record, on: node)
        switch disposition {
        case .applied:
            node.unwritten.append(.effect(record.id, record.key, value: value))
        case .pending:
            // A pending record is delivered again after a restart; the disk may hold its note.
            if !node.disk.application.undecided.contains(where: { $0.id == record.id }) {
                node.unwritten.append(.noted(record.id, record.key, value: value))
            }
            let wait = Duration.milliseconds(
                Int64(LinkDraws.mixed(record.id.number.rawValue ^ scenario.seed) % 2_000))
            let note = ApplicationState.Note(id: record.id, key: record.key, value: value)
            events.add(
                .decide(side: node.side, life: node.life, note), at: now.advanced(by: wait))
        case .rejected(let code):
            node.unwritten.append(.refusal(record.id, code: code))
        }
    }

    func decide(_ node: Node, _ life: Int, _ note: ApplicationState.Note) {
        let id = note.id
        guard node.life == life, let process = node.process else { return }
        guard process.peer.isPending(id) else { return lookForDecision(id, node) }
        let draw = LinkDraws.mixed(id.number.rawValue &+ scenario.seed)
        // A removal is never refused.
        let isApplied = note.value == 0 || draw % 5 > 0
        let disposition: Disposition = isApplied ? .applied : .rejected(code: 7)
        trace.record(
            .decide, at: now, side: node.side, id.number.rawValue, isApplied ? 1 : 0,
            "\(id.text): \(disposition)")
        coverage.meet(.appliedLater)
        show(.decided(id, disposition), side: node.side)
        node.unwritten.append(
            isApplied ? .effect(id, note.key, value: note.value) : .refusal(id, code: 7))
        process.peer.decide(id, disposition, at: now)
        drain(node)
    }

    /// A value may have been replaced before the decision: nothing is to be decided then.
    private func lookForDecision(_ id: RecordID, _ node: Node) {
        if id.channel.traits.order == .ordered { show(.undecidable(id), side: node.side) }
    }

    /// Looks whether the peer still has what the application's disk says is to be decided.
    func lookForDecisions(_ node: Node) {
        for note in node.disk.application.undecided where node.process != nil {
            if node.process?.peer.isPending(note.id) == false { lookForDecision(note.id, node) }
        }
    }

    // MARK: Events

    /// Carries out a report of the peer of `node`.
    func report(_ event: PeerEvent, from node: Node) {
        trace.record(.event, at: now, side: node.side, event.fingerprint, 0, "\(event)")
        meet(event, of: node)
        if case .settled(_, .expired) = event {
            for other in nodes { show(.wallClock(wallClock(of: other).time), side: other.side) }
        }
        showReport(event, from: node)
        switch event {
        case .linkWanted: wantLink(node)
        case .linkClosed(.replaced): break
        case .linkClosed: closeLink(node)
        case .settled(let id, let outcome): hear(outcome, of: id, on: node)
        case .recovered(_, let key, let kind, let payload):
            noteMedication(key, kind, payload, of: node)
        case .activation: node.activations += 1
        default: break
        }
    }
}

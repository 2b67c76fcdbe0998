import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The steps of work, and of packets between two devices.
extension DoseSimulation {
    func performStep() {
        let device = devices[Int.random(in: 0..<3, using: &random)]
        let other = devices[device.others.randomElement(using: &random) ?? 0]
        let next = plan.next(&random)
        if !advance(next, device, other) { fault(next, device, other) }
    }

    /// Performs a step of a world without faults. Returns false for any other step.
    private func advance(_ next: DoseStep, _ device: DoseDevice, _ other: DoseDevice) -> Bool {
        switch next {
        case .act: act(on: device)
        case .ask: askForCheck(device)
        case .piece: performPiece(device)
        case .commit: commit(device)
        case .record: deliverRecord(to: device, from: other)
        case .settlement: settleRecord(of: device, by: other)
        case .question: deliverQuestion(to: device, from: other)
        case .reply: deliverReply(to: device, from: other)
        case .connect: connect(device, other)
        case .reachable: becomeReachable(device, other)
        case .pause: endPauses(device)
        case .reopen: reopen(device, other)
        case .rest: rest()
        case .join: join(device, other)
        default: return false
        }
        return true
    }

    @discardableResult
    func performPiece(_ device: DoseDevice) -> Bool {
        guard device.work.performOne() else { return false }
        note(.piece, device.index)
        return true
    }

    @discardableResult
    func commit(_ device: DoseDevice) -> Bool {
        guard device.disk.state.withLock({ !$0.waiting.isEmpty }) else { return false }
        let isDurable = device.disk.commit()
        note(.commit, device.index, isDurable ? "" : "and fails")
        return true
    }

    /// The ends of the session of two devices over which packets travel: the first one's, and the
    /// other one's.
    private func ends(_ device: DoseDevice, _ other: DoseDevice) -> (DoseLink, DoseLink)? {
        guard connected.contains(max(device.index, other.index)),
            let own = device.links[other.index], let theirs = other.links[device.index]
        else { return nil }
        return (own, theirs)
    }

    @discardableResult
    func deliverRecord(to device: DoseDevice, from sender: DoseDevice) -> Bool {
        guard let (link, theirs) = ends(device, sender),
            let queue = sender.disk.state.withLock({ $0.contents.queues[device.index] }),
            link.state.withLock({ $0.isOpen })
        else { return false }
        let answers = device.disk.state.withLock { $0.contents.answers[sender.index] } ?? [:]
        let delivered = link.state.withLock { $0.delivered }
        let next = queue.first { answers[$0.id] == nil && !delivered.contains($0.id) }
        guard let next else { return false }
        link.state.withLock { _ = $0.delivered.insert(next.id) }
        note(.record, device.index, "\(next.id.number.rawValue)")
        learn(next.payload, link, theirs, device)
        link.exchange.receive(
            InboundRecord(id: next.id, kind: .doseEvent, key: nil, payload: next.payload),
            at: .zero)
        return true
    }

    /// Remembers an event that is new to a device, if nothing but an echo can bring it back to the
    /// device it comes from.
    private func learn(
        _ payload: [UInt8], _ link: DoseLink, _ theirs: DoseLink, _ device: DoseDevice
    ) {
        guard device.isQuiet, !device.isTroubled,
            [link, theirs].allSatisfy({ link in link.state.withLock { $0.questions.isEmpty } }),
            let event = try? DoseEvent(decoding: payload)
        else { return }
        device.disk.state.withLock { state in
            guard state.ledger.event(event.id.rawValue) == nil else { return }
            state.learnt[link.other, default: []].insert(event.id.rawValue)
        }
    }

    /// A sender learns the durable answer to one of its records.
    @discardableResult
    func settleRecord(of device: DoseDevice, by receiver: DoseDevice) -> Bool {
        guard let (link, _) = ends(device, receiver) else { return false }
        let answers = receiver.disk.state.withLock { $0.contents.answers[device.index] } ?? [:]
        let settled = device.disk.state.withLock { state -> DoseDiskContents.Queued? in
            guard
                let place = state.contents.queues[receiver.index]?
                    .firstIndex(where: { answers[$0.id] != nil })
            else { return nil }
            return state.contents.queues[receiver.index]?.remove(at: place)
        }
        guard let settled, let outcome = answers[settled.id] else { return false }
        note(.settlement, device.index, "\(settled.id.number.rawValue) \(outcome)")
        let event = try? DoseEvent(decoding: settled.payload)
        if outcome == .applied, let event,
            receiver.disk.state.withLock({ $0.ledger }).event(event.id.rawValue) == nil
        {
            report(.lost, receiver.index, "\(Self.hex(event.id.rawValue)) is applied, not durable")
        }
        link.exchange.settled(settled.id, outcome)
        if mutant == .settlesForBoth { settleForBoth(settled.payload, device) }
        return true
    }

    /// A mutant's phone takes a record for both watches as settled.
    private func settleForBoth(_ payload: [UInt8], _ device: DoseDevice) {
        for link in device.ends {
            let ids = device.disk.state.withLock { state -> [RecordID] in
                let ids = state.contents.queues[link.other, default: []]
                    .filter { $0.payload == payload }.map(\.id)
                state.contents.queues[link.other]?.removeAll { ids.contains($0.id) }
                return ids
            }
            for id in ids { link.exchange.settled(id, .applied) }
        }
    }

    @discardableResult
    func deliverQuestion(to device: DoseDevice, from asker: DoseDevice) -> Bool {
        guard let (own, link) = ends(device, asker),
            own.state.withLock({ $0.isOpen }),
            let question = link.state.withLock({ state -> DoseLink.Question? in
                guard let place = state.questions.firstIndex(where: { !$0.isDelivered })
                else { return nil }
                state.questions[place].isDelivered = true
                return state.questions[place]
            })
        else { return false }
        note(.question, device.index, "\(question.bytes.first ?? 0)")
        if let reply = plantedReply(to: question, link) {
            link.state.withLock { $0.questions.removeAll { $0.id == question.id } }
            question.answered(reply)
            return true
        }
        link.markDelivered(question.id, device.disk.identities)
        device.disk.state.withLock { state in
            state.learnt[asker.index] = nil
            // A call (3) asks for a comparison: an answer of that may be under way already.
            guard question.bytes.first != 3 else { return }
            // The question may be 10 s old (D-23).
            state.compared[asker.index] = DoseComparison(
                events: question.asked.events, minute: device.clock.minute(before: 10))
        }
        own.exchange.receiveQuestion(
            InboundRecord(
                id: question.id, kind: .ledger, key: nil, payload: question.bytes,
                expectsReply: true))
        return true
    }

    /// The answer that a mutant gives in the place of the other device.
    private func plantedReply(to question: DoseLink.Question, _ link: DoseLink) -> [UInt8]? {
        switch (mutant, question.bytes.first) {
        case (.losesCall, 3): return [4]
        case (.comparesOnce, 1):
            let count = link.state.withLock { state in
                state.comparisons += 1
                return state.comparisons
            }
            return count > 1 ? [1] : nil
        default: return nil
        }
    }

    @discardableResult
    func deliverReply(to device: DoseDevice, from other: DoseDevice) -> Bool {
        guard let (own, link) = ends(device, other),
            let reply = link.state.withLock({ state in
                state.replies.isEmpty ? nil : state.replies.removeFirst()
            })
        else { return false }
        let question = own.state.withLock { state -> DoseLink.Question? in
            guard let place = state.questions.firstIndex(where: { $0.id == reply.to })
            else { return nil }
            return state.questions.remove(at: place)
        }
        note(.reply, device.index, question == nil ? "too late" : "\(reply.payload.first ?? 0)")
        if let question, device.index == 0 {
            device.disk.state.withLock { state in
                state.compared[other.index] = DoseComparison(
                    events: question.events, minute: question.asked.minute)
            }
        }
        let isPlanted = mutant == .answersEqual && reply.payload.first == 2
        question?.answered(isPlanted ? [1] : reply.payload)
        return true
    }

    func connect(_ device: DoseDevice, _ other: DoseDevice) {
        let watch = max(device.index, other.index)
        guard devices[0].links[watch] != nil, connected.insert(watch).inserted else { return }
        note(.connect, watch)
    }

    /// A session begins where there is none.
    func join(_ device: DoseDevice, _ other: DoseDevice) {
        guard device.links[other.index] == nil else { return }
        note(.join, device.index, Self.name(other.index))
        device.begin(with: other.index)
    }

    @discardableResult
    func becomeReachable(_ device: DoseDevice, _ other: DoseDevice) -> Bool {
        guard let (link, _) = ends(device, other), !link.isReachable,
            link.state.withLock({ $0.isOpen })
        else { return false }
        note(.reachable, device.index, Self.name(other.index))
        link.set(isReachable: true)
        return true
    }

    @discardableResult
    func endPauses(_ device: DoseDevice) -> Bool {
        guard device.work.isPausing else { return false }
        note(.pause, device.index)
        device.work.endPauses()
        return true
    }

    /// The session opens a journal that failed, and delivers again what it has no answer to.
    @discardableResult
    func reopen(_ device: DoseDevice, _ other: DoseDevice) -> Bool {
        guard let link = device.links[other.index],
            device.disk.state.withLock({ $0.isFailed || $0.stopped.contains(other.index) })
        else { return false }
        note(.reopen, device.index, Self.name(other.index))
        let isFirst = device.disk.state.withLock { $0.isFailed }
        device.disk.openAgain(for: other.index)
        link.state.withLock { $0.delivered = [] }
        if mutant == .keepsUnderWay || mutant == .reopensForOne && !isFirst { return true }
        link.exchange.journalReopened()
        return true
    }
}

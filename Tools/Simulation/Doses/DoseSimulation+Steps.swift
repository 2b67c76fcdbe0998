import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The steps of work, and of packets between two devices.
extension DoseSimulation {
    func performStep() {
        let device = devices[Int.random(in: 0..<3, using: &random)]
        let next = plan.next(&random)
        switch next {
        case .act: act(on: device)
        case .clock:
            device.clock = Int64.random(in: -400_000_000...400_000_000, using: &random)
            note(.clock, device.index)
        default:
            if !advance(next, device) { fault(next, device) }
        }
    }

    /// Performs a step of a world without faults. Returns false for any other step.
    private func advance(_ next: DoseStep, _ device: DoseDevice) -> Bool {
        switch next {
        case .piece: performPiece(device)
        case .commit: commit(device)
        case .record: deliverRecord(to: device)
        case .settlement: settleRecord(of: device)
        case .question: deliverQuestion(to: device)
        case .reply: deliverReply(to: device)
        case .connect: connect()
        case .reachable: becomeReachable(device)
        case .pause: endPauses(device)
        case .reopen: reopen(device)
        case .rest: rest()
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

    /// The device at the other end of a session over which packets travel.
    private func counterpart(of device: DoseDevice) -> (DoseDevice, DoseLink, DoseLink)? {
        guard isConnected, let active, device.index == 0 || device === active,
            case let other = device.index == 0 ? active : devices[0],
            let own = device.link, let link = other.link, link.other == device.index
        else { return nil }
        return (other, own, link)
    }

    @discardableResult
    func deliverRecord(to device: DoseDevice) -> Bool {
        guard let (sender, link, _) = counterpart(of: device),
            let queue = sender.disk.state.withLock({ $0.contents.queues[device.index] }),
            link.state.withLock({ $0.isOpen })
        else { return false }
        let answers = device.disk.state.withLock { $0.contents.answers[sender.index] } ?? [:]
        let delivered = link.state.withLock { $0.delivered }
        let next = queue.first { answers[$0.id] == nil && !delivered.contains($0.id) }
        guard let next else { return false }
        link.state.withLock { _ = $0.delivered.insert(next.id) }
        note(.record, device.index, "\(next.id.number.rawValue)")
        device.exchange.receive(
            InboundRecord(id: next.id, kind: .doseEvent, key: nil, payload: next.payload),
            at: .zero)
        return true
    }

    /// A sender learns the durable answer to one of its records.
    @discardableResult
    func settleRecord(of device: DoseDevice) -> Bool {
        guard let (receiver, _, _) = counterpart(of: device) else { return false }
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
        device.exchange.settled(settled.id, outcome)
        return true
    }

    @discardableResult
    func deliverQuestion(to device: DoseDevice) -> Bool {
        guard let (_, own, link) = counterpart(of: device),
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
        device.exchange.receiveQuestion(
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
    func deliverReply(to device: DoseDevice) -> Bool {
        guard let (_, own, link) = counterpart(of: device),
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
        question?.answered(reply.payload)
        return true
    }

    func connect() {
        guard !isConnected, active != nil else { return }
        isConnected = true
        note(.connect, 0)
    }

    @discardableResult
    func becomeReachable(_ device: DoseDevice) -> Bool {
        guard let (_, link, _) = counterpart(of: device), !link.isReachable,
            link.state.withLock({ $0.isOpen })
        else { return false }
        link.state.withLock { $0.isReachable = true }
        note(.reachable, device.index)
        device.exchange.reachable(true)
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
    func reopen(_ device: DoseDevice) -> Bool {
        guard let link = device.link, device.disk.state.withLock({ $0.isFailed }) else {
            return false
        }
        note(.reopen, device.index)
        device.disk.openAgain()
        link.state.withLock { $0.delivered = [] }
        if mutant != .keepsUnderWay { device.exchange.journalReopened() }
        return true
    }
}

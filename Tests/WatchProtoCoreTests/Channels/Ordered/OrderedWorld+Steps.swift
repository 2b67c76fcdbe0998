@testable import WatchProtoCore

/// The course of a walk: steps drawn at random, and the healing at the end.
extension OrderedWorld {
    mutating func step() throws {
        now = now.advanced(by: .milliseconds(5))
        clock.milliseconds += 5
        let roll = random.uniform(in: 0...99)
        switch roll {
        case 0..<14: accept()
        case 14..<18: cancelOne()
        case 18..<30: if isConnected { sendOffers() }
        case 30..<42: if isConnected { sendAnswers() }
        case 42..<60: try movePacket(toReceiver: true)
        case 60..<70: if isConnected { try movePacket(toReceiver: false) }
        case 70..<78: deliverToApplication()
        case 78..<84:
            formSenderBatch()
            commitSender()
        case 84..<91:
            formReceiverBatch()
            commitReceiver()
        case 91..<94: if isReceiverAlone, random.chance(0.7) { greet() } else { connect() }
        case 94..<96: decideOne()
        default: fault()
        }
        sender.expire(at: clock)
        if random.chance(0.1), isConnected { receiver.oweReceived() }
    }

    mutating func accept() {
        serial += 1
        act += 1
        var id = act
        if faults.contains(.redo), random.chance(0.2) { id = random.uniform(in: 1...act) }
        let bytes = random.chance(0.05) ? 3000 : Int(random.uniform(in: 0...40))
        var draft = RecordDraft(
            channel: channel, kind: Payload.kind,
            payload: Payload.make(serial: serial, act: id, bytes: bytes))
        draft.idempotencyKey = faults.contains(.redo) ? UInt128(id) : nil
        draft.waitsForCommit = random.chance(0.1)
        if faults.contains(.expiry), random.chance(0.15) {
            draft.expiresAt = WallTime(
                milliseconds: clock.milliseconds + Int64(random.uniform(in: 1...900)))
        }
        guard let record = try? sender.accept(draft, isReachable: true, clock: clock, at: now)
        else { return }
        acceptedActs[record] = acceptedActs[record] ?? id
    }

    mutating func cancelOne() {
        guard faults.contains(.cancels) else { return }
        var ids: [RecordID] = []
        for epoch in sender.epochs { epoch.items.visit { ids.append($1.record.id) } }
        guard !ids.isEmpty else { return }
        sender.cancel(ids[Int(random.uniform(in: 0...UInt64(ids.count - 1)))])
    }

    mutating func movePacket(toReceiver isToReceiver: Bool) throws {
        let count = isToReceiver ? toReceiver.count : toSender.count
        guard count > 0 else { return }
        let index = isHealing ? 0 : Int(random.uniform(in: 0...UInt64(count - 1)))
        let packet = isToReceiver ? toReceiver[index] : toSender[index]
        if !isHealing, random.chance(0.1) {
            // A duplicate stays under way.
        } else if isToReceiver {
            toReceiver.remove(at: index)
        } else {
            toSender.remove(at: index)
        }
        if !isHealing, random.chance(0.15) {
            return lose(packet, toReceiver: isToReceiver)
        }
        if isToReceiver { try deliverToReceiver(packet) } else { try deliverToSender(packet) }
    }

    mutating func deliverToApplication() {
        while let record = receiver.nextDelivery(clock: clock, at: now) {
            let roll = random.uniform(in: 0...19)
            var word = Disposition.applied
            if roll == 0 { word = .rejected(code: 9) }
            if roll < 6, roll > 1, faults.contains(.pending), !isHealing { word = .pending }
            receiver.disposed(record, word, clock: clock, at: now)
            if !isHealing, random.chance(0.3) { return }
        }
    }

    mutating func decideOne() {
        let ids = receiver.pending.keys
        guard !ids.isEmpty else { return }
        let id = ids[Int(random.uniform(in: 0...UInt64(ids.count - 1)))]
        receiver.decide(id, random.chance(0.7) ? .applied : .rejected(code: 3))
    }

    mutating func fault() {
        if random.chance(0.2) {
            if random.chance(0.5) {
                senderBackup = senderJournal.durable.count
            } else {
                receiverBackup = receiverJournal.durable.count
            }
            return
        }
        let isSender = random.chance(0.5)
        if isSender, let backup = senderBackup, faults.contains(.senderRestore),
            random.chance(0.4)
        {
            senderJournal.restore(to: backup)
            senderBackup = nil
            senderWentBack = true
            truth.checksOrder = false
            openSender()
        } else if !isSender, let backup = receiverBackup, faults.contains(.receiverRestore),
            random.chance(0.4)
        {
            receiverJournal.restore(to: backup)
            receiverBackup = nil
            receiverLosses += 1
            openReceiver()
        } else if faults.contains(.crashes) {
            let keep = Int(random.uniform(in: 0...2))
            if isSender {
                formSenderBatch()
                _ = senderJournal.crash(keeping: keep)
                openSender()
            } else {
                formReceiverBatch()
                _ = receiverJournal.crash(keeping: keep)
                openReceiver()
            }
        }
    }

    /// Faults end and one session lives: everything comes to an end (I5).
    mutating func heal() throws {
        isHealing = true
        // The session in which packets were lost comes to an end as well as a new one does.
        if !isConnected || random.chance(0.5) { connect() }
        for round in 0..<300 {
            // Epochs that the sender lost are closed while records of them are pending.
            if round > 100 {
                for id in receiver.pending.keys { receiver.decide(id, .applied) }
            }
            deliverToApplication()
            try pump()
        }
        checkEnd()
    }

    /// One exchange without a fault: what may leave leaves, arrives and is committed.
    mutating func pump() throws {
        now = now.advanced(by: .milliseconds(5))
        sendOffers()
        while !toReceiver.isEmpty { try movePacket(toReceiver: true) }
        formReceiverBatch()
        while !receiverJournal.underWay.isEmpty { commitReceiver() }
        sendAnswers()
        while !toSender.isEmpty { try movePacket(toReceiver: false) }
        formSenderBatch()
        while !senderJournal.underWay.isEmpty { commitSender() }
    }

    private mutating func checkEnd() {
        let present = senderEpochs[senderEpochs.count - 1]
        if sender.unsettledCount > 0 { problems.append("\(sender.unsettledCount) never end") }
        let undecided = truth.states.filter { $0.value == .pending }
        if !undecided.isEmpty { problems.append("\(undecided.count) are pending for ever") }
        if receiver.hasDeliveries { problems.append("deliveries are left") }
        for id in receiver.durable.ids where id != present {
            problems.append("the receiver keeps epoch \(id) open")
        }
        for id in senderEpochs.dropLast() where !goneEpochs.contains(id) {
            problems.append("the sender lists epoch \(id) for ever")
        }
        if senderWentBack || receiverLosses > 0 { return }
        var known: [RecordID: Outcome] = [:]
        var tails: [EpochID: UInt64] = [:]
        for entry in senderJournal.durable {
            if case .settled(let id, let outcome) = entry { known[id] = outcome }
            if case .tailLost(let id, _, let last) = entry { tails[id] = max(tails[id] ?? 0, last) }
        }
        for (id, state) in truth.states where state != .notApplied {
            let outcome = known[id]
            if outcome == nil, id.number.rawValue > tails[id.epoch] ?? 0 {
                problems.append("\(id) was lost by its sender and not returned")
            }
            if let outcome, outcome != .applied {
                problems.append("\(id) is \(outcome) at its sender and \(state) at its receiver")
            }
        }
        for (id, outcome) in known where outcome == .applied && truth.states[id] != .applied {
            problems.append("\(id) is applied at its sender alone")
        }
    }
}

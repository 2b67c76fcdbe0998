@testable import WatchProtoCore

/// The packets between the two sides.
extension OrderedWorld {
    mutating func sendOffers(isEarly: Bool = false) {
        var packet = Packet()
        var writer = WireWriter()
        if !isEarly {
            packet.sent += sender.writeHints(to: &writer, room: 400)
            if sender.hasStatements {
                packet.sent += sender.writeStatements(to: &writer, room: 400)
            }
            let over = overDue.filter { sender.isSettled($0) }
            packet.over = over
            overDue.removeAll { over.contains($0) }
        }
        for _ in 0..<8 {
            let offer = sender.writeOffer(
                to: &writer,
                OrderedSender.Packet(
                    room: 1200 - writer.count, freshRoom: 1200, isEarly: isEarly,
                    allowsFurther: true))
            guard case .written(let reference) = offer else { break }
            packet.sent.append(reference)
            // A fragment may extend to the end of its packet.
            if case .fragment = reference { break }
        }
        packet.bytes = writer.bytes
        if !packet.bytes.isEmpty || !packet.over.isEmpty { toReceiver.append(packet) }
    }

    mutating func sendAnswers() {
        var packet = Packet()
        var writer = WireWriter()
        packet.told += receiver.writeHints(to: &writer, room: 600)
        packet.told += receiver.writeStatements(to: &writer, room: 600)
        for id in heldDue {
            guard let part = receiver.held(id) else { continue }
            EpochHeldFrame(epoch: id, parts: [part]).write(to: &writer)
            packet.held.append(id)
        }
        heldDue.removeAll { packet.held.contains($0) }
        packet.closed = closedDue
        closedDue = []
        packet.bytes = writer.bytes
        if !packet.bytes.isEmpty || !packet.closed.isEmpty { toSender.append(packet) }
    }

    mutating func lose(_ packet: Packet, toReceiver isToReceiver: Bool) {
        if isToReceiver {
            for reference in packet.sent { sender.lost(reference) }
            for id in packet.over where !overDue.contains(id) { overDue.append(id) }
        } else {
            for reference in packet.told { receiver.lost(reference) }
            closedDue += packet.closed
            for id in packet.held where !heldDue.contains(id) { heldDue.append(id) }
        }
    }

    mutating func deliverToReceiver(_ packet: Packet) throws {
        var reader = WireReader(packet.bytes.span)
        while !reader.isAtEnd {
            let code = try reader.byte("type")
            guard let type = FrameType(code: code) else { throw TestFault.frame(code) }
            switch type {
            case .record:
                try receiver.receive(try RecordFrame.read(&reader), at: now)
            case .cancel:
                try receiver.receive(try CancelFrame.read(&reader), at: now)
            case .fragment: try receiver.receive(try FragmentFrame.read(&reader), at: now)
            case .furtherFragment:
                try receiver.receive(try FragmentFrame.readFurther(code, &reader), at: now)
            case .watermark:
                try receiver.receive(try WatermarkFrame.read(&reader), at: now)
            default: throw TestFault.frame(code)
            }
        }
        receiverOver += packet.over.filter { !receiverOver.contains($0) }
        closeWaitingEpochs()
    }

    /// Epochs that the sender called over are closed once they can be.
    mutating func closeWaitingEpochs() {
        let over = receiverOver
        receiverOver = []
        for id in over { receiveOver(id) }
    }

    private mutating func receiveOver(_ id: EpochID) {
        if closedEpochs.contains(id) {
            closedDue.append(id)
            return
        }
        guard receiver.canClose(id) else { return receiverOver.append(id) }
        formReceiverBatch()
        receiver.close(id)
        closedEpochs.append(id)
        formReceiverBatch(adding: .epoch(id, .closed))
    }

    mutating func deliverToSender(_ packet: Packet) throws {
        var reader = WireReader(packet.bytes.span)
        while !reader.isAtEnd {
            let code = try reader.byte("type")
            switch FrameType(code: code) {
            case .acknowledgement:
                try sender.receive(try AcknowledgementFrame.read(&reader))
            case .outcome: try sender.receive(try OutcomeFrame.read(&reader))
            case .received: try sender.receive(try ReceivedFrame.read(&reader))
            case .credit: sender.receive(try CreditFrame.read(&reader))
            case .tryLater: try sender.receive(try TryLaterFrame.read(&reader))
            case .epochHeld: try receive(try EpochHeldFrame.read(&reader))
            default: throw TestFault.frame(code)
            }
            checkSettlements()
        }
        for id in packet.closed where !goneEpochs.contains(id) {
            goneEpochs.append(id)
            sender.epochIsGone(id)
            formSenderBatch(adding: .epoch(id, .gone))
        }
    }

    private mutating func receive(_ frame: EpochHeldFrame) throws {
        if !goneEpochs.contains(frame.epoch) {
            for part in frame.parts {
                try sender.receiveHeld(
                    frame.epoch, through: part.through, watermark: part.watermark)
            }
        }
        if !overDue.contains(frame.epoch) { overDue.append(frame.epoch) }
    }

    /// Checks the sender's latest conclusions against the receiver's journal.
    private mutating func checkSettlements() {
        for entry in sender.entries {
            guard case .settled(let id, let outcome) = entry else { continue }
            let state = truth.states[id]
            switch outcome {
            case .applied where state != .applied:
                problems.append("\(id) is said to be applied, and is \(String(describing: state))")
            case .cancelled where state == .applied || state == .pending,
                .expired where state == .applied || state == .pending,
                .rejected where state == .applied || state == .pending:
                problems.append("\(id) is said to be \(outcome), and is \(state!)")
            case .unknown where !senderWentBack:
                problems.append("\(id) is unknown to a sender that lost nothing")
            default: break
            }
        }
        formSenderBatch()
    }
}

enum TestFault: Error { case frame(UInt8) }

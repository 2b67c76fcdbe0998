import Testing

@testable import WatchProtoCore

/// The link of a pair: frames are written and read as bytes.
extension ValuePair {
    /// Writes all that the sender may send now into packets.
    mutating func transmitSender() throws {
        for channel in [Channel.complication, .context] {
            while sender.hasOffer(channel) {
                var writer = WireWriter()
                let offer = sender.writeOffer(
                    channel, to: &writer, room: largestPacket, freshRoom: largestPacket)
                guard case .written = offer else { break }
                try carry(writer.bytes, toReceiver: true)
            }
        }
        guard sender.session?.verdict != .early else { return }
        while sender.hasHints() || sender.hasStatements {
            var writer = WireWriter()
            _ = sender.writeHints(to: &writer, room: largestPacket)
            _ = sender.writeStatements(to: &writer, room: largestPacket - writer.count)
            guard writer.count > 0 else { break }
            try carry(writer.bytes, toReceiver: true)
        }
    }

    /// Writes all that the receiver may send now into packets.
    mutating func transmitReceiver() throws {
        if receiver.isClean, sender.session != nil {
            let known = TestEpochs.restored(receiverJournal.entries).known
            let isNews = known.contains { !senderEpochs.confirmed.contains($0) }
            if isNews { toSender.append(.epochsKnown(known)) }
        }
        while receiver.hasHints || receiver.hasStatements {
            var writer = WireWriter()
            _ = receiver.writeHints(to: &writer, room: largestPacket)
            _ = receiver.writeStatements(
                to: &writer, room: largestPacket - writer.count, known: receiverEpochs)
            guard writer.count > 0 else { break }
            try carry(writer.bytes, toReceiver: false)
        }
    }

    mutating func carry(_ bytes: [UInt8], toReceiver isForward: Bool) throws {
        carriedBytes += bytes.count
        var reader = WireReader(bytes.span)
        while !reader.isAtEnd {
            let frame = try Self.read(&reader, limits)
            if case .value(let value) = frame { sentFrames.append(value) }
            if case .needBase = frame { needBases += 1 }
            if isForward, receiver.session != nil { toReceiver.append(frame) }
            if !isForward, sender.session != nil { toSender.append(frame) }
        }
    }

    /// Reads any frame of these machines.
    static func read(
        _ reader: inout WireReader, _ limits: Limits
    ) throws(WireError) -> Carried {
        let code = try reader.byte("frame type")
        switch FrameType(code: code) {
        case .value: return .value(try .read(&reader))
        case .fragment: return .fragment(try .read(&reader))
        case .furtherFragment: return .fragment(try .readFurther(code, &reader))
        case .nothingLost: return .nothingLost
        case .mended: return .mended
        case .removalWatermark: return .watermark(try .read(&reader))
        case .heldQuery: return .heldQuery(try .read(&reader))
        case .valueQuery: return .valueQuery(try .read(&reader))
        case .valueAcknowledgement: return .acknowledgement(try .read(&reader))
        case .valueOutcome: return .outcome(try .read(&reader))
        case .needBase: return .needBase(try .read(&reader))
        case .heldDigest: return .digest(try .read(&reader))
        case .heldRanges: return .ranges(try .read(&reader))
        case .held: return .held(try .read(&reader))
        case .heldValue: return .heldValue(try .read(&reader))
        default:
            throw WireError(.unknownCode, at: 0, expected: "frame of values", found: UInt64(code))
        }
    }

    /// The receiver takes the oldest frame under way.
    mutating func deliverForward(at place: Int = 0) throws {
        let frame = toReceiver.remove(at: place)
        switch frame {
        case .value(let frame): try receiver.receive(frame, known: &receiverEpochs, clock: clock)
        case .fragment(let frame):
            try receiver.receive(frame, known: &receiverEpochs, clock: clock)
        case .nothingLost:
            receiver.receive(NothingLostFrame(), known: &receiverEpochs, clock: clock)
        case .mended: receiver.receive(MendedFrame(), known: &receiverEpochs, clock: clock)
        case .watermark(let frame): receiver.receive(frame)
        case .heldQuery(let frame): try receiver.receive(frame)
        case .valueQuery(let frame): try receiver.receive(frame)
        case .epochs(let epochs, let announced):
            sender.listed(epochs)
            receiver.listed(epochs, announced: announced, known: &receiverEpochs, clock: clock)
        default: Issue.record("not for a receiver")
        }
    }

    /// The receiver's application answers what it was given.
    mutating func answerDeliveries() {
        for record in receiver.takeDeliveries() {
            delivered.append(record)
            receiver.disposed(record, disposition(record), clock: clock)
        }
    }

    /// The sender takes the oldest frame under way.
    mutating func deliverBackward(at place: Int = 0) throws {
        let frame = toSender.remove(at: place)
        switch frame {
        case .acknowledgement(let frame): sender.receive(frame)
        case .outcome(let frame): sender.receive(frame)
        case .needBase(let frame): sender.receive(frame)
        case .digest(let frame): try sender.receive(frame)
        case .ranges(let frame): try sender.receive(frame)
        case .held(let frame): try sender.receive(frame)
        case .heldValue(let frame): try sender.receive(frame)
        case .epochsKnown(let epochs):
            guard sender.hearsStatements else { return }
            for epoch in epochs { senderEpochs.confirm(epoch) }
        default: Issue.record("not for a sender")
        }
    }

    /// Runs until nothing more happens.
    mutating func settle() throws {
        var quietRounds = 0
        for _ in 0..<2000 {
            commitSender()
            try transmitSender()
            let isBusy = !toReceiver.isEmpty || !toSender.isEmpty
            while !toReceiver.isEmpty { try deliverForward() }
            answerDeliveries()
            commitReceiver()
            try transmitReceiver()
            while !toSender.isEmpty { try deliverBackward() }
            quietRounds = isBusy ? 0 : quietRounds + 1
            if quietRounds == 3 { return }
        }
        Issue.record("the pair does not come to rest")
    }

    // MARK: The application

    @discardableResult
    mutating func write(
        _ key: UInt128, _ text: String, _ channel: Channel = .context, waits: Bool = false
    ) throws -> RecordID {
        try sender.accept(
            RecordDraft(
                channel: channel, kind: TestKinds.text, key: RecordKey(rawValue: key),
                payload: Array(text.utf8), waitsForCommit: waits), clock: clock)
    }

    @discardableResult
    mutating func remove(_ key: UInt128, _ channel: Channel = .context) throws -> RecordID {
        try sender.accept(
            RecordDraft(
                channel: channel, kind: TestKinds.removal, key: RecordKey(rawValue: key),
                payload: []), clock: clock)
    }

    /// The value that the receiver holds of a key, as text; nil for nothing or a removal.
    func held(_ key: UInt128, _ channel: Channel = .context) -> String? {
        let name = ValueName(channel: channel, key: RecordKey(rawValue: key))
        guard let record = receiver.held(name), record.kind == TestKinds.text else { return nil }
        return String(decoding: record.payload, as: UTF8.self)
    }

    /// The value that the sender has of a key, as text.
    func own(_ key: UInt128, _ channel: Channel = .context) -> String? {
        let name = ValueName(channel: channel, key: RecordKey(rawValue: key))
        guard let record = sender.newest(name), record.kind == TestKinds.text else { return nil }
        return String(decoding: record.payload, as: UTF8.self)
    }
}

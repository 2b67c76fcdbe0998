/// This side's answers about the counterpart's records: statements that rest on the journal, and
/// hints.
extension OrderedReceiver {
    /// The state of a record.
    private enum Answer: Hashable {
        case applied
        case pending
        case word(OutcomeFrame.Word)
    }

    // MARK: Answers owed

    /// An answer is owed about a record whose entry became durable; in an epoch that is over also
    /// about the numbers above `former` that were skipped: only the process that skipped them
    /// knows.
    mutating func owe(_ id: RecordID, after former: UInt64) {
        guard let index = session?.epochs.firstIndex(where: { $0.id == id.epoch }) else { return }
        let number = id.number.rawValue
        owe(index, (index == 0 ? number : min(number, former + 1))...number)
    }

    /// An answer is owed about these numbers, as far as there is one. (The rest follows when it is
    /// durable.)
    mutating func owe(_ index: Int, _ numbers: ClosedRange<UInt64>) {
        guard let epoch = session?.epochs[index] else { return }
        var last = numbers.upperBound
        if !epoch.isClosed, !epoch.answersUnknown { last = min(last, durable.through(epoch.id)) }
        guard numbers.lowerBound <= last else { return }
        session?.due[index].insert(numbers.lowerBound...last)
        // However far apart the numbers are that a counterpart asks about, memory is bounded: the
        // numbers between them are answered, too.
        if let due = session?.due[index], due.ranges.count > limits.requests,
            let first = due.first, let last = due.last
        {
            session?.due[index].insert(first...last)
        }
    }

    /// The answer about `number`, and up to where the same holds, at most `last`.
    private func answer(_ index: Int, _ number: UInt64, _ last: UInt64) -> (Answer, UInt64)? {
        guard let epoch = session?.epochs[index] else { return nil }
        if epoch.isClosed || epoch.answersUnknown { return (.word(.unknown), last) }
        guard let numbers = durable[epoch.id], number <= numbers.through else { return nil }
        if number <= numbers.watermark { return (.word(.unknown), min(last, numbers.watermark)) }
        let end = min(last, numbers.through)
        guard let run = numbers.exceptions.next(from: number), !mutants.contains(.throughOnly)
        else { return (.applied, end) }
        if run.first > number { return (.applied, min(end, run.first - 1)) }
        let answer: Answer
        switch run.exception {
        case .pending: answer = .pending
        case .rejected(let code): answer = .word(.rejected(code: code))
        case .cancelled: answer = .word(.cancelled)
        case .expired: answer = .word(.expired)
        case .skipped: answer = .word(.skipped)
        }
        return (answer, min(end, run.last))
    }

    // MARK: Statements

    /// Whether an answer is owed.
    package var hasStatements: Bool { session?.due.contains { !$0.isEmpty } ?? false }

    /// Writes answers that are owed, into at most `room` bytes.
    mutating func writeStatements(to writer: inout WireWriter, room: Int) -> [Reference] {
        let limit = writer.count + room
        var references: [Reference] = []
        var index = 0
        while let due = session?.due, index < due.count {
            guard let first = due[index].first else {
                index += 1
                continue
            }
            guard let last = writeAnswers(index, due[index], to: &writer, limit: limit) else {
                return references
            }
            session?.due[index].removeAll(below: last + 1)
            references.append(.answers(epochIndex: index, first...last))
        }
        return references
    }

    /// Writes answers about the lowest numbers that are owed; gives the last number that is done
    /// with, or nil where there is no room.
    private func writeAnswers(
        _ index: Int, _ due: NumberRanges, to writer: inout WireWriter, limit: Int
    ) -> UInt64? {
        var pieces = limits.acknowledgementRanges
        while true {
            let (bytes, last) = answers(index, due, atMost: pieces)
            if writer.count + bytes.count <= limit {
                writer.append(bytes)
                return last
            }
            guard pieces > 1 else { return nil }
            pieces /= 2
        }
    }

    /// Frames that answer the lowest numbers that are owed, in at most `pieces` pieces.
    private func answers(
        _ index: Int, _ due: NumberRanges, atMost pieces: Int
    ) -> (bytes: [UInt8], last: UInt64) {
        var writer = WireWriter()
        var applied = NumberRanges()
        var pending = NumberRanges()
        var count = 0
        var done: UInt64 = 0
        collecting: for range in due.ranges {
            var number = range.lowerBound
            while number <= range.upperBound {
                guard count < pieces else { break collecting }
                guard let (answer, last) = answer(index, number, range.upperBound) else {
                    done = range.upperBound
                    break
                }
                switch answer {
                case .applied: applied.insert(number...last)
                case .pending: pending.insert(number...last)
                case .word(let word):
                    OutcomeFrame(
                        channel: channel, epochIndex: index, numbers: number...last, word: word
                    ).write(to: &writer)
                }
                count += 1
                done = last
                number = last + 1
            }
        }
        for (numbers, isApplied) in [(applied, true), (pending, false)] where !numbers.isEmpty {
            AcknowledgementFrame(
                channel: channel, isApplied: isApplied, epochIndex: index, numbers: numbers
            ).write(to: &writer)
        }
        return (writer.bytes, done)
    }

    // MARK: Hints

    /// The commit of what was taken takes long: the sender is to learn that it has arrived.
    package mutating func oweReceived() {
        untoldHead = takenAt.count
        guard let session else { return }
        for index in session.epochs.indices {
            let id = session.epochs[index].id
            let known = max(durable.through(id), session.receivedTold[index])
            if taken[id]?.through ?? 0 > known, !session.receivedDue.contains(index) {
                self.session?.receivedDue.append(index)
            }
        }
    }

    /// Whether credit, a refusal or *received* waits.
    package var hasHints: Bool {
        guard let session else { return false }
        return credit.isDue || !session.turnedAway.isEmpty || !session.receivedDue.isEmpty
    }

    /// Writes hints, into at most `room` bytes.
    mutating func writeHints(to writer: inout WireWriter, room: Int) -> [Reference] {
        let limit = writer.count + room
        var references: [Reference] = []
        while let turned = session?.turnedAway.first, writer.count + Self.hintBytes <= limit {
            session?.turnedAway.removeFirst()
            TryLaterFrame(channel: channel, address: turned.address, records: turned.records)
                .write(to: &writer)
            references.append(.tryLater(turned.address, records: turned.records))
        }
        while let index = session?.receivedDue.first, writer.count + Self.hintBytes <= limit {
            session?.receivedDue.removeFirst()
            guard let id = session?.epochs[index].id, let through = taken[id]?.through, through > 0
            else { continue }
            session?.receivedTold[index] = through
            ReceivedFrame(
                channel: channel, address: RecordAddress(epochIndex: index, number: through)
            ).write(to: &writer)
            references.append(.received(epochIndex: index))
        }
        if session != nil, credit.isDue, writer.count + Self.hintBytes <= limit {
            let (frame, isReopened) = credit.raise(channel, hasOtherRoom: hasOtherRoom)
            if isReopened { session?.mustTryLater.removeAll() }
            frame.write(to: &writer)
            references.append(.credit)
        }
        return references
    }

    /// Bytes that a hint takes at most.
    private static let hintBytes = 24

    // MARK: Losses

    /// A packet of this session was lost: its statements about this channel are sent again, in
    /// their present state.
    mutating func lost(_ reference: Reference) {
        guard session != nil else { return }
        switch reference {
        case .answers(let index, let numbers): owe(index, numbers)
        case .credit: credit.tellAgain()
        case .tryLater(let address, let records): session?.turnedAway.append((address, records))
        case .received(let index):
            if session?.receivedDue.contains(index) == false { session?.receivedDue.append(index) }
        }
    }
}

/// The frames with which the receiver of values answers their sender.
extension LatestValueReceiver {
    /// A token that stands for a frame while its packet is in flight.
    enum Reference: Hashable, Sendable {
        case acknowledgement(isApplied: Bool, NumberRanges)
        case outcome(ValueOutcomeFrame)
        case needBase(NeedBaseFrame.Subject)
        case digest([EpochID])
        case ranges(listing: UInt64, Owed)
        case heldValue(ValueQueryFrame)
    }

    /// The sender asks what this side holds. The packet's author is at fault for every error.
    mutating func receive(_ frame: HeldQueryFrame) throws(WireError) {
        guard let session else { return }
        if frame.wantsDigest { self.session?.owesDigest = true }
        if !frame.ranges.isEmpty { try receive(frame.ranges, of: frame.listing) }
        let epochs = frame.epochs.filter { !session.epochAnswers.contains($0) }
        guard session.epochAnswers.count + epochs.count <= limits.epochs else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer epochs asked about",
                found: UInt64(session.epochAnswers.count))
        }
        self.session?.epochAnswers += epochs
    }

    /// The sender asks for a value. The packet's author is at fault for every error.
    mutating func receive(_ frame: ValueQueryFrame) throws(WireError) {
        guard let session, !session.valueAnswers.contains(frame) else { return }
        guard session.valueAnswers.count < 4 * LatestValueSender.Comparison.window else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer values asked for at once",
                found: UInt64(session.valueAnswers.count))
        }
        self.session?.valueAnswers.append(frame)
    }

    // MARK: Hints

    /// Whether a request for a base is to be written.
    package var hasHints: Bool { session?.basesDue.isEmpty == false }

    /// Writes requests for bases, while `room` bytes last.
    mutating func writeHints(to writer: inout WireWriter, room: Int) -> [Reference] {
        let end = writer.count + room
        var references: [Reference] = []
        while let subject = session?.basesDue.first,
            writer.count + NeedBaseFrame.largestBytes <= end
        {
            session?.basesDue.removeFirst()
            guard session?.awaits(subject) == true else { continue }
            NeedBaseFrame(subject: subject).write(to: &writer)
            references.append(.needBase(subject))
        }
        return references
    }

    // MARK: Statements

    /// Whether a statement is to be written.
    package var hasStatements: Bool {
        guard let session else { return false }
        if !session.applied.isEmpty || !session.pending.isEmpty || !session.outcomes.isEmpty {
            return true
        }
        return isClean && owesTelling
    }

    /// Whether something of all that is held is to be told.
    private var owesTelling: Bool {
        guard let session else { return false }
        return session.owesDigest || !session.rangesOwed.isEmpty || !session.epochAnswers.isEmpty
            || session.valueAnswers.contains { isDurable($0) }
    }

    /// Writes statements, while `room` bytes last.
    mutating func writeStatements(
        to writer: inout WireWriter, room: Int, known: some KnownEpochs
    ) -> [Reference] {
        let end = writer.count + room
        var references: [Reference] = []
        writeAcknowledgements(to: &writer, end, &references)
        guard isClean else { return references }
        writeDigest(to: &writer, end, known, &references)
        writeRanges(to: &writer, end, &references)
        writeValues(to: &writer, end, &references)
        return references
    }

    private mutating func writeAcknowledgements(
        to writer: inout WireWriter, _ end: Int, _ references: inout [Reference]
    ) {
        for isApplied in [true, false] {
            while var due = isApplied ? session?.applied : session?.pending,
                let frame = ValueAcknowledgementFrame.taking(
                    from: &due, isApplied: isApplied, room: end - writer.count, limits: limits)
            {
                if isApplied { session?.applied = due } else { session?.pending = due }
                frame.write(to: &writer)
                references.append(.acknowledgement(isApplied: isApplied, frame.versions))
            }
        }
        var count = 0
        for frame in session?.outcomes ?? [] {
            guard writer.count + ValueOutcomeFrame.largestBytes <= end else { break }
            frame.write(to: &writer)
            references.append(.outcome(frame))
            count += 1
        }
        if count > 0 { session?.outcomes.removeFirst(count) }
    }

    private mutating func writeDigest(
        to writer: inout WireWriter, _ end: Int, _ known: some KnownEpochs,
        _ references: inout [Reference]
    ) {
        while let due = session, due.owesDigest || !due.epochAnswers.isEmpty {
            let fit = (end - writer.count - 10) / 9
            // A digest that was asked for names no epochs.
            let count =
                due.owesDigest ? 0 : min(due.epochAnswers.count, HeldQueryFrame.epochLimit, fit)
            guard end - writer.count >= 10, due.owesDigest || count > 0 else { return }
            var epochs: [HeldDigestFrame.Epoch] = []
            for epoch in due.epochAnswers.prefix(count) {
                epochs.append(HeldDigestFrame.Epoch(id: epoch, isKnown: known.isKnown(epoch)))
            }
            HeldDigestFrame(digest: durableDigest, epochs: epochs).write(to: &writer)
            session?.owesDigest = false
            session?.epochAnswers.removeFirst(count)
            references.append(.digest(epochs.map { $0.id }))
        }
    }

    /// Whether the journal holds what would be told of a key.
    private func isDurable(_ query: ValueQueryFrame) -> Bool {
        durable(query.name) == values[query.name] || mutants.contains(.tellDirty)
    }

    private mutating func writeValues(
        to writer: inout WireWriter, _ end: Int, _ references: inout [Reference]
    ) {
        for query in session?.valueAnswers ?? [] where isDurable(query) {
            let held = durable(query.name)
            let total = held?.value?.payload.count ?? 0
            let offset = min(query.offset, total)
            let room = end - writer.count - HeldValueFrame.overheadBytes
            guard room >= min(total - offset, 32) else { return }
            let count = min(total - offset, room)
            let piece = held?.value.map { value in
                HeldValueFrame.Piece(
                    kind: value.kind, totalBytes: total, offset: offset,
                    bytes: Array(value.payload[offset..<offset + count]))
            }
            let version = held?.value?.id.number.rawValue ?? 0
            HeldValueFrame(name: query.name, version: version, piece: piece).write(to: &writer)
            session?.valueAnswers.removeAll { $0 == query }
            references.append(.heldValue(query))
        }
    }

    // MARK: Packets

    /// A packet was lost: the statements that it carried are sent again.
    mutating func lost(_ reference: Reference) {
        guard let session else { return }
        switch reference {
        case .acknowledgement(true, let versions):
            for range in versions.ranges { self.session?.applied.insert(range) }
        case .acknowledgement(false, let versions):
            for range in versions.ranges { self.session?.pending.insert(range) }
        case .outcome(let frame):
            self.session?.outcomes.append(frame)
        case .needBase(let subject):
            if session.awaits(subject) { self.session?.basesDue.append(subject) }
        case .digest(let epochs):
            if epochs.isEmpty { self.session?.owesDigest = true }
            self.session?.epochAnswers += epochs.filter { !session.epochAnswers.contains($0) }
        case .ranges(let listing, let owed):
            guard session.listingAsked == listing, !session.rangesOwed.contains(owed) else {
                return
            }
            self.session?.rangesOwed.append(owed)
        case .heldValue(let query):
            if !session.valueAnswers.contains(query) { self.session?.valueAnswers.append(query) }
        }
    }
}

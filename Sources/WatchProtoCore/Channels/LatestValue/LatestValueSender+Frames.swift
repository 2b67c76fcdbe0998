/// Hints and statements of the sender of values.
extension LatestValueSender {
    /// Whether a question or the verdict *nothing lost* is to be written.
    package mutating func hasHints() -> Bool {
        askForDigest()
        guard let session, session.verdict != .early else { return false }
        return session.asksDigest || !session.rangesDue.isEmpty || !session.epochsDue.isEmpty
            || !session.valueQueriesDue.isEmpty
            || (session.owesVerdict && session.verdict == .nothingLost)
    }

    /// Writes hints, while `room` bytes last.
    mutating func writeHints(to writer: inout WireWriter, room: Int) -> [Reference] {
        guard hasHints() else { return [] }
        let end = writer.count + room
        var references: [Reference] = []
        if session?.owesVerdict == true, session?.verdict == .nothingLost, writer.count < end {
            NothingLostFrame().write(to: &writer)
            session?.owesVerdict = false
            references.append(.verdict)
        }
        while let due = session, due.asksDigest || !due.rangesDue.isEmpty || !due.epochsDue.isEmpty
        {
            let left = end - writer.count - HeldQueryFrame.overheadBytes
            let largest = HeldQueryFrame.Asked.largestBytes
            let ranges = due.rangesDue.prefix(
                max(0, min(HeldQueryFrame.rangeLimit, left / largest)))
            let epochs = due.epochsDue.prefix(
                max(0, min(HeldQueryFrame.epochLimit, (left - ranges.count * largest) / 8)))
            guard left >= 0, due.asksDigest || !ranges.isEmpty || !epochs.isEmpty else { break }
            let frame = HeldQueryFrame(
                wantsDigest: due.asksDigest,
                listing: ranges.isEmpty ? 0 : due.comparison?.search.listing ?? 0,
                ranges: Array(ranges), epochs: Array(epochs))
            frame.write(to: &writer)
            references.append(.heldQuery(frame))
            session?.asksDigest = false
            session?.rangesDue.removeFirst(ranges.count)
            session?.epochsDue.removeFirst(epochs.count)
        }
        while let query = session?.valueQueriesDue.first,
            writer.count + ValueQueryFrame.largestBytes <= end
        {
            session?.valueQueriesDue.removeFirst()
            query.write(to: &writer)
            references.append(.valueQuery(query))
        }
        return references
    }

    /// Asks what the counterpart holds where removals could be forgotten: once a session, and again
    /// after 64 more values.
    private mutating func askForDigest() {
        guard let session, session.comparison == nil, !session.isMatched, values.forgettable > 0,
            values.queued == 0,
            session.verdict == .nothingLost || session.verdict == .mended,
            session.digestAskedAt.map({ values.highest >= $0 + 64 }) ?? true
        else { return }
        self.session?.digestAskedAt = values.highest
        self.session?.asksDigest = true
    }

    /// Whether a statement is to be written.
    package var hasStatements: Bool {
        guard let session else { return false }
        return (session.owesVerdict && session.verdict == .mended) || watermarkDue != nil
    }

    /// The watermark, where it may be told: both hold the same, and nothing waits for the journal.
    private var watermarkDue: UInt64? {
        guard let session, session.isMatched || mutants.contains(.watermarkUnmatched),
            commits.isEmpty,
            session.verdict == .nothingLost || session.verdict == .mended,
            values.watermark > session.toldWatermark
        else { return nil }
        return values.watermark
    }

    /// Writes statements, while `room` bytes last.
    mutating func writeStatements(to writer: inout WireWriter, room: Int) -> [Reference] {
        var references: [Reference] = []
        let end = writer.count + room
        if session?.owesVerdict == true, session?.verdict == .mended, writer.count < end {
            MendedFrame().write(to: &writer)
            session?.owesVerdict = false
            references.append(.verdict)
        }
        if let watermark = watermarkDue, writer.count + 10 <= end {
            RemovalWatermarkFrame(version: watermark).write(to: &writer)
            session?.toldWatermark = watermark
            // The receiver waits for the verdict before it writes a watermark.
            if session?.verdict == .nothingLost { session?.owesVerdict = true }
            references.append(.watermark(watermark))
        }
        return references
    }
}

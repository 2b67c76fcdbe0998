/// The listing of what is held, of which the sender asks for ranges (L-47).
extension LatestValueReceiver {
    /// The sender asks for ranges of a listing. A later listing takes the place of the one before.
    /// The packet's author is at fault for every error.
    mutating func receive(
        _ questions: [HeldQueryFrame.Asked], of listing: UInt64
    ) throws(WireError) {
        guard let session, listing >= session.listingAsked else { return }
        var owed = listing == session.listingAsked ? session.rangesOwed : []
        for question in questions.map({ Owed(question: $0) }) where !owed.contains(question) {
            owed.append(question)
        }
        let waiting = owed.count { $0.entries == nil }
        guard waiting <= 4 * RangeSearch.window else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer ranges asked for at once",
                found: UInt64(waiting))
        }
        if listing > session.listingAsked { self.session?.listing = nil }
        self.session?.listingAsked = listing
        self.session?.rangesOwed = owed
    }

    /// Writes what is owed of the listing, up to byte `end`.
    mutating func writeRanges(
        to writer: inout WireWriter, _ end: Int, _ references: inout [Reference]
    ) {
        while let owed = session?.rangesOwed.first, let listing = currentListing() {
            let room = end - writer.count
            let range = owed.question.range
            let total = listing.count(in: range)
            let isSmall = range.isSmallest || total <= limits.rangeKeys
            if owed.entries == nil, !owed.question.wantsEntries, !isSmall {
                guard room >= HeldRangesFrame.largestBytes else { return }
                listing.frame(of: range).write(to: &writer)
                references.append(.ranges(listing: listing.number, owed))
                session?.rangesOwed.removeFirst()
                continue
            }
            let left = owed.entries ?? 0..<total
            let fit = (room - HeldFrame.overheadBytes) / HeldFrame.Entry.largestBytes
            let piece = left.prefix(max(0, fit))
            guard !piece.isEmpty || left.isEmpty && room >= HeldFrame.overheadBytes else { return }
            listing.frame(of: range, piece).write(to: &writer)
            var told = owed
            told.entries = piece
            references.append(.ranges(listing: listing.number, told))
            if piece.count == left.count {
                session?.rangesOwed.removeFirst()
            } else {
                session?.rangesOwed[0].entries = piece.upperBound..<left.upperBound
            }
        }
    }

    /// The listing that ranges are owed of: what the journal holds when the first one is told.
    private mutating func currentListing() -> HeldListing? {
        if session?.listing == nil { beginListing() }
        return session?.listing
    }

    /// Takes down what the journal holds, to tell it range by range.
    private mutating func beginListing() {
        var entries: [HeldFrame.Entry] = []
        for name in journaled.names(values) {
            guard let value = durable(name) else { continue }
            entries.append(
                HeldFrame.Entry(
                    name: name, version: value.version, disposition: value.disposition,
                    isRemoval: value.value.map { kinds.isRemoval($0.kind) } ?? false,
                    fingerprint: value.value.map {
                        VersionDigest.fingerprint($0.kind, $0.payload)
                    }))
        }
        let number = session?.listingAsked ?? 0
        session?.listing = HeldListing(
            number: number, watermark: journaled.marks.watermark, entries)
    }
}

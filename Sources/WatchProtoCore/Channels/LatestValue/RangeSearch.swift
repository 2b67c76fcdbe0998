/// The search for the values of which two sides hold different versions (L-46). The side that has
/// the values asks for ranges of names, and divides those whose digests differ.
struct RangeSearch: Sendable {
    typealias Asked = HeldQueryFrame.Asked

    /// A range that was asked for, and what has come of its entries.
    private struct Answer: Sendable {
        let wantsEntries: Bool
        /// The entries of the range; nil before the first piece.
        var total: Int?
        var entries = OrderedTable<Int, HeldFrame.Entry>()
    }

    /// The number of the listing that is asked for.
    let listing: UInt64
    private let limits: Limits
    /// The keys that this side had when the search began, in the order of their places.
    private let names: [ValueName]
    private let places: [UInt64]
    private var due: [Asked]
    private var asked = OrderedTable<HeldRange, Answer>()
    /// The digest of the whole listing; nil where it comes entry by entry.
    private var whole: UInt64?
    /// The digests of the ranges that are equal, and of the entries that came.
    private var equal: UInt64 = 0
    private var listedDigest = VersionDigest()
    /// Entries that pieces have announced.
    private var announced = 0
    private var listed = OrderedTable<HeldRange, Bool>()
    /// The entries of the ranges that differ.
    private(set) var entries = OrderedTable<ValueName, HeldFrame.Entry>()
    /// The version up to which removals are forgotten there; nil before entries came.
    private var listedWatermark: UInt64?
    var watermark: UInt64 { listedWatermark ?? 0 }

    /// The number of ranges that are asked for at once.
    static let window = 64

    init(listing: UInt64, _ names: [ValueName], _ limits: Limits) {
        self.listing = listing
        self.limits = limits
        let rows = names.map { (VersionDigest.place(of: $0), $0) }.sorted { $0.0 < $1.0 }
        places = rows.map { $0.0 }
        self.names = rows.map { $0.1 }
        due = [Asked(wantsEntries: names.count <= limits.rangeKeys)]
    }

    /// Whether every range that differs was listed.
    var isDone: Bool { due.isEmpty && asked.isEmpty }

    /// Whether the ranges that were found equal and the entries that came are all that is held:
    /// where two short digests were the same by chance, they are not.
    var isWhole: Bool { whole.map { $0 == digest } ?? true }

    /// The digest of what is held there, in the equal ranges and in the listed ones.
    var digest: UInt64 { equal &+ listedDigest.rawValue }

    /// The next range to ask for; nil if none may be asked for now.
    mutating func next() -> Asked? {
        guard asked.count < Self.window, let next = due.popLast() else { return nil }
        asked[next.range] = Answer(wantsEntries: next.wantsEntries)
        return next
    }

    /// Whether the answer to a question is still to come.
    func awaits(_ question: Asked, of listing: UInt64) -> Bool {
        listing == self.listing && asked[question.range] != nil
    }

    /// Whether the listed ranges have the place of a name.
    func isListed(_ name: ValueName) -> Bool {
        HeldRange.around(VersionDigest.place(of: name)).contains { listed[$0] != nil }
    }

    /// The keys of this side in the ranges that were listed.
    var listedNames: [ValueName] {
        listed.keys.flatMap { names[$0.rows(in: places)] }
    }

    /// Digests of the parts of a range. The packet's author is at fault for every error.
    mutating func receive(_ frame: HeldRangesFrame, _ values: OwnValues) throws(WireError) {
        guard frame.listing == listing, let answer = asked[frame.range], answer.total == nil else {
            return
        }
        guard !answer.wantsEntries else {
            throw WireError(
                .notCanonical, at: 0, expected: "the entries of the range that were asked for",
                found: frame.range.number)
        }
        asked.remove(frame.range)
        if frame.range.isAll { whole = frame.digest }
        var differing: [(part: HeldRange, keys: Int)] = []
        var isPartlyEqual = false
        for (part, short) in zip(frame.range.parts, frame.parts) {
            let rows = part.rows(in: places)
            if let own = values.settledDigest(of: names[rows]),
                VersionDigest.short(own, in: listing) == short
            {
                equal &+= own
                if !rows.isEmpty { isPartlyEqual = true }
            } else {
                differing.append((part, rows.count))
            }
        }
        // If much differs, entries take fewer round trips than further digests.
        let wantsAll = !frame.range.isAll && !isPartlyEqual
        for (part, keys) in differing {
            let wantsEntries = wantsAll || part.isSmallest || keys <= limits.rangeKeys
            due.append(Asked(range: part, wantsEntries: wantsEntries))
        }
    }

    /// A piece of the entries of a range. The packet's author is at fault for every error.
    mutating func receive(_ frame: HeldFrame) throws(WireError) {
        guard frame.listing == listing, var answer = asked[frame.range] else { return }
        let isFirst = answer.total == nil
        guard isFirst || answer.total == frame.total,
            listedWatermark ?? frame.watermark == frame.watermark
        else {
            throw WireError(
                .notCanonical, at: 0,
                expected: "the total and watermark of the listing's other pieces",
                found: UInt64(frame.total))
        }
        guard !isFirst || announced + frame.total <= HeldFrame.keyLimit(limits) else {
            throw WireError(
                .outOfRange, at: 0, expected: "no more keys than a receiver remembers",
                found: UInt64(frame.total))
        }
        for entry in frame.entries {
            let place = VersionDigest.place(of: entry.name)
            guard frame.range.contains(place) else {
                throw WireError(
                    .outOfRange, at: 0, expected: "a key of the range", found: place)
            }
        }
        asked.remove(frame.range)
        if isFirst { announced += frame.total }
        (answer.total, listedWatermark) = (frame.total, frame.watermark)
        for (place, entry) in frame.entries.enumerated() {
            answer.entries[frame.start + place] = entry
        }
        guard answer.entries.count == frame.total else {
            asked[frame.range] = answer
            return
        }
        listed[frame.range] = true
        for entry in answer.entries.values {
            entries[entry.name] = entry
            listedDigest.add(entry.name, version: entry.version)
        }
    }
}

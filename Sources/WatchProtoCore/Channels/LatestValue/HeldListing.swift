/// All that the receiver's journal held at one time, to be told range by range.
struct HeldListing: Sendable {
    let number: UInt64
    /// The version up to which removals are forgotten.
    let watermark: UInt64
    /// In the order of the places of their names.
    private let entries: [HeldFrame.Entry]
    private let places: [UInt64]
    /// The digest of the entries before each one, and last that of all.
    private let digests: [UInt64]

    init(number: UInt64, watermark: UInt64, _ held: [HeldFrame.Entry]) {
        self.number = number
        self.watermark = watermark
        let rows = held.map { (VersionDigest.place(of: $0.name), $0) }.sorted { $0.0 < $1.0 }
        places = rows.map { $0.0 }
        entries = rows.map { $0.1 }
        var digest = VersionDigest()
        var digests = [digest.rawValue]
        for entry in entries {
            digest.add(entry.name, version: entry.version)
            digests.append(digest.rawValue)
        }
        self.digests = digests
    }

    /// The number of entries in a range.
    func count(in range: HeldRange) -> Int { range.rows(in: places).count }

    /// The digests of the parts of a range.
    func frame(of range: HeldRange) -> HeldRangesFrame {
        let parts = range.parts.map { VersionDigest.short(digest(of: $0), in: number) }
        let whole = digests[digests.count - 1]
        return HeldRangesFrame(
            listing: number, range: range, digest: range.isAll ? whole : 0, parts: parts)
    }

    private func digest(of range: HeldRange) -> UInt64 {
        let rows = range.rows(in: places)
        return digests[rows.upperBound] &- digests[rows.lowerBound]
    }

    /// A piece of the entries of a range, counted from its first.
    func frame(of range: HeldRange, _ piece: Range<Int>) -> HeldFrame {
        let rows = range.rows(in: places)
        let first = rows.lowerBound + piece.lowerBound
        return HeldFrame(
            listing: number, watermark: watermark, range: range, total: rows.count,
            start: piece.lowerBound, entries: Array(entries[first..<first + piece.count]))
    }
}

/// A record being put together from its parts.
///
/// Only what has come is held, and it is put together once: neither the length that a part claims
/// for its record nor the order of the parts costs more than their bytes.
struct Assembly: Sendable {
    /// What became of a part.
    enum Word: Sendable {
        case taken
        /// More parts, or bytes, wait for those before them than a sender keeps under way.
        case noRoom
    }

    /// A part that came before those in front of it.
    private struct Ahead: Sendable {
        var offset: Int
        var bytes: [UInt8]
    }

    let address: RecordAddress
    private let limits: Limits
    /// Bytes of the whole; nil until a part tells.
    private(set) var totalBytes: Int?
    /// Bytes that the lane allows, until then.
    private let largestBytes: Int
    /// What has come without a gap, from the start.
    private var bytes: [UInt8] = []
    /// Lowest offset first.
    private var ahead: [Ahead] = []
    private var aheadBytes = 0

    init(_ part: PartFrame, limits: Limits) {
        address = part.address
        totalBytes = part.totalBytes
        largestBytes = PartFrame.largestTotalBytes(part.lane)
        self.limits = limits
    }

    /// Whether every byte is there.
    var isComplete: Bool { bytes.count == totalBytes }

    /// Puts a part in its place. The counterpart is at fault when it is of another length of
    /// record.
    mutating func add(_ part: PartFrame) throws(WireError) -> Word {
        let told = part.totalBytes ?? totalBytes
        guard told == totalBytes || totalBytes == nil, isWithin(part, told), !part.bytes.isEmpty
        else {
            throw WireError(
                .notCanonical, at: 0, expected: "the total length of the record's other parts",
                found: UInt64(part.totalBytes ?? part.offset + part.bytes.count))
        }
        totalBytes = told
        let largest = totalBytes ?? largestBytes
        if part.offset <= bytes.count {
            append(part.bytes, from: part.offset)
            joinAhead()
            return .taken
        }
        let place = firstAhead(at: part.offset)
        if place < ahead.count, ahead[place].offset == part.offset {
            guard ahead[place].bytes.count < part.bytes.count else { return .taken }
            aheadBytes -= ahead[place].bytes.count
            ahead.remove(at: place)
        }
        guard ahead.count < limits.partsAhead, aheadBytes + part.bytes.count <= largest else {
            return .noRoom
        }
        ahead.insert(Ahead(offset: part.offset, bytes: part.bytes), at: place)
        aheadBytes += part.bytes.count
        return .taken
    }

    /// Whether a part, and all that came before its length was known, fits a record so long.
    private func isWithin(_ part: PartFrame, _ total: Int?) -> Bool {
        guard let total else { return true }
        let end = part.offset + part.bytes.count
        // The last part is one that tells the length.
        guard part.totalBytes == nil ? end < total : end <= total else { return false }
        return totalBytes != nil
            || bytes.count <= total && ahead.allSatisfy { $0.offset + $0.bytes.count < total }
    }

    private mutating func append(_ piece: [UInt8], from offset: Int) {
        let known = bytes.count - offset
        guard known < piece.count else { return }
        let needed = offset + piece.count
        if bytes.capacity < needed {
            bytes.reserveCapacity(
                min(totalBytes ?? largestBytes, max(needed, bytes.capacity * 2)))
        }
        bytes += piece[known...]
    }

    private mutating func joinAhead() {
        var count = 0
        while count < ahead.count, ahead[count].offset <= bytes.count {
            append(ahead[count].bytes, from: ahead[count].offset)
            aheadBytes -= ahead[count].bytes.count
            count += 1
        }
        if count > 0 { ahead.removeFirst(count) }
    }

    private func firstAhead(at offset: Int) -> Int {
        guard let last = ahead.last, offset <= last.offset else { return ahead.count }
        return ahead.partitioningIndex { $0.offset >= offset }
    }

    /// The record the parts make up.
    func record() throws(WireError) -> RecordFrame {
        var reader = WireReader(bytes.span)
        let frame = try RecordFrame.read(&reader)
        try reader.finish("end of the joined parts")
        guard frame.head.address == address else {
            throw WireError(
                .notCanonical, at: 0, expected: "the record its parts name",
                found: frame.head.address.number)
        }
        return frame
    }
}

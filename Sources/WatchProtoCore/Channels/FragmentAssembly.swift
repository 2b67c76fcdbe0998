/// A record or value that is put together from its fragments.
///
/// Only what has come is held, and it is put together once: neither the length that a fragment
/// claims for its record nor the order of the fragments costs more than four times their bytes.
struct FragmentAssembly: Sendable {
    /// The result of adding a fragment.
    enum Word: Sendable {
        case taken
        /// More fragments, or bytes, wait for those before them than a sender keeps under way.
        case noRoom
    }

    /// A fragment that came before those in front of it.
    private struct Ahead: Sendable {
        var offset: Int
        var bytes: [UInt8]
    }

    let address: RecordAddress
    private let limits: Limits
    /// Bytes of the whole; nil until a fragment tells.
    private(set) var totalBytes: Int?
    /// Bytes that the channel allows, until then.
    private let largestBytes: Int
    /// The bytes that have come without a gap, from the start.
    private var bytes: [UInt8] = []
    /// Lowest offset first.
    private var ahead: [Ahead] = []
    private var aheadBytes = 0

    init(_ fragment: FragmentFrame, limits: Limits) {
        address = fragment.address
        totalBytes = fragment.totalBytes
        largestBytes = FragmentFrame.largestTotalBytes(fragment.channel)
        self.limits = limits
    }

    /// Bytes of fragments that are held.
    var heldBytes: Int { bytes.count + aheadBytes }

    /// Whether every byte is there.
    var isComplete: Bool { bytes.count == totalBytes }

    /// Puts a fragment in its place. The counterpart is at fault when it is of another length of
    /// record.
    mutating func add(_ fragment: FragmentFrame) throws(WireError) -> Word {
        let told = fragment.totalBytes ?? totalBytes
        guard told == totalBytes || totalBytes == nil, isWithin(fragment, told),
            !fragment.bytes.isEmpty
        else {
            throw WireError(
                .notCanonical, at: 0, expected: "the total length of the record's other fragments",
                found: UInt64(fragment.totalBytes ?? fragment.offset + fragment.bytes.count))
        }
        totalBytes = told
        let largest = totalBytes ?? largestBytes
        if fragment.offset <= bytes.count {
            append(fragment.bytes, from: fragment.offset)
            joinAhead()
            return .taken
        }
        let place = firstAhead(at: fragment.offset)
        if place < ahead.count, ahead[place].offset == fragment.offset {
            guard ahead[place].bytes.count < fragment.bytes.count else { return .taken }
            aheadBytes -= ahead[place].bytes.count
            ahead.remove(at: place)
        }
        guard ahead.count < limits.fragmentsAhead, aheadBytes + fragment.bytes.count <= largest
        else {
            return .noRoom
        }
        ahead.insert(Ahead(offset: fragment.offset, bytes: fragment.bytes), at: place)
        aheadBytes += fragment.bytes.count
        return .taken
    }

    /// Whether a fragment, and all that came before its length was known, fits a record so long.
    private func isWithin(_ fragment: FragmentFrame, _ total: Int?) -> Bool {
        guard let total else { return true }
        let end = fragment.offset + fragment.bytes.count
        // The last fragment is one that tells the length.
        guard fragment.totalBytes == nil ? end < total : end <= total else { return false }
        return totalBytes != nil
            || bytes.count <= total && ahead.allSatisfy { $0.offset + $0.bytes.count < total }
    }

    private mutating func append(_ piece: [UInt8], from offset: Int) {
        let known = bytes.count - offset
        guard known < piece.count else { return }
        let needed = offset + piece.count
        if bytes.capacity < needed {
            bytes.reserveCapacity(
                min(totalBytes ?? largestBytes, max(needed, bytes.capacity * 4)))
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

    /// The frame that the fragments make up, without its type byte. Call once, when complete.
    consuming func joined() -> [UInt8] { bytes }
}

import WatchProtoCore

/// The progress of the file that is fetched.
struct FileFetch: Sendable {
    /// The largest window. While a block is put together of its fragments, it is in memory twice.
    private static let largestWindow: UInt64 = 3 << 17
    /// A request leaves when the window has room for so many bytes, or for half of its own.
    private static let leastRequest = 1 << 17

    let arrival: FileExchange.Arrival
    /// Bytes wanted at once, and the bytes of a block.
    private(set) var window = 1 << 15
    private(set) var blockBytes = 8_192
    /// The bytes that are written, and those that have come.
    private(set) var written: UInt64
    private var arrived: UInt64
    /// The bytes before it have come, or were wanted.
    private var wantedEnd: UInt64
    /// The moment at which a block came last, or was asked for.
    var heardAt: Instant
    private var measured: (bytes: UInt64, at: Instant)

    /// A fetch of which the first bytes are here.
    init(_ arrival: FileExchange.Arrival, written: UInt64, at now: Instant) {
        self.arrival = arrival
        self.written = written
        (arrived, wantedEnd) = (written, written)
        heardAt = now
        measured = (written, now)
    }

    var file: UInt128 { arrival.file }
    var isComplete: Bool { written == arrival.offer.size }
    /// The bytes that were requested and are not written.
    var requestedBytes: UInt64 { wantedEnd - written }

    /// The next request; nil if enough bytes are on their way.
    ///
    /// - Parameters:
    ///   - isAnew: whether those that were asked for will not come.
    ///   - durable: the bytes that are durable.
    ///   - now: the present time.
    mutating func next(isAnew: Bool, durable: UInt64, at now: Instant) -> FileMessage? {
        if isAnew {
            wantedEnd = arrived
            measured = (arrived, now)
        }
        // Bytes that are not written yet are in memory.
        let left = Int(requestedBytes)
        let count = Int(min(UInt64(max(0, window - left)), arrival.offer.size - wantedEnd))
        guard count > 0, window - left >= min(window / 2, Self.leastRequest) else { return nil }
        defer { wantedEnd += UInt64(count) }
        heardAt = now
        return .wanted(
            offset: wantedEnd, count: count, blockBytes: blockBytes, durable: durable)
    }

    /// A block came. Returns whether it is the next one that was asked for (T-7).
    mutating func accept(_ offset: UInt64, _ count: Int, at now: Instant) -> Bool {
        heardAt = now
        guard offset == arrived, count > 0, UInt64(count) <= wantedEnd - arrived else {
            return false
        }
        arrived += UInt64(count)
        measure(at: now)
        return true
    }

    /// So many more bytes are written.
    mutating func wrote(_ count: Int) { written += UInt64(count) }

    /// Adapts to the bytes that the link carries (T-6).
    private mutating func measure(at now: Instant) {
        let time = measured.at.duration(to: now)
        let bytes = arrived - measured.bytes
        guard time >= .milliseconds(100) || bytes >= 1 << 18 else { return }
        let microseconds = max(1, UInt64(max(0, time.nanosecondsClamped)) / 1_000)
        let rate = bytes * 1_000_000 / microseconds
        window = Int(min(max(2 * rate, 1 << 15), Self.largestWindow))
        // Two blocks can be in fragments at once, so they have to fill a round trip.
        let sizes = FileMessage.blockSizes
        blockBytes = min(max(Int(clamping: rate * 3 / 4), sizes.lowerBound), sizes.upperBound)
        measured = (arrived, now)
    }
}

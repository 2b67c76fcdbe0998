/// Limits unacknowledged bulk on a carrier that cannot lose, so that bulk in the carrier's buffers
/// never delays urgent frames for long.
///
/// While bulk flows, a ping follows each chunk of bulk. The bytes whose pings are unanswered stay
/// within a window: the bytes of the shortest round trip and two chunks. Without bulk the pacer
/// sends nothing.
///
/// The rate is measured only while the line is busy: by the bytes and the time between two pongs,
/// if the second chunk left so early that it queued behind the first. The time of an idle line
/// says nothing about its rate. A lower rate counts only while pings queue. If the window is used
/// up and nothing queues, the window doubles.
struct StreamPacer: Sendable {
    /// A chunk whose ping is unanswered.
    private struct Chunk: Sendable {
        var token: UInt64
        var bytes: Int
        var sentAt: Instant
        /// Unanswered bytes when it had left, its own among them.
        var inFlight: Int
        /// No other chunk fitted into the window.
        var fillsWindow: Bool
        /// It left while a part of the window was kept free.
        var isDrained: Bool
    }

    /// The rate in bytes a second; nil while it is unknown.
    private(set) var bytesPerSecond: Double?
    /// Bytes of the next chunk.
    private(set) var chunkBytes = StreamPacer.firstChunk

    private var windowBytes = 2 * StreamPacer.firstChunk
    private var unanswered: [Chunk] = []
    /// Bulk bytes since the last ping.
    private var bytesSincePing = 0
    private var pings: UInt64 = 0
    /// The pings before the last one of another.
    private var pingsBeforeOther: UInt64 = 0
    private var roundTrips = RecentMinimum()
    private var lastAnswerAt: Instant?
    /// When a ping last met no queue.
    private var emptyAt: Instant?
    /// The last window of bytes that the busy line delivered, and the time that they took.
    private var delivered = (bytes: 0.0, seconds: 0.0)

    /// Makes a pacer, of an unknown rate or one that an earlier session measured.
    init(bytesPerSecond: Double? = nil) { self.bytesPerSecond = bytesPerSecond }

    private var inFlight: Int { unanswered.reduce(0) { $0 + $1.bytes } }

    /// Bytes of bulk that may leave now: 0, or at least ``leastAllowance``.
    func bulkAllowance(at now: Instant) -> Int {
        guard unanswered.count < Self.mostUnanswered else { return 0 }
        let drained = isDraining(at: now) ? max(3 * chunkBytes, windowBytes / 8) : 0
        guard unanswered.isEmpty || inFlight + chunkBytes <= windowBytes - drained else {
            return 0
        }
        // The chunk may have become shorter than the part of it that has left.
        return max(chunkBytes - bytesSincePing, Self.leastAllowance)
    }

    /// Records that a packet with bulk left. Gives the token of the ping that must follow it at
    /// once; nil where none is due. All tokens are odd, so pings of others should be even.
    mutating func sentBulk(bytes: Int, at now: Instant) -> UInt64? {
        bytesSincePing += max(0, bytes)
        guard bytesSincePing > chunkBytes - Self.leastAllowance else { return nil }
        pings += 1
        let token = pings * 2 - 1
        let bytes = inFlight + bytesSincePing
        unanswered.append(
            Chunk(
                token: token, bytes: bytesSincePing, sentAt: now, inFlight: bytes,
                fillsWindow: bytes + chunkBytes > windowBytes, isDrained: isDraining(at: now)))
        bytesSincePing = 0
        return token
    }

    /// Records that a ping of another left.
    mutating func sentOtherPing() { pingsBeforeOther = pings }

    /// Takes a pong; false where its token is of no unanswered ping of the pacer. A pong also
    /// answers the pings before it.
    mutating func pong(token: UInt64, at now: Instant) -> Bool {
        guard let place = unanswered.firstIndex(where: { $0.token == token }) else { return false }
        answered(through: place, sentAt: unanswered[place].sentAt, at: now)
        return true
    }

    /// Takes the pong for the last ping of another, which left at `sentAt`.
    mutating func otherPong(sentAt: Instant, at now: Instant) {
        guard let place = unanswered.lastIndex(where: { $0.token < pingsBeforeOther * 2 }) else {
            return add(sentAt.duration(to: now), at: now)
        }
        answered(through: place, sentAt: sentAt, at: now)
    }

    // MARK: Measuring

    /// Whether a part of the window is to stay free, so that a ping shows the line without a queue.
    private func isDraining(at now: Instant) -> Bool {
        emptyAt.map { $0.duration(to: now) > Self.drainInterval } ?? false
    }

    private mutating func add(_ roundTrip: Duration, at now: Instant) {
        roundTrips.add(
            roundTrip.nanosecondsClamped / 1000, over: roundTrips.least ?? .zero, at: now)
    }

    private mutating func answered(through place: Int, sentAt: Instant, at now: Instant) {
        let chunk = unanswered[place]
        let bytes = Double(unanswered[...place].reduce(0) { $0 + $1.bytes })
        let firstSentAt = unanswered[0].sentAt
        unanswered.removeFirst(place + 1)
        let roundTrip = sentAt.duration(to: now)
        add(roundTrip, at: now)
        guard let least = roundTrips.least else { return }
        if emptyAt == nil || chunk.isDrained || roundTrip <= least + Self.emptyQueue {
            emptyAt = now
        }
        if let last = lastAnswerAt, firstSentAt.duration(to: last) >= least {
            // The chunk reached the line before the one before it had left.
            take(bytes, over: last.duration(to: now))
            let window = window(over: least.inSeconds)
            windowBytes = Int(min(window, 2 * Double(windowBytes)))
        } else if chunk.fillsWindow, chunk.inFlight + chunkBytes > windowBytes,
            isShort(roundTrip - least, bytes: bytes)
        {
            windowBytes = max(windowBytes, 2 * chunk.inFlight)
        }
        lastAnswerAt = now
        windowBytes = min(max(windowBytes, 2 * Self.smallestChunk), Self.largestWindow)
        let chunks = 2 + min(least.inSeconds / Self.chunkSeconds, Self.mostChunks)
        // A single wrong sample must not fill the buffers: chunks at most double.
        chunkBytes = min(Self.bounded(Double(windowBytes) / chunks), 2 * chunkBytes)
    }

    /// Takes the bytes and the time between two pongs of a busy line.
    private mutating func take(_ bytes: Double, over time: Duration) {
        let isFirst = delivered.seconds == 0
        let kept = max(0, 1 - bytes / Double(windowBytes))
        delivered.bytes = delivered.bytes * kept + bytes
        delivered.seconds = delivered.seconds * kept + max(time.inSeconds, 1e-6)
        let rate = min(max(delivered.bytes / delivered.seconds, Self.least), Self.most)
        let isSlower = roundTrips.queue >= Self.shortQueue
        if isFirst || isSlower || rate > bytesPerSecond ?? 0 { bytesPerSecond = rate }
    }

    /// The bytes of the rate in a round trip, and two chunks.
    private func window(over seconds: Double) -> Double {
        let rate = bytesPerSecond ?? 0
        let chunk = rate * max(Self.chunkSeconds, seconds / Self.mostChunks)
        return rate * seconds + 2 * Double(Self.bounded(chunk))
    }

    /// Whether a chunk that queued so long found room: at most half its own time on the line.
    private func isShort(_ queue: Duration, bytes: Double) -> Bool {
        guard delivered.seconds > 0, let rate = bytesPerSecond else { return true }
        return queue < max(Self.shortQueue / 2, .seconds(bytes / rate / 2))
    }

    private static func bounded(_ chunk: Double) -> Int {
        Int(min(max(chunk, Double(smallestChunk)), Double(largestChunk)))
    }

    /// The least bulk that a packet is made for. A chunk ends where less than this is left of it.
    static let leastAllowance = 512
    private static let mostUnanswered = 64
    private static let firstChunk = 4096
    private static let smallestChunk = 1024
    private static let largestChunk = 1 << 18
    private static let largestWindow = 1 << 23
    /// Seconds of the rate in a chunk, while a round trip takes at most ``mostChunks`` of them.
    private static let chunkSeconds = 0.05
    /// The most chunks of a round trip.
    private static let mostChunks = 30.0
    /// Pings that queue for less show that the line has room.
    private static let shortQueue: Duration = .milliseconds(50)
    /// Pings that queue for less show the line without a queue.
    private static let emptyQueue: Duration = .milliseconds(10)
    /// The time after which the queue is to be empty once; half of ``RecentMinimum``'s memory.
    private static let drainInterval: Duration = .seconds(4)
    /// Bounds of the rate, whatever a counterpart answers.
    private static let least = 1e3
    private static let most = 1e10
}

extension Duration {
    fileprivate var inSeconds: Double { Double(nanosecondsClamped) / 1e9 }
}

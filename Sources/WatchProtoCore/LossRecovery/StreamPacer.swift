/// Limits unacknowledged bulk on a carrier that cannot lose, so that bulk in the carrier's buffers
/// never delays urgent frames for long.
///
/// While bulk flows, a ping follows each chunk of bulk. A chunk is what the carrier delivers in
/// 100 ms. At most two pings are unanswered; with two, no bulk leaves. Without bulk the pacer sends
/// nothing.
///
/// The rate is the bytes between two pings over the longer of the times between their departures
/// and between their pongs. It rises by any better sample, at most twofold with each pong. It falls
/// only while pings queue for more than 250 ms: on a carrier with a long round trip two chunks do
/// not fill the line, so the measured rate is less than the line carries.
struct StreamPacer: Sendable {
    /// A chunk whose ping is unanswered.
    private struct Chunk: Sendable {
        var token: UInt64
        var bytes: Int
        var sentAt: Instant
    }

    /// A chunk whose pong came.
    private struct Answered: Sendable {
        var sentAt: Instant
        var answeredAt: Instant
        var rate: Double?
    }

    /// The rate in bytes a second; nil while it is unknown.
    private(set) var bytesPerSecond: Double?
    /// Bytes of the next chunk.
    private(set) var chunkBytes = StreamPacer.firstChunk

    private var unanswered: [Chunk] = []
    private var lastAnswered: Answered?
    /// Bulk bytes since the last ping.
    private var bytesSincePing = 0
    private var pings: UInt64 = 0
    private var delays = OneWayDelays()

    /// Makes a pacer, of an unknown rate or one that an earlier session measured.
    init(bytesPerSecond: Double? = nil) {
        self.bytesPerSecond = bytesPerSecond.map { min(max($0, Self.least), Self.most) }
    }

    /// Begins a session. The rate stays; the chunks begin small.
    mutating func beginSession() { self = StreamPacer(bytesPerSecond: bytesPerSecond) }

    /// Bytes of bulk that may leave now: 0, or at least ``leastAllowance``.
    func bulkAllowance(at now: Instant) -> Int {
        guard unanswered.count < Self.mostUnanswered else { return 0 }
        // The chunk may have become shorter than what has left of it.
        return max(chunkBytes - bytesSincePing, Self.leastAllowance)
    }

    /// Records that a packet with bulk left. Gives the token of the ping that must follow it at
    /// once; nil where none is due. All tokens are odd, so pings of others should be even.
    mutating func sentBulk(bytes: Int, at now: Instant) -> UInt64? {
        bytesSincePing += max(0, bytes)
        guard bytesSincePing > chunkBytes - Self.leastAllowance else { return nil }
        pings += 1
        let token = pings * 2 - 1
        unanswered.append(Chunk(token: token, bytes: bytesSincePing, sentAt: now))
        bytesSincePing = 0
        return token
    }

    /// Takes a pong; false where its token is of no unanswered ping of the pacer. A pong also
    /// answers the pings before it.
    mutating func pong(token: UInt64, at now: Instant) -> Bool {
        guard let place = unanswered.firstIndex(where: { $0.token == token }) else { return false }
        answered(through: place, at: now)
        return true
    }

    /// Takes a pong for the ping of another, which left at `sentAt`.
    mutating func pong(sentAt: Instant, at now: Instant) {
        guard let place = unanswered.lastIndex(where: { $0.sentAt <= sentAt }) else { return }
        answered(through: place, at: now)
    }

    private mutating func answered(through place: Int, at now: Instant) {
        var chunk = unanswered[place]
        chunk.bytes = unanswered[...place].reduce(0) { $0 + $1.bytes }
        unanswered.removeFirst(place + 1)
        let latency = chunk.sentAt.duration(to: now)
        delays.add(
            latency.nanosecondsClamped / 1000, serialization: 0, over: .zero, at: now)
        var rate: Double?
        if let last = lastAnswered {
            let departures = last.sentAt.duration(to: chunk.sentAt).nanosecondsClamped
            let answers = last.answeredAt.duration(to: now).nanosecondsClamped
            let sample = Double(chunk.bytes) * 1e9 / Double(max(departures, answers, 1000))
            rate = min(max(sample, Self.least), Self.most)
        }
        if let rate { take(rate) }
        lastAnswered = Answered(sentAt: chunk.sentAt, answeredAt: now, rate: rate)
        let wanted = bytesPerSecond.map { Int($0 * Self.chunkSeconds) } ?? Self.largestChunk
        // A single wrong sample must not fill the buffers: chunks at most double.
        chunkBytes = min(max(wanted, Self.smallestChunk), chunkBytes * 2, Self.largestChunk)
    }

    private mutating func take(_ sample: Double) {
        guard let rate = bytesPerSecond, sample <= rate else {
            bytesPerSecond = sample
            return
        }
        // Every second sample may be one of an idle line: the better of two counts.
        if delays.queue > Self.longestQueue {
            bytesPerSecond = max(sample, min(rate, lastAnswered?.rate ?? sample))
        }
    }

    /// The least bulk that a packet is made for. A chunk ends where less than this is left of it.
    static let leastAllowance = 512
    private static let mostUnanswered = 2
    private static let firstChunk = 4096
    private static let smallestChunk = 1024
    private static let largestChunk = 1 << 18
    /// Seconds of the rate in a chunk.
    private static let chunkSeconds = 0.1
    /// Two chunks queue for 200 ms. More shows that the line has become slower.
    private static let longestQueue: Duration = .milliseconds(250)
    /// Bounds of the rate, whatever a counterpart answers.
    private static let least = 1e3
    private static let most = 1e10
}

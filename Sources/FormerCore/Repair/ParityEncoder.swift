/// The parity of early packets, which have numbers of their own, on carriers that can lose.
struct EarlyParity: Sendable {
    /// What left.
    var encoder = ParityEncoder()
    /// Parity that leaves next.
    var due: [ParityFrame] = []
    /// What came.
    var decoder = ParityDecoder()
}

/// Gathers the packets of a flight, and combines them when it is over.
///
/// A flight of one packet is thereby sent twice.
struct ParityEncoder: Sendable {
    /// The number of the first packet gathered.
    private(set) var first: UInt64 = 0
    /// What the packets carried, as it is combined.
    private var sources: [[UInt8]] = []
    /// Bytes of all of them.
    private(set) var bytes = 0
    /// Bytes of the longest.
    private(set) var longest = 0
    /// Some frame among them is urgent.
    private(set) var isUrgent = false

    /// How many packets were gathered.
    var count: Int { sources.count }

    /// Bytes of one flight at most: both sides keep them.
    static let byteLimit = 1 << 16

    /// Whether a packet with frames of `bytes` still belongs to it.
    func hasRoom(for bytes: Int) -> Bool {
        count < ParityFrame.largestCount && self.bytes + bytes + 2 <= Self.byteLimit
    }

    /// Adds packet `number`. A gap in the numbers begins anew: what was before is not protected.
    mutating func add(_ number: UInt64, _ frames: [UInt8], isUrgent: Bool) {
        if number != first + UInt64(count) || !hasRoom(for: frames.count) {
            removeAll()
            first = number
        }
        let source = Self.source(of: frames)
        guard source.count <= Self.byteLimit else { return }
        bytes += source.count
        longest = max(longest, source.count)
        self.isUrgent = self.isUrgent || isUrgent
        sources.append(source)
    }

    mutating func removeAll() {
        sources = []
        bytes = 0
        longest = 0
        isUrgent = false
    }

    /// Combination `row` of what was gathered.
    func frame(row: Int) -> ParityFrame {
        ParityFrame(
            first: first, count: count, row: row, bytes: ParityCode.combine(sources, row: row))
    }

    /// Bytes by which the frames of a packet with number `first` are shorter than a parity frame of
    /// it and of those behind it.
    static func overhead(first: UInt64) -> Int { 1 + 3 + WireWriter.varintSize(first) + 2 + 1 + 2 }

    /// The combinations that the flight is worth, given what `path` loses and allows, as far as
    /// they have no more than `limitBytes` each. What is urgent is worth more.
    func parity(
        for path: inout Path, limitBytes: Int, at now: Instant
    ) -> [ParityFrame] {
        guard count > 0, longest + Self.overhead(first: first) - 2 <= limitBytes else { return [] }
        let wanted = path.loss.rows(
            for: count, allowed: isUrgent ? Self.urgentFailures : Self.failures)
        var frames: [ParityFrame] = []
        while frames.count < wanted, path.spend(longest + Self.overhead(first: first), at: now) {
            frames.append(frame(row: frames.count))
        }
        return frames
    }

    /// Whether a single packet that somebody waits for is to leave twice.
    static func isWorthCopy(on loss: LossEstimate) -> Bool {
        loss.rows(for: 1, allowed: urgentFailures) > 0
    }

    /// The share of flights that may lack something in spite of their parity.
    private static let failures = 0.02
    /// The same where somebody waits.
    private static let urgentFailures = 0.003

    /// Of a packet's frames, what is combined.
    static func source(of frames: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: frames.count), UInt8(truncatingIfNeeded: frames.count >> 8)]
            + frames
    }
}

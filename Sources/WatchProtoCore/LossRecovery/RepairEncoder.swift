/// Gathers the packets of an FEC block, and makes its repair packets when the block ends.
///
/// The repair packet of a block of one packet is a copy of it.
struct RepairEncoder: Sendable {
    /// The number of the first packet of the block.
    private(set) var first: UInt64 = 0
    /// The source symbols of the packets.
    private var sources: [[UInt8]] = []
    /// Bytes of all of them.
    private(set) var bytes = 0
    /// Bytes of the longest.
    private(set) var longest = 0
    /// Somebody waits for a frame in the block.
    private(set) var isUrgent = false

    /// The number of packets gathered.
    var count: Int { sources.count }

    /// Bytes of one block at most: both sides store them.
    static let byteLimit = 1 << 16

    /// Whether a packet with frames of `bytes` still fits the block.
    func hasRoom(for bytes: Int) -> Bool {
        count < RepairFrame.mostPackets && self.bytes + bytes + 2 <= Self.byteLimit
    }

    /// Adds packet `number`. A gap in the numbers begins a new block; the one before it gets no
    /// repair packets.
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

    /// Repair packet `index` of the block.
    func frame(index: Int) -> RepairFrame {
        RepairFrame(
            first: first, count: count, index: index,
            bytes: ErasureCode.combine(sources, index: index))
    }

    /// Bytes by which the frames of a packet with number `first` must be shorter so that a repair
    /// packet of it and of those behind it fits, too.
    static func overhead(first: UInt64) -> Int { 1 + 3 + WireWriter.varintSize(first) + 2 + 1 + 2 }

    /// The repair packets that the block is worth by the losses and the budget of `path`; none
    /// where they would exceed `limitBytes` each. An urgent block is worth more.
    func repairs(
        for path: inout PathEstimate, limitBytes: Int, at now: Instant
    ) -> [RepairFrame] {
        guard count > 0, longest + Self.overhead(first: first) - 2 <= limitBytes else { return [] }
        let wanted = path.loss.repairs(
            for: count, allowed: isUrgent ? Self.urgentFailures : Self.failures)
        var frames: [RepairFrame] = []
        while frames.count < wanted, path.spend(longest + Self.overhead(first: first), at: now) {
            frames.append(frame(index: frames.count))
        }
        return frames
    }

    /// Whether a single packet that somebody waits for is to leave twice.
    static func isWorthCopy(on loss: LossEstimate) -> Bool {
        loss.repairs(for: 1, allowed: urgentFailures) > 0
    }

    /// The share of blocks that may stay incomplete in spite of their repair packets.
    private static let failures = 0.02
    /// The same where somebody waits.
    private static let urgentFailures = 0.003

    /// The source symbol of a packet with these frames.
    static func source(of frames: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: frames.count), UInt8(truncatingIfNeeded: frames.count >> 8)]
            + frames
    }
}

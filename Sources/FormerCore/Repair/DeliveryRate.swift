/// How many bytes a second the path carries, from how arrivals are spaced.
///
/// Between two acknowledged packets lie the bytes that were confirmed meanwhile, and the longer of
/// two times: that between their arrivals, and that between their departures. The best such sample
/// is the estimate (draft-cheng-iccrg-delivery-rate-estimation, with arrivals by the receiver's
/// clock): where less was sent than fits, samples are too low. It falls only by what was measured
/// while packets queued all the time, since that is what the path carries. What was suspended, and
/// then reads at once what had arrived meanwhile, shows nothing of the path.
struct DeliveryRate: Sendable {
    private struct Mark: Sendable {
        var arrival: UInt64
        var sentAt: Instant
        var delivered: UInt64
        var isHeldBack: Bool
    }

    private struct Sample {
        var rate: Double
        /// As much was sent as seemed to fit, or the path spaced what was sent at once.
        var isTelling: Bool
        /// The path spaced it.
        var isSpread: Bool
        /// Where in the marks it begins.
        var first: Int
    }

    private var marks: [Mark] = []
    private var delivered: UInt64 = 0
    /// Since which arrival packets have queued on the path.
    private var queuedFrom: UInt64?

    /// The estimate in bytes a second; nil before the first sample.
    private(set) var bytesPerSecond: Double?

    /// The path itself spaced what the estimate is by.
    private(set) var isShown = false

    /// Makes an estimate that has seen no sample.
    init() {}

    /// Makes an estimate that was measured before, by samples that are gone.
    init(bytesPerSecond: Double) { self.bytesPerSecond = bytesPerSecond }

    /// The receiver's clock begins anew; what was measured stays.
    mutating func beginSession() {
        marks = []
        queuedFrom = nil
    }

    /// Notes what an acknowledgement confirms.
    ///
    /// - Parameters:
    ///   - bytes: confirmed by it.
    ///   - arrival: when its largest packet arrived, in microseconds of the receiver's clock.
    ///   - sentAt: when that packet left.
    ///   - isHeldBack: it had to wait, so that as much was sent as seemed to fit.
    ///   - shortest: how long samples are at least.
    ///   - isQueued: packets queue on the path.
    mutating func acknowledged(
        bytes: Int, arrival: UInt64, sentAt: Instant, isHeldBack: Bool, shortest: Duration,
        isQueued: Bool
    ) {
        delivered += UInt64(bytes)
        if let last = marks.last, arrival < last.arrival || sentAt < last.sentAt { return }
        marks.append(
            Mark(arrival: arrival, sentAt: sentAt, delivered: delivered, isHeldBack: isHeldBack))
        if marks.count > Self.markLimit { marks.removeFirst(Self.markLimit / 4) }
        if let sample = sample(over: shortest, packets: 2),
            bytesPerSecond.map({ sample.rate > $0 }) ?? (sample.isTelling && !isOneGap(sample))
        {
            // A little more may be the rate shown before, measured less exactly.
            isShown = sample.isSpread || (isShown && sample.rate < (bytesPerSecond ?? 0) * 1.05)
            bytesPerSecond = sample.rate
        }
        queuedFrom = isQueued ? queuedFrom ?? arrival : nil
        if let queuedFrom, let sample = sample(over: shortest * 4, packets: 8, from: queuedFrom),
            sample.isSpread, bytesPerSecond.map({ sample.rate < $0 }) ?? true, !isOneGap(sample)
        {
            bytesPerSecond = sample.rate
        }
    }

    private func sample(
        over span: Duration, packets: Int, from start: UInt64 = 0
    ) -> Sample? {
        guard let last = marks.last else { return nil }
        let least = UInt64(max(1, span.nanosecondsClamped / 1000))
        let far = marks.partitioningIndex { last.arrival - $0.arrival < least } - 1
        let full = marks.partitioningIndex { last.delivered - $0.delivered < Self.leastBytes } - 1
        let place = min(far, marks.count - 1 - packets)
        guard place >= 0, marks[place].arrival >= start else { return nil }
        let isEnough = full >= 0 && marks[full].arrival >= start
        let begin = isEnough ? min(place, full) : place
        let first = marks[begin]
        let arrivals = Double(last.arrival - first.arrival) / 1e6
        let departures =
            Double(first.sentAt.duration(to: last.sentAt).nanosecondsClamped) / 1e9
        let isSpread = arrivals > departures * Self.spread
        let bytes = last.delivered - first.delivered
        let rate = Double(bytes) / max(arrivals, departures)
        let isBurst = arrivals > departures * 2 && isEnough
        return Sample(
            rate: min(max(rate, Self.least), Self.most),
            isTelling: isBurst || (first.isHeldBack && last.isHeldBack),
            isSpread: isSpread && isEnough, first: begin)
    }

    /// Whether most of the time between the arrivals is a single wait: the receiver was suspended,
    /// or nothing passed for a while. No line spaces packets so.
    private func isOneGap(_ sample: Sample) -> Bool {
        let arrivals = marks[sample.first...].map(\.arrival)
        let longest = zip(arrivals, arrivals.dropFirst()).map { $1 - $0 }.max() ?? 0
        guard let first = arrivals.first, let last = arrivals.last else { return false }
        return Double(longest) > Double(last - first) * Self.oneGap
    }

    /// How much longer arrivals take than departures where the path is what spaces them.
    private static let spread = 1.02
    /// The share of the time between the arrivals that a single wait has at most.
    private static let oneGap = 0.75
    /// Bytes that tell how fast the path carries them; fewer are spaced by anything but the line.
    private static let leastBytes: UInt64 = 2000
    /// What the estimate is at least and at most, whatever a counterpart says of its arrivals.
    private static let least = 1e3
    private static let most = 1e10
    private static let markLimit = 1024
}

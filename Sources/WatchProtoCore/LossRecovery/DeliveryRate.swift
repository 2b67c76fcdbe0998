/// An estimate of how many bytes a second the path carries, by the spacing of arrivals.
///
/// Between two acknowledged packets lie the bytes that were acknowledged meanwhile, and the longer
/// of two times: between their arrivals, and between their departures. The best such sample is the
/// estimate (draft-cheng-iccrg-delivery-rate-estimation, with arrivals by the receiver's clock):
/// samples are too low where the sender sent less than fits. The estimate falls only by samples of
/// packets that queued all the time, since those show what the path carries. A receiver that was
/// suspended reads all at once what arrived meanwhile; that shows nothing of the path.
struct DeliveryRate: Sendable {
    private struct Mark: Sendable {
        var arrival: UInt64
        var sentAt: Instant
        var delivered: UInt64
        var wasPaced: Bool
    }

    private struct Sample {
        var rate: Double
        /// The sender sent as much as seemed to fit, or the path spaced what was sent at once.
        var isConclusive: Bool
        /// The path spaced it.
        var isSpaced: Bool
        /// The place among the marks at which it begins.
        var first: Int
    }

    private var marks: [Mark] = []
    private var delivered: UInt64 = 0
    /// Since which arrival packets have queued on the path.
    private var queuedSince: UInt64?

    /// The estimate in bytes a second; nil before the first sample.
    private(set) var bytesPerSecond: Double?

    /// Whether the path itself spaced the packets of the estimate.
    private(set) var isSpacedByPath = false

    /// Makes an estimate without a sample.
    init() {}

    /// Makes an estimate that an earlier session measured.
    init(bytesPerSecond: Double) { self.bytesPerSecond = bytesPerSecond }

    /// Begins a session with another clock of the receiver. The estimate stays.
    mutating func beginSession() {
        marks = []
        queuedSince = nil
    }

    /// Takes the evidence of an acknowledgement.
    /// `arrival` is when the largest packet arrived, in microseconds of the receiver's clock. Where
    /// pacing delayed it, as much was sent as seemed to fit. `shortest` is the shortest time of a
    /// sample.
    mutating func acknowledged(
        bytes: Int, arrival: UInt64, sentAt: Instant, wasPaced: Bool, shortest: Duration,
        isQueued: Bool
    ) {
        delivered += UInt64(bytes)
        if let last = marks.last, arrival < last.arrival || sentAt < last.sentAt { return }
        marks.append(
            Mark(arrival: arrival, sentAt: sentAt, delivered: delivered, wasPaced: wasPaced))
        if marks.count > Self.markLimit { marks.removeFirst(Self.markLimit / 4) }
        if let sample = sample(over: shortest, packets: 2),
            bytesPerSecond.map({ sample.rate > $0 }) ?? (sample.isConclusive && !isOneGap(sample))
        {
            // A little more may be the rate shown before, measured less exactly.
            isSpacedByPath =
                sample.isSpaced
                || (isSpacedByPath && sample.rate < (bytesPerSecond ?? 0) * 1.05)
            bytesPerSecond = sample.rate
        }
        queuedSince = isQueued ? queuedSince ?? arrival : nil
        if let queuedSince, let sample = sample(over: shortest * 4, packets: 8, from: queuedSince),
            sample.isSpaced, bytesPerSecond.map({ sample.rate < $0 }) ?? true, !isOneGap(sample)
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
        let isSpaced = arrivals > departures * Self.spacing
        let bytes = last.delivered - first.delivered
        let rate = Double(bytes) / max(arrivals, departures)
        let isBurst = arrivals > departures * 2 && isEnough
        return Sample(
            rate: min(max(rate, Self.least), Self.most),
            isConclusive: isBurst || (first.wasPaced && last.wasPaced),
            isSpaced: isSpaced && isEnough, first: begin)
    }

    /// Whether most of the time between the arrivals is a single gap: the receiver was suspended,
    /// or nothing passed for a while. No line spaces packets so.
    private func isOneGap(_ sample: Sample) -> Bool {
        var longest: UInt64 = 0
        for place in sample.first..<(marks.count - 1) {
            longest = max(longest, marks[place + 1].arrival - marks[place].arrival)
        }
        guard let last = marks.last else { return false }
        let whole = Double(last.arrival - marks[sample.first].arrival)
        return Double(longest) > whole * Self.oneGap
    }

    /// The factor by which arrivals take longer than departures where the path spaces the packets.
    private static let spacing = 1.02
    /// The largest share of the time between the arrivals that a single gap may have.
    private static let oneGap = 0.75
    /// Bytes of a sample that shows the rate of the line. Anything spaces fewer bytes.
    private static let leastBytes: UInt64 = 2000
    /// Bounds of the estimate, whatever a counterpart says of its arrivals.
    private static let least = 1e3
    private static let most = 1e10
    private static let markLimit = 1024
}

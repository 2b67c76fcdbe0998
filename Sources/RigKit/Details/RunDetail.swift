/// What a run knows of each record, beyond its tables: pictures are made of it. Moments are
/// nanoseconds since the run began.
public struct RunDetail: Sendable {
    /// What became of a record.
    public enum Outcome: Int, Sendable, CaseIterable {
        /// Delivered once.
        case delivered
        /// A newer value took its place before it was delivered.
        case superseded
        /// It should have been delivered and was not.
        case lost
        /// Delivered more than once.
        case twice
        /// The run ended before it was delivered.
        case underWay
        /// Cancelled, expired or rejected.
        case withdrawn

        /// As a reader sees it.
        public var word: String {
            switch self {
            case .delivered: "delivered"
            case .superseded: "replaced by a newer value"
            case .lost: "lost"
            case .twice: "delivered twice"
            case .underWay: "under way at the end"
            case .withdrawn: "withdrawn"
            }
        }
    }

    /// One record and its moments.
    public struct Record: Sendable {
        /// Its place in ``RunDetail/series``.
        public var series: Int
        /// As people can find it again: `medication, context 233`.
        public var name: String
        /// When it was due.
        public var intended: UInt64
        /// When the sender's session took it.
        public var accepted: UInt64
        /// When it was first given to the carrier; nil where that never happened.
        public var sent: UInt64?
        /// When the packet that made it whole had come.
        public var delivered: UInt64?
        /// When it, or a newer value of its key, could be seen.
        public var visible: UInt64?
        /// When it, or a newer value of its key, was seen and both journals held it.
        public var durable: UInt64?
        /// When the sender heard that the other application has it.
        public var applied: UInt64?
        /// What became of it.
        public var outcome: Outcome
        /// What its series counts, from ``intended``; nil where it is not measured.
        public var latencyNanoseconds: UInt64?
    }

    /// A value that the watch's face showed.
    public struct FaceSpan: Hashable, Sendable {
        /// As people can find it again: `complication 17`.
        public var name: String
        /// When the phone had it.
        public var made: UInt64
        /// When the phone had a newer one; nil where it never had.
        public var outdated: UInt64?
        /// When the face began to show it.
        public var shown: UInt64
        /// When the face showed another, or the run was over.
        public var replaced: UInt64
    }

    /// A kind of record.
    public struct Series: Hashable, Sendable {
        /// As the tables call it: `sync`.
        public var name: String
        /// Whether the watch sends it.
        public var isFromWatch: Bool
    }

    /// The kinds of records, in the order of the tables.
    public private(set) var series: [Series] = []
    /// All records that were measured, by ``Record/intended`` within each series.
    public private(set) var records: [Record] = []
    /// What the face showed, oldest first.
    public private(set) var face: [FaceSpan] = []

    private let start: UInt64
    private let end: UInt64
    private let isComplete: Bool

    /// Makes one without records.
    ///
    /// - Parameters:
    ///   - span: the run, in nanoseconds of CLOCK_MONOTONIC.
    ///   - isComplete: whether what is missing is lost, rather than cut off.
    public init(of span: Range<UInt64>, isComplete: Bool) {
        start = span.lowerBound
        end = span.upperBound
        self.isComplete = isComplete
    }

    /// Appends `entries` as the series called `name`.
    ///
    /// - Parameters:
    ///   - isFromWatch: whether the watch sent them.
    ///   - latency: what the series counts.
    public mutating func add(
        _ entries: [TraceJoin.Entry], series name: String, isFromWatch: Bool,
        latency: (TraceJoin.Entry) -> UInt64?
    ) {
        guard !entries.isEmpty else { return }
        let place = series.firstIndex { $0.name == name } ?? series.count
        if place == series.count { series.append(Series(name: name, isFromWatch: isFromWatch)) }
        records += entries.map { entry in
            let record = entry.record
            return Record(
                series: place, name: record.name, intended: since(record.intended),
                accepted: since(record.accepted), sent: record.sent.map(since),
                delivered: entry.delivered.map(since), visible: entry.visible.map(since),
                durable: entry.durable.map(since), applied: record.applied.map(since),
                outcome: outcome(of: entry), latencyNanoseconds: latency(entry))
        }
    }

    private func since(_ moment: UInt64) -> UInt64 { moment - min(start, moment) }

    private func outcome(of entry: TraceJoin.Entry) -> Outcome {
        if entry.deliveryCount > 0 { return entry.deliveryCount > 1 ? .twice : .delivered }
        if entry.isMissing { return isComplete ? .lost : .underWay }
        return entry.isSuperseded || entry.isEqual ? .superseded : .withdrawn
    }

    // MARK: The face

    /// Finds what the face showed when, from all records of the way to the watch.
    public mutating func addFace(_ join: TraceJoin) {
        let updates = join.entries.filter { $0.record.lane == "complication" }
        // The next update that the phone was given makes an older one outdated, shown or not.
        var shown: [FaceSpan] = []
        for (index, entry) in updates.enumerated() {
            guard entry.deliveryCount > 0, let visible = entry.ownVisible else { continue }
            let newer = index + 1 < updates.count ? updates[index + 1].record.intended : nil
            shown.append(
                FaceSpan(
                    name: entry.record.name, made: since(entry.record.intended),
                    outdated: newer.map(since), shown: since(visible), replaced: since(end)))
        }
        shown.sort { ($0.shown, $0.made) < ($1.shown, $1.made) }
        for index in shown.indices.dropLast() { shown[index].replaced = shown[index + 1].shown }
        face += shown
    }
}

/// The moments of each record of a run, beyond the run's tables: pictures are made of them. Moments
/// are nanoseconds since the run began.
package struct RunDetail: Sendable {
    /// The outcome of a record.
    package enum Outcome: Int, Sendable, CaseIterable {
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
        package var word: String {
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
    package struct Record: Sendable {
        /// Its place in ``RunDetail/series``.
        package var series: Int
        /// As people can find it again: `medication, context 233`.
        package var name: String
        /// When it was due.
        package var intended: UInt64
        /// When the sender's session took it.
        package var accepted: UInt64
        /// When it was first given to the carrier; nil where that never happened, or is not known.
        package var sent: UInt64?
        /// When the packet that made it whole had come.
        package var delivered: UInt64?
        /// When it was where its series wants it: seen, or seen and in both journals. A newer value
        /// of its key counts for it. Never before ``sent`` and ``delivered``.
        package var reached: UInt64?
        /// When the sender heard that the other application has it.
        package var applied: UInt64?
        /// The outcome.
        package var outcome: Outcome
        /// The latency that its series counts: from ``intended`` to ``reached``, or the wait until
        /// the run's end where that counts; nil where it is not measured.
        package var latencyNanoseconds: UInt64?
    }

    /// A value that the watch's face showed.
    package struct FaceSpan: Hashable, Sendable {
        /// As people can find it again: `complication 17`.
        package var name: String
        /// When the phone had it.
        package var made: UInt64
        /// When the phone had a newer one; nil where it never had.
        package var outdated: UInt64?
        /// When the face began to show it.
        package var shown: UInt64
        /// When the face showed another, or nobody looked any more.
        package var replaced: UInt64
        /// Whether the face showed no other before nobody looked any more: how long it would have
        /// stayed is not known.
        package var isCut: Bool
    }

    /// A kind of record.
    package struct Series: Hashable, Sendable {
        /// As the tables call it: `sync`.
        package var name: String
        /// Whether the watch sends it.
        package var isFromWatch: Bool
    }

    /// The kinds of records, in the order of the tables.
    package private(set) var series: [Series] = []
    /// All records that were measured, by ``Record/intended`` within each series.
    package private(set) var records: [Record] = []
    /// The values displayed, oldest first.
    package private(set) var face: [FaceSpan] = []
    /// All packets between the two that were listed, in the order they were sent.
    package internal(set) var packets: [Packet] = []
    /// Whether packets were listed at all.
    package internal(set) var hasPackets = false
    /// Packets for which a list had no room.
    package internal(set) var packetsOmitted: UInt64 = 0

    private let start: UInt64
    private let end: UInt64
    private let isComplete: Bool
    /// Where records stand in ``records``.
    private var places: [RecordIdentity: Int] = [:]

    /// Makes one without records.
    ///
    /// - Parameters:
    ///   - span: the run, in nanoseconds of CLOCK_MONOTONIC.
    ///   - isComplete: whether what is missing is lost, rather than cut off.
    package init(of span: Range<UInt64>, isComplete: Bool) {
        start = span.lowerBound
        end = span.upperBound
        self.isComplete = isComplete
    }

    /// Appends `entries` as the series called `name`.
    ///
    /// - Parameters:
    ///   - entries: records of one kind and way.
    ///   - name: as the tables call them.
    ///   - isFromWatch: whether the watch sent them.
    ///   - end: the moment that the series counts to.
    ///   - countsWaits: whether what has not come so far counts with its wait until the run ended.
    package mutating func add(
        _ entries: [TraceJoin.Entry], series name: String, isFromWatch: Bool,
        until end: KeyPath<TraceJoin.Entry, UInt64?>, countsWaits: Bool = false
    ) {
        guard !entries.isEmpty else { return }
        let place = series.firstIndex { $0.name == name } ?? series.count
        if place == series.count { series.append(Series(name: name, isFromWatch: isFromWatch)) }
        for (offset, entry) in entries.enumerated() {
            guard let identity = entry.record.identity else { continue }
            places[identity] = places[identity] ?? records.count + offset
        }
        records += entries.map { entry in
            record(entry, series: place, reached: entry[keyPath: end], countsWaits: countsWaits)
        }
    }

    /// Its moments in order, so that its stages add up to its latency whatever the traces say.
    private func record(
        _ entry: TraceJoin.Entry, series: Int, reached: UInt64?, countsWaits: Bool
    ) -> Record {
        let record = entry.record
        let due = record.intended
        let reached = reached.map { max($0, due) }
        // A newer value may have been seen first; then this one's way ended there.
        func ordered(_ moment: UInt64?) -> UInt64? {
            moment.map { max(due, min($0, reached ?? .max)) }
        }
        let delivered = ordered(entry.delivered)
        // A trace that has it come before it was sent does not know when it was sent.
        let isKnown = (record.sent ?? 0) <= entry.delivered ?? .max
        let waited = countsWaits ? self.end - min(self.end, due) : nil
        return Record(
            series: series, name: record.name, intended: since(due),
            accepted: since(record.accepted),
            sent: isKnown ? ordered(record.sent).map(since) : nil, delivered: delivered.map(since),
            reached: reached.map(since), applied: record.applied.map(since),
            outcome: outcome(of: entry),
            latencyNanoseconds: reached.map { $0 - due } ?? waited)
    }

    func since(_ moment: UInt64) -> UInt64 { moment - min(start, moment) }

    /// The place of a record that was measured.
    func place(of record: RecordIdentity) -> Int? { places[record] }

    private func outcome(of entry: TraceJoin.Entry) -> Outcome {
        if entry.deliveryCount > 0 { return entry.deliveryCount > 1 ? .twice : .delivered }
        if entry.isMissing { return isComplete ? .lost : .underWay }
        return entry.isSuperseded || entry.isEqual ? .superseded : .withdrawn
    }

    // MARK: The face

    /// Finds what the face showed when, from all records of the way to the watch.
    ///
    /// - Parameters:
    ///   - join: all records of that way.
    ///   - periods: when somebody looked, in nanoseconds of CLOCK_MONOTONIC, in order: faces shown
    ///     between them say nothing. None: the whole run.
    package mutating func addFace(_ join: TraceJoin, in periods: [Range<UInt64>] = []) {
        let updates = join.entries.filter { $0.record.channel == "complication" }
        // The next update that the phone was given makes an older one outdated, shown or not.
        var shown: [FaceSpan] = []
        for (index, entry) in updates.enumerated() {
            guard entry.deliveryCount > 0, let visible = entry.ownVisible else { continue }
            let newer = index + 1 < updates.count ? updates[index + 1].record.intended : nil
            shown.append(
                FaceSpan(
                    name: entry.record.name, made: since(entry.record.intended),
                    outdated: newer.map(since), shown: since(visible), replaced: since(end),
                    isCut: true))
        }
        shown.sort { ($0.shown, $0.made) < ($1.shown, $1.made) }
        let ends = periods.map { since(min($0.upperBound, end)) }
        for index in shown.indices {
            let next = index + 1 < shown.count ? shown[index + 1].shown : nil
            let limit = ends.first { shown[index].shown <= $0 } ?? since(end)
            if let next, next <= limit {
                shown[index].replaced = next
                shown[index].isCut = false
            } else {
                shown[index].replaced = limit
            }
        }
        face += shown
    }
}

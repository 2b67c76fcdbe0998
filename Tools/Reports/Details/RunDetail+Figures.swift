extension RunDetail {
    /// The figures of a series in one stretch of time.
    package struct Interval: Hashable, Sendable {
        /// When it began, in nanoseconds since the run began.
        package var start: UInt64
        /// How many records of it were due in it and have a latency.
        package var count: Int
        /// Latencies in nanoseconds; percentiles are nil where there are fewer than 10/(1−p).
        package var p50: UInt64?
        /// See ``p50``.
        package var p99: UInt64?
        /// The longest.
        package var longest: UInt64
    }

    /// The latencies of one series over time, by when records were due.
    ///
    /// - Returns: how long an interval is, in seconds: the shortest of 1, 2, 5, 10, 30 and 60 in
    ///   which half of the intervals have the 20 records that a median needs, or 1 where there are
    ///   too few records for any median; and those intervals that have any.
    package func intervals(ofSeries place: Int) -> (seconds: UInt64, intervals: [Interval]) {
        let measured = records.filter { $0.series == place && $0.latencyNanoseconds != nil }
        var found: (seconds: UInt64, intervals: [Interval]) = (1, [])
        for seconds in [1, 2, 5, 10, 30, 60] as [UInt64] {
            found = (seconds, Self.intervals(measured, seconds: seconds))
            let enough = found.intervals.count { $0.p50 != nil }
            if enough > 0, 2 * enough >= found.intervals.count { return found }
        }
        return found.intervals.contains { $0.p50 != nil }
            ? found : (1, Self.intervals(measured, seconds: 1))
    }

    /// The 99th percentiles of one series over time, in intervals of their own: a second seldom has
    /// the 1,000 records that one needs.
    ///
    /// - Returns: how many records have a latency; how long an interval is, in seconds: the
    ///   shortest of 1, 2, 5, 10, 30, 60, 300, 600 and 3600 in which half of the intervals have
    ///   enough, or as long as the run; and those that have. Nil where the whole run has too few.
    package func tails(
        ofSeries place: Int
    ) -> (count: Int, found: (seconds: UInt64, intervals: [Interval])?) {
        let measured = records.filter { $0.series == place && $0.latencyNanoseconds != nil }
        guard measured.count >= Percentile.p99.samplesNeeded else { return (measured.count, nil) }
        let whole = (measured.map(\.intended).max() ?? 0) / 1_000_000_000 + 1
        for seconds in [1, 2, 5, 10, 30, 60, 300, 600, 3600] as [UInt64] where seconds < whole {
            let all = Self.intervals(measured, seconds: seconds)
            let enough = all.filter { $0.p99 != nil }
            if 2 * enough.count >= all.count { return (measured.count, (seconds, enough)) }
        }
        return (measured.count, (whole, Self.intervals(measured, seconds: whole)))
    }

    private static func intervals(_ records: [Record], seconds: UInt64) -> [Interval] {
        let length = seconds * 1_000_000_000
        let groups = Dictionary(grouping: records) { $0.intended / length }
        return groups.sorted { $0.key < $1.key }.map { number, members in
            let latencies = members.compactMap(\.latencyNanoseconds).sorted()
            return Interval(
                start: number * length, count: latencies.count, p50: percentile(.p50, latencies),
                p99: percentile(.p99, latencies), longest: latencies.last ?? 0)
        }
    }

    private static func percentile(_ percentile: Percentile, _ sorted: [UInt64]) -> UInt64? {
        let count = UInt64(sorted.count)
        guard count >= percentile.samplesNeeded else { return nil }
        return sorted[Int(percentile.rank(in: count)) - 1]
    }

    // MARK: Stages

    /// A part of a record's way.
    package enum Stage: String, Sendable, CaseIterable {
        /// From when it was due until it was first given to the carrier: the sender's backlog, and
        /// its journal's commit where a record must not leave before.
        case queued
        /// From then until the packet that made it whole had come and was opened.
        case air
        /// From then until what its series counts: both journals held it, or it was seen.
        case commit
        /// From then until the sender heard of it; no part of the latency.
        case applied
    }

    /// The medians of the stages of a series.
    package struct StageMedians: Hashable, Sendable {
        /// The series.
        package var series: Series
        /// How many records the first three medians are of: of these every stage of the latency is
        /// known.
        package var count: Int
        /// Of how many of these the sender heard.
        package var appliedCount: Int
        /// The median of each stage in nanoseconds, in the order of ``Stage``; nil where fewer than
        /// the 20 records that a median needs passed it.
        package var nanoseconds: [UInt64?]
    }

    /// The medians of each series' stages.
    package var stageMedians: [StageMedians] {
        series.indices.map { place in
            let parts = records.filter { $0.series == place && $0.outcome == .delivered }
                .map(\.stages).filter { !$0.prefix(3).contains(nil) }
            let medians = Stage.allCases.indices.map { stage in
                Self.percentile(.p50, parts.compactMap { $0[stage] }.sorted())
            }
            return StageMedians(
                series: series[place], count: parts.count,
                appliedCount: parts.count { $0[3] != nil }, nanoseconds: medians)
        }
    }

    /// Why fewer records of a series have stages, or their last one, than were sent.
    package var stageNotes: [String] {
        zip(series.indices, stageMedians).flatMap { place, row in
            let own = records.filter { $0.series == place }
            let replaced = own.count { $0.outcome == .superseded }
            var notes: [String] = []
            if replaced > 0 {
                notes.append(
                    "\(row.series.name): of \(own.count) sent a newer value replaced \(replaced) "
                        + "on their way; these count until that was seen and have no stages, which "
                        + "are known of \(row.count)")
            }
            if row.appliedCount < row.count {
                notes.append(
                    "\(row.series.name): of the \(row.count) records with stages "
                        + "\(row.count - row.appliedCount) lack 'applied': its median is of "
                        + "\(row.appliedCount)")
            }
            return notes
        }
    }

    /// The `count` records of the longest latencies, longest first.
    package func slowest(_ count: Int) -> [Record] {
        let measured = records.filter { $0.latencyNanoseconds != nil }
        return Array(
            measured.sorted { left, right in
                let latencies = (left.latencyNanoseconds ?? 0, right.latencyNanoseconds ?? 0)
                return latencies.0 == latencies.1
                    ? left.intended < right.intended : latencies.0 > latencies.1
            }.prefix(count))
    }
}

extension RunDetail.Record {
    /// How long each stage took, in nanoseconds, in the order of ``RunDetail/Stage``; nil where it
    /// is not known. Of a record that arrived, those up to the commit add up to its latency where
    /// all are known, and to less where not. A sender that heard of it before has waited for
    /// nothing: 0.
    package var stages: [UInt64?] {
        [
            Self.span(intended, sent), Self.span(sent, delivered),
            Self.span(delivered, reached), Self.span(reached, applied),
        ]
    }

    private static func span(_ start: UInt64?, _ end: UInt64?) -> UInt64? {
        guard let start, let end else { return nil }
        return end - min(start, end)
    }
}

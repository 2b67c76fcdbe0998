import WatchProtoCore

/// A run's latencies as a log of HdrHistogram, format 1.3: `latency.hlog`.
///
/// HdrHistogram's `HistogramLogReader` describes it: comments begin with `#`; every other line but
/// the legend is an interval. Each series has its key as its tag, and an interval for each second
/// of the run in which it has a value. A long run has longer intervals.
enum HistogramLog {
    /// The whole file. Series without a value are left out, as in the table.
    static func text(_ report: Report) -> String {
        let series = zip(report.seriesKeys, report.latencies).filter { $1.histogram.count > 0 }
        var lines = ["#[Histogram log format version 1.3]"]
        if let start = report.startedAt {
            // Without the second, readers guess whether intervals count from the first.
            let seconds = OutputNumbers.thousandths(UInt64(clamping: start.milliseconds))
            let date = OutputNumbers.utc(start)
            lines.append("#[StartTime: \(seconds) (seconds since epoch), \(date)]")
            lines.append("#[BaseTime: \(seconds) (seconds since epoch)]")
        }
        lines.append("#[rig \(report.version): \(report.repeatCommand.onOneLine)]")
        if report.isSealed == false { lines.append("#[UNSEALED: the link was in clear]") }
        if !report.isComplete { lines.append("#[INCOMPLETE: the run ended early]") }
        lines.append("#[Values are nanoseconds; Interval_Max is in milliseconds]")
        for (key, series) in series { lines.append(comment(key, series)) }
        lines.append(
            #""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#)
        let step = max(1, report.durationNanoseconds / (intervalLimit * 1_000_000_000) + 1)
        var intervals: [(start: UInt64, line: String)] = []
        for (key, series) in series {
            for (place, seconds) in Dictionary(grouping: series.seconds, by: { $0.key / step }) {
                let start = place * step * 1000
                let end = min(start + step * 1000, report.durationNanoseconds / 1_000_000)
                let length = end > start ? end - start : step * 1000
                intervals.append(
                    (start, interval("Tag=\(key)", start, length, seconds.flatMap(\.value))))
            }
        }
        // Readers want them in the order of time.
        intervals.sort { ($0.start, $0.line) < ($1.start, $1.line) }
        return (lines + intervals.map(\.line)).map { $0 + "\n" }.joined()
    }

    /// The most intervals of one series.
    private static let intervalLimit: UInt64 = 300

    /// The line of an interval, of which times are in milliseconds.
    private static func interval(
        _ tag: String, _ start: UInt64, _ length: UInt64, _ nanoseconds: [UInt64]
    ) -> String {
        var histogram = LatencyHistogram()
        for value in nanoseconds { histogram.record(value) }
        let longest = (histogram.maximumNanoseconds ?? 0) / 1000
        let numbers = [start, length, longest].map(OutputNumbers.thousandths)
        return ([tag] + numbers + [histogram.hdrText]).joined(separator: ",")
    }

    private static func comment(_ key: String, _ series: LatencySeries) -> String {
        let histogram = series.histogram
        let clamped =
            histogram.clampedCount > 0 ? ", \(histogram.clampedCount) of them above 1 h" : ""
        return "#[Tag \(key): \(series.name.onOneLine), n=\(histogram.count)\(clamped)]"
    }
}

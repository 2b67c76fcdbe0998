import WatchProtoCore

/// A run's latencies as a log of HdrHistogram, format 1.3: `latency.hlog`.
///
/// HdrHistogram's `HistogramLogReader` describes it: comments begin with `#`; every other line but
/// the legend is an interval. A series is one interval as long as the run, with its key as its tag.
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
        let length = OutputNumbers.thousandths(report.durationNanoseconds / 1_000_000)
        for (key, series) in series {
            let histogram = series.histogram
            let longest = OutputNumbers.thousandths((histogram.maximumNanoseconds ?? 0) / 1000)
            lines.append("Tag=\(key),0.000,\(length),\(longest),\(histogram.hdrText)")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func comment(_ key: String, _ series: LatencySeries) -> String {
        let histogram = series.histogram
        let clamped =
            histogram.clampedCount > 0 ? ", \(histogram.clampedCount) of them above 1 h" : ""
        return "#[Tag \(key): \(series.name.onOneLine), n=\(histogram.count)\(clamped)]"
    }
}

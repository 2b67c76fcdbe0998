import ControlProtocol

/// The data that a page's script draws, as JSON. Times are whole nanoseconds where a picture shows
/// figures; ``RecordColumns`` and ``FaceColumns`` have their own.
enum HTMLData {
    /// Everything.
    static func json(of report: Report, _ columns: RecordColumns?) -> JSONValue {
        var object: JSONObject = [
            "duration_ns": .whole(report.durationNanoseconds),
            "curves": .array(report.latencies.filter { $0.histogram.count > 0 }.map(curve)),
            "marks": .array(report.rows.compactMap(mark)),
        ]
        guard let detail = report.detail, let columns else { return .object(object) }
        object["series"] = .array(
            detail.series.map { ["name": .string($0.name), "isFromWatch": .bool($0.isFromWatch)] })
        object["outcomes"] = .array(
            RunDetail.Outcome.allCases.map { .string($0.word) })
        object["intervals"] = .array(detail.series.indices.map { intervals(detail, $0) })
        object["stages"] = .array(
            detail.stageMedians.map { row in
                [
                    "name": .string(row.series.name),
                    "ns": .array(row.nanoseconds.map { $0.map { .whole($0) } ?? .null }),
                ]
            })
        object["records"] = columns.json
        object["packets"] = columns.packets?.json
        object["face"] = FaceColumns.json(FaceColumns.sample(detail.face))
        object["face_until_us"] = .whole((detail.face.last?.shown ?? 0) / 1000)
        return .object(object)
    }

    /// Latency by percentile: pairs of how many samples lie above, and nanoseconds. No two
    /// neighbours are nearer than a picture can show.
    private static func curve(_ series: LatencySeries) -> JSONValue {
        let histogram = series.histogram
        var points: [JSONValue] = []
        var above = histogram.count
        var drawn = Double.infinity
        for slot in histogram.filledSlots {
            above -= slot.count
            guard Double(above) <= drawn * 0.96 else { continue }
            drawn = Double(above)
            let value = min(slot.nanoseconds.upperBound, histogram.maximumNanoseconds ?? 0)
            points.append([.whole(above), .whole(value)])
        }
        var figures = JSONObject()
        for percentile in Report.columns {
            figures[percentile.name] = histogram[percentile].map {
                [.whole(percentile.partsPerMillion), .whole($0)]
            }
        }
        return [
            "name": .string(series.name), "n": .whole(histogram.count),
            "min_ns": .whole(histogram.minimumNanoseconds ?? 0),
            "max_ns": .whole(histogram.maximumNanoseconds ?? 0), "points": .array(points),
            "figures": .object(figures),
            // Scheduling delays are the machine's: they set no scale.
            "machine": .bool(series.name == LatencySeries.schedulingDelayName),
        ]
    }

    /// A target for a percentile of the link's latencies, as a line to stay below.
    private static func mark(_ row: Report.Row) -> JSONValue? {
        guard case .percentile(let percentile) = row.target.statistic,
            row.target.group == .watchLink, row.target.unit == .nanoseconds,
            row.measurement != nil, let goal = row.target.goal
        else { return nil }
        return [
            "title": .string(row.target.heading), "ppm": .whole(percentile.partsPerMillion),
            "goal_ns": .number(goal), "max_ns": row.target.limit.map { .number($0) } ?? .null,
        ]
    }

    private static func intervals(_ detail: RunDetail, _ place: Int) -> JSONValue {
        let (seconds, intervals) = detail.intervals(ofSeries: place)
        let tails = detail.tails(ofSeries: place)
        return [
            "n": .whole(tails.count),
            "tails": tails.found.map { found in
                [
                    "seconds": .whole(found.seconds),
                    "rows": .array(
                        found.intervals.map { interval in
                            [
                                .whole(interval.start / 1_000_000), .whole(interval.count),
                                interval.p99.map { .whole($0) } ?? .null,
                            ]
                        }),
                ]
            } ?? .null,
            "seconds": .whole(seconds),
            "rows": .array(
                intervals.map { interval in
                    [
                        .whole(interval.start / 1_000_000), .whole(interval.count),
                        interval.p50.map { .whole($0) } ?? .null,
                        interval.p99.map { .whole($0) } ?? .null, .whole(interval.longest),
                    ]
                }),
        ]
    }
}

import CommandLine
package import ControlProtocol
import WatchProtoCore

extension Report {
    /// The name and version of the form of `json`.
    package static let schema = "rig.results/1"

    /// The report for programs: times in integer nanoseconds, names stable, nothing rounded.
    ///
    /// `share/schema/rig.results-1.json` describes it.
    package var json: JSONValue {
        var object: JSONObject = [
            "schema": .string(Self.schema),
            "rig": .string(version),
            "verb": .string(verb),
            "link": .string(link),
            "seed": seed.map { .whole($0) } ?? nil,
            "started_unix_ns": startedAt.map { .whole($0.milliseconds * 1_000_000) } ?? nil,
            "duration_ns": .whole(durationNanoseconds),
            "virtual_duration_ns": virtualDurationNanoseconds.map { .whole($0) } ?? nil,
            "complete": .bool(isComplete),
            "passed": .bool(hasPassed),
            "exit": .whole(exitCode.rawValue),
            "repeat": .string(repeatCommand),
            "load": .array(load.map { .string($0) }),
            "host": .object(host),
            "metrics": .array(rows.map(\.json)),
            "latencies": .array(latencies.map(\.json)),
            "counts": .object(counts),
            "notes": .array(notes.map { .string($0) }),
        ]
        object["stages"] = detail.map { .array($0.stageMedians.map(\.json)) }
        return .object(object)
    }
}

extension Report.Row {
    fileprivate var json: JSONValue {
        [
            "id": .string(target.id),
            "title": .string(target.heading),
            "group": .string(target.group.rawValue),
            "device": .string(target.device.rawValue),
            "unit": .string(target.unit.baseName),
            "sense": .string(target.sense.rawValue),
            "statistic": .string(target.statistic.name),
            "series": measurement?.series.map { .string($0) } ?? nil,
            "target": target.goal.map { .exact($0) } ?? nil,
            "max": target.limit.map { .exact($0) } ?? nil,
            "actual": measurement?.actual.map { .exact($0) } ?? nil,
            "n": .whole(measurement?.sampleCount ?? 0),
            "n_needed": .whole(target.samplesNeeded),
            "status": .string(status.rawValue),
            "remark": measurement?.remark.map { .string($0) } ?? nil,
            "caveat": caveat.map { .string($0) } ?? nil,
        ]
    }
}

extension LatencySeries {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["name"] = .string(name)
        object["n"] = .whole(histogram.count)
        object["clamped"] = .whole(histogram.clampedCount)
        object["sum_ns"] = .whole(histogram.sumNanoseconds)
        object["min_ns"] = histogram.minimumNanoseconds.map { .whole($0) } ?? .null
        for percentile in Report.columns {
            object["\(percentile.name)_ns"] = histogram[percentile].map { .whole($0) } ?? .null
        }
        object["max_ns"] = histogram.maximumNanoseconds.map { .whole($0) } ?? .null
        if !rounds.isEmpty { object["rounds"] = .array(rounds.map(\.json)) }
        if let worst {
            object["worst"] = [
                "message": .string(worst.message), "at_ns": .whole(worst.atNanoseconds),
                "latency_ns": .whole(worst.latencyNanoseconds),
            ]
        }
        if let promise {
            object["guarantee"] = .string(promise.guarantee)
            object["sigkill"] =
                promise.killed.map {
                    ["acknowledged": .whole($0.acknowledged), "kept": .whole($0.kept)]
                } ?? .null
        }
        object["histogram"] = .array(
            histogram.filledSlots.map {
                [
                    .whole($0.nanoseconds.lowerBound), .whole($0.nanoseconds.upperBound),
                    .whole($0.count),
                ]
            })
        return .object(object)
    }
}

extension LatencySeries.Round {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["n": .whole(count)]
        for percentile in Report.columns {
            object["\(percentile.name)_ns"] = nanoseconds[percentile].map { .whole($0) } ?? .null
        }
        return .object(object)
    }
}

extension RunDetail.StageMedians {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["series": .string(series.name), "n": .whole(count)]
        for (stage, median) in zip(RunDetail.Stage.allCases, nanoseconds) {
            object["\(stage.rawValue)_p50_ns"] = median.map { .whole($0) } ?? .null
        }
        return .object(object)
    }
}

extension Target.Unit {
    fileprivate var baseName: String { self == .megabytes ? "B" : rawValue }
}

extension Target.Statistic {
    fileprivate var name: String {
        switch self {
        case .percentile(let percentile): percentile.name
        case .worst: "worst"
        case .mean: "mean"
        case .job, .total: "total"
        }
    }
}

extension JSONValue {
    /// A whole number where `value` is one.
    fileprivate static func exact(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }
}

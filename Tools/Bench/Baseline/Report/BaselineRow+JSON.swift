package import ControlProtocol
import Reports
import Simulation
import WatchProtoCore

extension BaselineRow {
    /// The row for programs: times in whole nanoseconds, nothing rounded; null for too few trials,
    /// -1 for never. `share/schema/rig.baseline-1.json` describes it.
    package var json: JSONValue {
        [
            "profile": .string(settings.profile.name),
            "reading": .string(settings.reading.rawValue),
            "datagram_bytes": .whole(cell.datagramBytes(settings)),
            "commit_ns": .whole(settings.commitTime.nanosecondsClamped),
            "seed": .whole(settings.seed),
            "cell": .string(cell.rawValue),
            "trials": .whole(samples.ours.count),
            "never_ended": .whole(samples.unfinished),
            "refused": .whole(samples.refused),
            "repeated": .whole(samples.repeated),
            "disordered": .whole(samples.disordered),
            "busy_lines": .whole(samples.busyLines),
            "ours": Self.json(samples.ours),
            "ideal": Self.json(samples.ideal),
            "shared_ideal": Self.json(samples.sharedIdeal),
            "limit": Self.json(samples.limit),
            "phone": Self.json(samples.tallies[0]),
            "watch": Self.json(samples.tallies[1]),
            "ideal_never_ended": .whole(samples.idealNever),
            "ideal_packets": .whole(samples.idealPackets),
            "ideal_bytes": .whole(samples.idealBytes),
            "carriers": [
                "packets": .whole(samples.carriers.packets),
                "bytes": .whole(samples.carriers.bytes),
                "largest_bytes": .whole(samples.carriers.largest),
            ],
            "files": .whole(cell.hasGoodput ? files : 0),
            "goodput_share": goodput.map { .number($0.ours) } ?? .null,
            "goals": .array(goals.map(\.json)),
        ]
    }

    private static func json(_ samples: [UInt64]) -> JSONValue {
        var object = JSONObject()
        for percentile in [Percentile.p50, .p90, .p95, .p99, .p999] {
            let value = percentile.value(of: samples)
            object["\(percentile.name)_ns"] =
                value.map { $0 == BaselineSamples.never ? .integer(-1) : .whole($0) } ?? .null
        }
        return .object(object)
    }

    private static func json(_ tally: PairTally) -> JSONValue {
        [
            "packets": .whole(tally.packets), "bytes": .whole(tally.bytes),
            "wakes": .whole(tally.wakes),
        ]
    }
}

extension BaselineGoal {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "actual": Self.json(actual), "bound": Self.json(bound),
            "max": Self.json(hardLimit), "sense": .string(isLeast ? ">=" : "<="),
            "lower_bound": Self.json(baseline), "status": .string(status.rawValue),
            "needs": .whole(needs), "count": .whole(count),
            "ideal_never_ends": .bool(hasEndlessIdeal),
            "forbidden_by_physics": .bool(isForbidden),
        ]
    }

    /// JSON has no infinity.
    private static func json(_ number: Double?) -> JSONValue {
        number.map { $0.isFinite ? .number($0) : .integer(-1) } ?? .null
    }
}

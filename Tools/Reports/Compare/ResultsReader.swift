import CommandLine
import ControlProtocol

/// Takes the members of a `results.json` apart, and refuses what no run can have written: a figure
/// that is passed over in silence would make two runs look alike.
struct ResultsReader {
    let file: String
    let hint: String

    /// More samples than any run takes, and few enough for ranks to be reckoned.
    private static let mostSamples: UInt64 = 1_000_000_000_000

    /// Facts that tell runs apart may be missing, and must not be something else.
    func checkCircumstances(_ json: JSONValue) throws(RigFailure) {
        for name in ["verb", "link", "rig"] {
            try check(name, json[name], "a text") { $0.string != nil }
        }
        try check("seed", json["seed"], "a whole number or null") {
            $0.unsigned != nil || $0.isNull
        }
        try check("load", json["load"], "an array of texts") { value in
            value.array?.allSatisfy { $0.string != nil } == true
        }
        try check("host", json["host"], "an object") { $0.object != nil }
    }

    /// Whether the run came to its end.
    func complete(_ json: JSONValue) throws(RigFailure) -> Bool {
        guard let isComplete = json["complete"]?.bool else {
            throw refusal("complete", json["complete"], "true or false")
        }
        return isComplete
    }

    /// All latencies.
    func latencies(_ json: JSONValue) throws(RigFailure) -> [RunResults.Series] {
        guard let latencies = json["latencies"]?.array else {
            throw refusal("latencies", json["latencies"], "an array of series")
        }
        var all: [RunResults.Series] = []
        for (place, latency) in latencies.enumerated() {
            guard var read = Self.series(latency) else {
                throw RigFailure(
                    .badInput,
                    "'\(file)' holds no results: latencies[\(place)] must have a 'name' and a "
                        + "'histogram' of [lowest, highest, count], ascending.", details: [hint])
            }
            guard !all.contains(where: { $0.name == read.name }) else {
                throw refusal("latencies[\(place)].name", latency["name"], "a name of its own")
            }
            read.rounds = try rounds(latency["rounds"], "latencies[\(place)].rounds")
            all.append(read)
        }
        return all
    }

    /// The figures of each round; nil where the file has none.
    private func rounds(
        _ json: JSONValue?, _ place: String
    ) throws(RigFailure) -> [LatencySeries.Round]? {
        guard let json else { return nil }
        guard let rounds = json.array else { throw refusal(place, json, "an array of rounds") }
        var read: [LatencySeries.Round] = []
        for (number, json) in rounds.enumerated() {
            guard let count = json["n"]?.unsigned, count <= Self.mostSamples else {
                throw refusal("\(place)[\(number)].n", json["n"], "a whole number")
            }
            var round = LatencySeries.Round(count: count, nanoseconds: [:])
            for percentile in Report.columns {
                let name = "\(percentile.name)_ns"
                let hasEnough = count >= percentile.samplesNeeded
                round.nanoseconds[percentile] = json[name]?.unsigned
                guard hasEnough == (json[name]?.unsigned != nil) else {
                    throw refusal(
                        "\(place)[\(number)].\(name)", json[name],
                        hasEnough ? "whole nanoseconds" : "null for n=\(count)")
                }
            }
            read.append(round)
        }
        return read
    }

    /// All targets that anything measures.
    func metrics(_ json: JSONValue) throws(RigFailure) -> [RunResults.Row] {
        guard let metrics = json["metrics"]?.array else {
            throw refusal("metrics", json["metrics"], "an array of targets")
        }
        var rows: [RunResults.Row] = []
        for (place, metric) in metrics.enumerated() {
            let row = try row(metric, "metrics[\(place)]")
            if row.status != .notBuilt { rows.append(row) }
        }
        return rows
    }

    private func row(_ metric: JSONValue, _ place: String) throws(RigFailure) -> RunResults.Row {
        func text(_ name: String) throws(RigFailure) -> String {
            guard let text = metric[name]?.string else {
                throw refusal("\(place).\(name)", metric[name], "a text")
            }
            return text
        }
        func number(_ name: String) throws(RigFailure) -> Double? {
            try check("\(place).\(name)", metric[name], "a number or null") {
                $0.number != nil || $0.isNull
            }
            return metric[name]?.number
        }
        func word<Word: RawRepresentable<String>>(
            _ name: String, _ words: [Word]
        ) throws(RigFailure) -> Word {
            guard let word = metric[name]?.string.flatMap({ Word(rawValue: $0) }) else {
                let all = words.map { "'\($0.rawValue)'" }.joined(separator: ", ")
                throw refusal("\(place).\(name)", metric[name], "one of \(all)")
            }
            return word
        }
        guard metric.object != nil else { throw refusal(place, metric, "an object") }
        try check("\(place).series", metric["series"], "a text or null") {
            $0.string != nil || $0.isNull
        }
        return RunResults.Row(
            id: try text("id"), title: try text("title"),
            status: try word("status", Status.allCases),
            unit: try word(
                "unit", [Target.Unit.nanoseconds, .bytes, .percent, .perSecond, .count]),
            sense: try word("sense", [Target.Sense.atMost, .atLeast, .exactly]),
            statistic: try text("statistic"), series: metric["series"]?.string,
            goal: try number("target"), limit: try number("max"), actual: try number("actual"))
    }

    private func check(
        _ place: String, _ value: JSONValue?, _ expected: String,
        _ isRight: (JSONValue) -> Bool
    ) throws(RigFailure) {
        if let value, !isRight(value) { throw refusal(place, value, expected) }
    }

    private func refusal(_ place: String, _ value: JSONValue?, _ expected: String) -> RigFailure {
        let found = value.map { Excerpt.of(JSONWriter.text($0)) } ?? "missing"
        return RigFailure(
            .badInput, "'\(file)' holds no results: \(place) is \(found), expected \(expected).",
            details: [hint])
    }

    private static func series(_ json: JSONValue) -> RunResults.Series? {
        guard let name = json["name"]?.string, let slots = json["histogram"]?.array else {
            return nil
        }
        var read = RunResults.Series(name: name, count: 0, slots: [])
        for slot in slots {
            guard let cells = slot.array, cells.count == 3, let value = cells[1].unsigned,
                let count = cells[2].unsigned, count > 0, count <= mostSamples,
                value > read.slots.last?.nanoseconds ?? 0 || read.slots.isEmpty
            else { return nil }
            read.slots.append((value, count))
            read.count += count
            guard read.count <= mostSamples else { return nil }
        }
        return read
    }
}

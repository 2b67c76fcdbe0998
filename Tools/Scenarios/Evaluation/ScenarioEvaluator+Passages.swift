import ControlProtocol
import Reports
import WatchProtoCore

/// One thing on its way from one device to the other.
struct Passage {
    /// Its description, for people.
    var words: String
    /// When it began; nil where the device did not take it.
    var begin: Duration?
    /// When it was there; nil where it never was.
    var end: Duration?
}

/// How long things took.
extension ScenarioEvaluator {
    /// The passages that the plan makes of `subject`, in its order, each with its outcome.
    func passages(of subject: Expectation.Subject) -> [Passage] {
        switch subject {
        case .changes: changes
        case .taps: taps
        case .faces: faces
        }
    }

    private var changes: [Passage] {
        var made = record.observations.filter {
            if case .changed = $0.what { true } else { false }
        }[...]
        return plan.steps.compactMap { step in
            let number: Int
            switch step.act {
            case .change(let medication), .remove(let medication): number = medication
            default: return nil
            }
            guard let one = made.first, case .changed(number, let revision) = one.what else {
                return Passage(words: step.words)
            }
            made = made.dropFirst()
            let seen = record.observations.first { later in
                guard later.at >= one.at, case .visible(number, let shown) = later.what else {
                    return false
                }
                // Gone is newer than any revision.
                guard let revision else { return shown == nil }
                return shown.map { $0 >= revision } ?? true
            }
            return Passage(words: step.words, begin: one.at, end: seen?.at)
        }
    }

    private var taps: [Passage] {
        var arrivals: [String: Duration] = [:]
        for one in record.observations {
            guard case .counted(let id) = one.what, arrivals[id] == nil else { continue }
            arrivals[id] = one.at
        }
        var found: [Passage] = record.observations.compactMap { one in
            guard case .tapped(let id, let medication) = one.what else { return nil }
            return Passage(
                words: "tap on medication \(medication)", begin: one.at, end: arrivals[id])
        }
        // Taps that the watch never confirmed.
        let missing = plan.count(of: .taps) - found.count
        found += (0..<max(0, missing)).map { _ in Passage(words: "tap") }
        return found
    }

    private var faces: [Passage] {
        texts.enumerated().map { index, text in
            let begin = record.observations.first { $0.what == .faceSet(text) }?.at
            let seen = record.observations.first { one in
                guard case .faceShown(let shown) = one.what,
                    let place = texts.firstIndex(of: shown)
                else { return false }
                return place >= index
            }
            return Passage(words: "face '\(text)'", begin: begin, end: seen?.at)
        }
    }

    /// The texts of the face, in the order in which the phone is to give them.
    var texts: [String] {
        plan.steps.compactMap { if case .face(let text) = $0.act { text } else { nil } }
    }

    func within(
        _ expectation: Expectation, _ subject: Expectation.Subject, _ bound: Duration,
        _ measure: Expectation.Measure
    ) -> ScenarioVerdict {
        let all = passages(of: subject)
        let hindrances = measure.fromClear ? plan.hindrances : []
        let waited = all.map { passage in
            (passage, wait: Self.wait(passage, past: hindrances))
        }
        var histogram: [UInt64] = waited.compactMap { $0.wait }
            .map { UInt64(max(0, $0.nanosecondsClamped)) }
        let missing = waited.filter { $0.wait == nil }.map(\.0)
        // A passage without an end took longer than any bound.
        let never = UInt64(max(bound, record.ending.at).nanosecondsClamped) + 1
        histogram += missing.map { _ in never }
        histogram.sort()
        let index = measure.percentile.map { percentile in
            Int((percentile.partsPerMillion * UInt64(histogram.count) + 999_999) / 1_000_000) - 1
        }
        let value = histogram.isEmpty ? nil : histogram[index ?? histogram.count - 1]
        let worst = waited.filter { $0.wait != nil }.max { $0.wait! < $1.wait! }
        let first = missing.first ?? worst?.0
        let statistic = measure.percentile.map { Target.Statistic.percentile($0) }
        let names = [
            "changes": "change on the watch", "taps": "tap on the phone", "faces": "face shown",
        ]
        let title =
            names[subject.rawValue, default: ""] + (measure.fromClear ? ", way clear" : "")
            + (statistic == nil ? ", longest" : "")
        var measurement = Measurement(
            value.map { Double($0) }, sampleCount: UInt64(histogram.count))
        if !missing.isEmpty { measurement.remark = "\(missing.count) never seen" }
        let which = measure.percentile?.name ?? "each"
        let from = measure.fromClear ? "of a clear way" : "from the act"
        let seen =
            missing.isEmpty
            ? value.map { "\(Self.time(.nanoseconds(Int64($0)))), \(first?.words ?? "")" } ?? ""
            : "\(missing.count) of \(all.count) never seen, the first a \(missing[0].words)"
        return ScenarioVerdict(
            expectation: expectation,
            target: .expectation(
                "expect.\(expectation.entry).\(subject.rawValue)-within", title, .nanoseconds,
                .atMost, goal: Double(bound.nanosecondsClamped),
                statistic ?? .worst(ofAtLeast: 1)),
            measurement: measurement,
            expected: "\(which) of \(all.count) within \(Self.time(bound)) \(from)",
            seen: seen, at: first?.begin)
    }

    /// How long something took, without the time in which a hindrance stood in its way.
    private static func wait(_ passage: Passage, past hindrances: [Range<Duration>]) -> Duration? {
        guard let begin = passage.begin, let end = passage.end else { return nil }
        var clear = Duration.zero
        var reached = begin
        for hindrance in hindrances.sorted(by: { $0.lowerBound < $1.lowerBound })
        where hindrance.upperBound > reached && hindrance.lowerBound < end {
            clear += max(.zero, hindrance.lowerBound - reached)
            reached = hindrance.upperBound
        }
        return clear + max(.zero, end - reached)
    }
}

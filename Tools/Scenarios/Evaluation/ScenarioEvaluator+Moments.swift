import Reports
import WatchProtoCore

/// How things stood at a moment.
extension ScenarioEvaluator {
    /// The text that the face shows at `moment`; nil before the first, and while the watch is not
    /// running. One that comes back shows the value displayed before: its store has it.
    private func shown(at moment: Duration) -> String? {
        var shown: String?
        var isRunning = true
        for one in record.observations where one.at <= moment {
            if case .faceShown(let text) = one.what { shown = text }
            if case .running(.watch, let isOn) = one.what { isRunning = isOn }
        }
        return isRunning ? shown : nil
    }

    func faceAge(_ expectation: Expectation, _ bound: Duration, _ moment: Duration)
        -> ScenarioVerdict
    {
        let sets: [(text: String, at: Duration)] = record.observations.compactMap { one in
            guard case .faceSet(let text) = one.what, one.at <= moment else { return nil }
            return (text, one.at)
        }
        let target = Target.expectation(
            "expect.\(expectation.entry).face-age", "face behind at \(Self.seconds(moment))",
            .nanoseconds, .atMost, on: .watch, goal: Double(bound.nanosecondsClamped))
        let expected = "a face that is at most \(Self.time(bound)) behind"
        guard !sets.isEmpty else {
            // Nothing is behind nothing, whatever the bound.
            let seen = "no text that the phone gave it by then"
            return ScenarioVerdict(
                expectation: expectation, target: target,
                measurement: Measurement(nil, sampleCount: 0, remark: seen),
                expected: expected, seen: seen, at: moment)
        }
        let shown = shown(at: moment)
        let place = sets.firstIndex { $0.text == shown } ?? -1
        // It is behind since the text after it was given.
        let since = place + 1 < sets.count ? sets[place + 1].at : nil
        let age = since.map { moment - $0 } ?? .zero
        let text = shown.map { "'\($0)'" } ?? "nothing"
        return ScenarioVerdict(
            expectation: expectation, target: target,
            measurement: Measurement(
                Double(age.nanosecondsClamped), remark: age > bound ? "shows \(text)" : nil),
            expected: expected, seen: "\(text), which is \(Self.time(age)) behind", at: moment)
    }

    func face(_ expectation: Expectation, _ text: String, _ moment: Duration?) -> ScenarioVerdict {
        let at = moment ?? record.ending.at
        let shown = shown(at: at)
        let place = moment.map { "at \(Self.seconds($0))" } ?? "in the end"
        return row(
            expectation, "face", "face '\(text)' \(place)", expected: "'\(text)' on the face",
            seen: shown.map { "'\($0)'" } ?? "nothing", holds: shown == text, on: .watch, at: at)
    }

    func reachable(
        _ expectation: Expectation, _ wanted: Bool, _ device: Device, _ moment: Duration
    ) -> ScenarioVerdict {
        var found: (state: Bool?, since: Duration)?
        for one in record.observations where one.at <= moment {
            switch one.what {
            case .reachable(device, let state): found = (state, one.at)
            // A device that does not run tells its user nothing, and one that starts reaches nobody
            // yet.
            case .running(device, let isRunning): found = (isRunning ? false : nil, one.at)
            default: break
            }
        }
        func word(_ state: Bool?) -> String {
            state.map { $0 ? "reachable" : "unreachable" } ?? "not running"
        }
        return row(
            expectation, "reachable",
            "\(device.rawValue) says \(word(wanted)) at \(Self.seconds(moment))",
            expected: "the \(device.rawValue) to call the other \(word(wanted))",
            seen: found.map {
                $0.since > .zero
                    ? "\(word($0.state)) since \(Self.seconds($0.since))" : word($0.state)
            } ?? "no word of it", holds: found?.state == wanted,
            on: device.measured, at: moment)
    }

    func told(_ expectation: Expectation, _ word: String, _ device: Device) -> ScenarioVerdict {
        var words: [String] = []
        var at: Duration?
        for one in record.observations where one.at >= .zero {
            guard case .told(device, let told) = one.what else { continue }
            words.append(told)
            if told == word { at = at ?? one.at }
        }
        return row(
            expectation, "told", "\(device.rawValue) tells \(word)",
            expected: "the \(device.rawValue) to tell \(word)",
            seen: words.isEmpty ? "nothing told" : words.joined(separator: ", "),
            holds: at != nil, on: device.measured, at: at)
    }
}

extension Device {
    /// The same in a report.
    fileprivate var measured: Target.Device { self == .phone ? .phone : .watch }
}

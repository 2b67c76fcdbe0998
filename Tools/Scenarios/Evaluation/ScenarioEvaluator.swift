import CommandLine
import ControlProtocol
package import Reports
import WatchProtoCore

/// Holds the expectations of a plan against what was seen, the same way whichever stage saw it.
package struct ScenarioEvaluator {
    let plan: ScenarioPlan
    let record: ScenarioRecord

    /// Makes the evaluator of one run.
    package init(_ plan: ScenarioPlan, _ record: ScenarioRecord) {
        self.plan = plan
        self.record = record
    }

    /// A verdict for each expectation, in the order of the file.
    package var verdicts: [ScenarioVerdict] { plan.expectations.map(verdict) }

    /// How long changes, taps and faces took, from the act on; those that never arrived are not in
    /// it.
    package var latencies: [LatencySeries] {
        Expectation.Subject.allCases.compactMap { subject in
            var series = LatencySeries(subject.rawValue)
            for passage in passages(of: subject) {
                guard let begin = passage.begin, let end = passage.end else { continue }
                series.record(
                    UInt64(max(0, (end - begin).nanosecondsClamped)), message: passage.words,
                    atNanoseconds: UInt64(max(0, begin.nanosecondsClamped)))
            }
            return series.histogram.count > 0 ? series : nil
        }
    }

    private func verdict(_ expectation: Expectation) -> ScenarioVerdict {
        switch expectation.what {
        case .tapsOnce: tapsOnce(expectation)
        case .listsEqual: listsEqual(expectation)
        case .nothingUnderWay: nothingUnderWay(expectation)
        case .noErrors: noErrors(expectation)
        case .within(let subject, let bound, let measure):
            within(expectation, subject, bound, measure)
        case .faceAge(let age, let at): faceAge(expectation, age, at)
        case .face(let text, let at): face(expectation, text, at)
        case .reachable(let isReachable, let device, let at):
            reachable(expectation, isReachable, device, at)
        case .told(let word, let device): told(expectation, word, device)
        }
    }

    /// A row that holds or does not.
    func row(
        _ expectation: Expectation, _ id: String, _ title: String, expected: String,
        seen: String, holds: Bool, on device: Target.Device = .both, at: Duration? = nil
    ) -> ScenarioVerdict {
        let target = Target.expectation(
            "expect.\(expectation.entry).\(id)", title, .percent, .exactly, on: device, goal: 100)
        return ScenarioVerdict(
            expectation: expectation, target: target,
            measurement: Measurement(holds ? 100 : 0, remark: holds ? nil : seen),
            expected: expected, seen: seen, at: at)
    }

    /// `1.5 s`, with at most three decimals.
    static func seconds(_ moment: Duration) -> String {
        Decimals.shortest(Double(moment.nanosecondsClamped) / 1e9, decimals: 3) + " s"
    }

    /// `1500 ms`: a time as the table has it.
    static func time(_ duration: Duration) -> String {
        Target.Unit.nanoseconds.text(Double(duration.nanosecondsClamped))
    }

    // MARK: In the end

    private func tapsOnce(_ expectation: Expectation) -> ScenarioVerdict {
        let planned = plan.count(of: .taps)
        var made: [(id: String, at: Duration, medication: Int)] = []
        for one in record.observations {
            guard case .tapped(let id, let medication) = one.what else { continue }
            made.append((id, one.at, medication))
        }
        let counted = record.ending.counted
        let lost = made.filter { counted[$0.id, default: 0] == 0 }
        let twice = made.filter { counted[$0.id, default: 0] > 1 }
        let strange = counted.keys.filter { id in !made.contains { $0.id == id } }.count
        let well = made.count - lost.count - twice.count
        var faults: [String] = []
        if made.count != planned { faults.append("\(planned - made.count) not confirmed") }
        if !lost.isEmpty { faults.append("\(lost.count) lost") }
        if !twice.isEmpty { faults.append("\(twice.count) counted more than once") }
        if strange > 0 { faults.append("\(strange) that nobody made") }
        let first = (lost + twice).min { $0.at < $1.at }
        let target = Target.expectation(
            "expect.\(expectation.entry).taps", "taps counted once", .percent, .exactly, goal: 100)
        let all = planned + strange
        var measurement = Measurement(
            all == 0 ? 100 : Double(well) / Double(all) * 100, sampleCount: UInt64(max(1, all)))
        measurement.remark =
            faults.isEmpty ? Counted.words(planned, "tap") : faults.joined(separator: ", ")
        return ScenarioVerdict(
            expectation: expectation, target: target, measurement: measurement,
            expected: "\(Counted.words(planned, "tap")), each counted once",
            seen: (["\(well) counted once"] + faults).joined(separator: ", ")
                + (first.map { "; the first is the tap on medication \($0.medication)" } ?? ""),
            at: first?.at)
    }

    private func listsEqual(_ expectation: Expectation) -> ScenarioVerdict {
        let (phone, watch) = (record.ending.phoneList, record.ending.watchList)
        let seen =
            phone == watch
            ? "\(Counted.words(phone.count, "medication")) on both"
            : phone.count == watch.count
                ? "\(phone.count) on both, with different contents"
                : "\(phone.count) on the phone, \(watch.count) on the watch"
        return row(
            expectation, "lists", "lists equal in the end", expected: "equal lists", seen: seen,
            holds: phone == watch, at: record.ending.at)
    }

    private func nothingUnderWay(_ expectation: Expectation) -> ScenarioVerdict {
        let counts = Device.allCases.map { ($0, record.ending.underWay[$0, default: 0]) }
        let total = counts.reduce(0) { $0 + $1.1 }
        let seen = counts.map { "\($0.1) on the \($0.0.rawValue)" }.joined(separator: ", ")
        let target = Target.expectation(
            "expect.\(expectation.entry).under-way", "under way in the end", .count, .exactly,
            goal: 0)
        return ScenarioVerdict(
            expectation: expectation, target: target,
            measurement: Measurement(Double(total), remark: total == 0 ? nil : seen),
            expected: "nothing under way", seen: seen, at: record.ending.at)
    }

    private func noErrors(_ expectation: Expectation) -> ScenarioVerdict {
        var troubles: [(at: Duration, text: String)] = []
        for one in record.observations {
            guard case .trouble(let device, let text) = one.what, one.at >= .zero else { continue }
            troubles.append((one.at, "\(device.rawValue): \(text)"))
        }
        let target = Target.expectation(
            "expect.\(expectation.entry).errors", "errors told", .count, .exactly, goal: 0)
        return ScenarioVerdict(
            expectation: expectation, target: target,
            measurement: Measurement(Double(troubles.count), remark: troubles.first?.text),
            expected: "no error",
            seen: troubles.isEmpty
                ? "none" : "\(troubles.count), the first of the \(troubles[0].text)",
            at: troubles.first?.at)
    }
}

import CommandLine
import NetworkEmulation
package import Reports
import WatchProtoCore

extension ScenarioOutcome {
    /// The course over time: what was done, how the link and the devices stood, and what was seen.
    package var course: RunCourse {
        RunCourse(
            "\(plan.name), \(clock.rawValue) time", duration: end,
            rows: [
                RunCourse.Row("done", moments: plan.steps.map { .init($0.at, $0.words) }),
                RunCourse.Row("link", spans: linkSpans),
                RunCourse.Row("phone", spans: runningSpans(of: .phone)),
                RunCourse.Row("watch", spans: runningSpans(of: .watch)),
                RunCourse.Row("phone reaches watch", spans: reachableSpans(of: .phone)),
                RunCourse.Row("watch reaches phone", spans: reachableSpans(of: .watch)),
                RunCourse.Row("taps", moments: moments(\.tapWords)),
                RunCourse.Row("list", moments: moments(\.listWords)),
                RunCourse.Row("face", moments: moments(\.faceWords)),
                RunCourse.Row("told", moments: moments(\.toldWords)),
            ])
    }

    private var end: Duration {
        max(record.duration, record.ending.at, plan.lastMoment, .milliseconds(1))
    }

    /// The link as the plan has it: down, or up with these conditions.
    private var linkSpans: [RunCourse.Span] {
        var spans: [RunCourse.Span] = []
        var (since, isDown, name) = (Duration.zero, false, plan.link.name)
        func close(at moment: Duration) {
            guard since < moment else { return }
            spans.append(.init(since..<moment, isDown ? .away : .works, isDown ? "" : name))
        }
        for step in plan.steps {
            switch step.act {
            case .link(let conditions):
                close(at: step.at)
                (since, name) = (step.at, conditions.name)
            case .linkDown(let down) where down != isDown:
                close(at: step.at)
                (since, isDown) = (step.at, down)
            default: break
            }
        }
        close(at: end)
        return spans
    }

    /// The times in which a device runs or not, as was seen; and those in which it stands still, or
    /// wants no link.
    private func runningSpans(of device: Device) -> [RunCourse.Span] {
        var spans = spans { what -> Bool? in
            guard case .running(device, let isRunning) = what else { return nil }
            return isRunning
        }
        if spans.isEmpty { spans = [.init(.zero..<end, .works)] }
        for step in plan.steps where step.deviceAway == device {
            guard let length = step.length, length > .zero else { continue }
            switch step.act {
            case .freeze: spans.append(.init(step.at..<(step.at + length), .away, "frozen"))
            case .airplane: spans.append(.init(step.at..<(step.at + length), .away, "airplane"))
            default: break
            }
        }
        return spans
    }

    private func reachableSpans(of device: Device) -> [RunCourse.Span] {
        spans { what -> Bool? in
            guard case .reachable(device, let isReachable) = what else { return nil }
            return isReachable
        }
    }

    /// Spans from one observation of a state to the next of another one.
    private func spans(_ state: (Observation.What) -> Bool?) -> [RunCourse.Span] {
        var spans: [RunCourse.Span] = []
        var present: (holds: Bool, since: Duration)?
        func close(at moment: Duration) {
            guard let present, present.since < moment else { return }
            spans.append(.init(present.since..<moment, present.holds ? .works : .away))
        }
        for seen in record.observations {
            guard let holds = state(seen.what), holds != present?.holds else { continue }
            close(at: seen.at)
            present = (holds, seen.at)
        }
        close(at: end)
        return spans
    }

    private func moments(_ words: (Observation.What) -> String?) -> [RunCourse.Moment] {
        record.observations.compactMap { seen in words(seen.what).map { .init(seen.at, $0) } }
    }
}

extension Observation.What {
    fileprivate var tapWords: String? {
        switch self {
        case .tapped(_, let number): "the watch holds a tap on medication \(number)"
        case .counted: "the phone counts a tap"
        default: nil
        }
    }

    fileprivate var listWords: String? {
        switch self {
        case .changed(let number, let revision):
            revision.map { "the phone has revision \($0) of medication \(number)" }
                ?? "the phone removed medication \(number)"
        case .visible(let number, let revision):
            revision.map { "the watch shows revision \($0) of medication \(number)" }
                ?? "the watch does not show medication \(number) any more"
        default: nil
        }
    }

    fileprivate var faceWords: String? {
        switch self {
        case .faceSet(let text): "the phone sets '\(text)'"
        case .faceShown(let text): "the watch shows '\(text)'"
        default: nil
        }
    }

    fileprivate var toldWords: String? {
        switch self {
        case .told(let device, let word): "the \(device.rawValue) hears: \(word)"
        case .trouble(let device, let text): "error of the \(device.rawValue): \(text)"
        default: nil
        }
    }
}

import NetworkEmulation
import WatchProtoCore

/// One action in real time, at one moment: a step that lasts is two of them.
struct StageAction {
    var at: Duration
    var what: What
    /// For the reader of the progress.
    var words: String

    enum What {
        case step(ScenarioStep.Act)
        /// A process that ended starts again.
        case start(Device)
        /// A process that stood still goes on.
        case thaw(Device)
        /// Airplane mode is over.
        case open(Device)
    }

    /// All of a plan, in the order of time.
    static func all(of plan: ScenarioPlan) -> [StageAction] {
        var actions: [StageAction] = []
        for step in plan.steps {
            actions.append(StageAction(at: step.at, what: .step(step.act), words: step.words))
            guard let length = step.length, let device = step.deviceAway else { continue }
            let at = step.at + length
            switch step.act {
            case .freeze:
                actions.append(
                    StageAction(
                        at: at, what: .thaw(device), words: "the \(device.rawValue) goes on"))
            case .airplane:
                actions.append(
                    StageAction(
                        at: at, what: .open(device),
                        words: "end of the airplane mode of the \(device.rawValue)"))
            default:
                actions.append(
                    StageAction(
                        at: at, what: .start(device), words: "start of the \(device.rawValue)"))
            }
        }
        // Of actions at the same moment, ends come before beginnings.
        return actions.enumerated().sorted { left, right in
            (left.element.at, left.element.isEnd ? 0 : 1, left.offset)
                < (right.element.at, right.element.isEnd ? 0 : 1, right.offset)
        }.map(\.element)
    }

    private var isEnd: Bool { if case .step = what { false } else { true } }
}

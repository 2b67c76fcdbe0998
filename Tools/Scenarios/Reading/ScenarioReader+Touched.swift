import ControlProtocol
import WatchProtoCore

/// Refuses expectations that nothing in the scenario can touch: the devices could not fail them.
extension ScenarioReader {
    mutating func checkTouched(_ expect: JSONNode?) {
        guard let entries = expect?.array else { return }
        for expectation in plan.expectations {
            let entry = entries[expectation.entry]
            guard let message = untouched(expectation.what),
                let member = entry.members?.first(where: { Self.kinds.contains($0.name) })
            else { continue }
            fault(
                member.value, "expect[\(expectation.entry)].\(member.name) \(message)")
        }
    }

    /// Why an expectation says nothing, as the end of a sentence; nil where it says something.
    private func untouched(_ what: Expectation.What) -> String? {
        switch what {
        case .tapsOnce where plan.count(of: .taps) == 0:
            return "speaks of taps, and no step makes any: add a 'take' or a 'skip', or leave it "
                + "out"
        case .listsEqual where plan.isOnWatch && !plan.steps.contains(where: \.touchesList):
            return "speaks of lists that are equal from the begin, and no step touches them: add "
                + "a 'change', 'remove', 'sync', 'kill', 'restart' or 'restore', or leave it out"
        case .nothingUnderWay where !plan.steps.contains(where: \.makesRecords):
            return "speaks of records, and no step makes any: add a 'change', 'remove', 'take', "
                + "'skip', 'face', 'sync' or 'restore', or leave it out"
        case .faceAge(_, let moment):
            let first = plan.steps.first { $0.isFace }?.at
            if let first, first <= moment { return nil }
            return "speaks of the face at \(moment.meaning), and no step gives it a text by then"
                + (first.map { ": the first comes at \($0.meaning)" } ?? "")
        case .face(let text, let moment?):
            let given = plan.steps.first { $0.act == .face(text) }?.at
            guard let given, given > moment else { return nil }
            return "is expected at \(moment.meaning), and the text is given at \(given.meaning)"
        case .reachable(_, let device, let moment):
            let away = plan.steps.first { step in
                guard step.isSilent, step.deviceAway == device, let length = step.length
                else { return false }
                return (step.at..<step.at + length).contains(moment)
            }
            guard let away, let length = away.length else { return nil }
            return "asks the \(device.rawValue) at \(moment.meaning), which tells nobody anything "
                + "from \(away.at.meaning) to \((away.at + length).meaning) "
                + "(steps[\(away.entry)]): ask the \(device.other.rawValue), or at another moment"
        default: return nil
        }
    }
}

extension ScenarioStep {
    fileprivate var isFace: Bool { if case .face = act { true } else { false } }

    /// Whether the two lists may differ after it.
    fileprivate var touchesList: Bool {
        switch act {
        case .change, .remove, .sync, .kill, .restart, .restore: true
        case .take, .skip, .face, .link, .linkDown, .freeze, .airplane, .backUp: false
        }
    }

    /// Whether something is under way after it.
    fileprivate var makesRecords: Bool {
        switch act {
        case .change, .remove, .take, .skip, .face, .sync, .restore: true
        case .link, .linkDown, .kill, .restart, .freeze, .airplane, .backUp: false
        }
    }

    /// Whether its device does nothing at all meanwhile.
    fileprivate var isSilent: Bool {
        switch act {
        case .kill, .restart, .freeze, .restore: true
        default: false
        }
    }
}

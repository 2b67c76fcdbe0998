import ControlProtocol
import WatchProtoCore

/// Faults that show only when all steps are read: devices, medications or backups that are not
/// there.
extension ScenarioReader {
    mutating func checkCourse() {
        var busy: [Device: (until: Duration, step: ScenarioStep)] = [:]
        var isDown = false
        var backups: [Device: Set<Int>] = [:]
        var removed = Set<Int>()
        for step in plan.steps {
            if let device = step.actor, let away = busy[device], step.at < away.until,
                !(step.length == nil && away.step.isAirplane)
            {
                refuse(
                    step,
                    "the \(device.rawValue) is away from \(away.step.at.meaning) to "
                        + "\(away.until.meaning) (steps[\(away.step.entry)]), and "
                        + "\(step.words) comes at \(step.at.meaning)")
            }
            if let device = step.deviceAway, let length = step.length {
                busy[device] = (step.at + length, step)
            }
            switch step.act {
            case .linkDown(let goesDown):
                if goesDown == isDown {
                    refuse(step, "the link is \(isDown ? "down" : "up") already")
                }
                isDown = goesDown
            case .backUp(let device): backups[device] = removed
            case .restore(let device, _):
                guard let then = backups[device] else {
                    refuse(
                        step,
                        "there is no backup of the \(device.rawValue) yet, 'back_up' must come "
                            + "first")
                    continue
                }
                // The list comes back with the file.
                if device == .phone { removed = then }
            case .remove(let number):
                if !removed.insert(number).inserted {
                    refuse(step, "medication \(number) was removed already")
                }
                if removed.count == plan.medications {
                    refuse(step, "the last medication must stay: without one nobody can tap")
                }
            case .change(let number), .take(let number), .skip(let number):
                if removed.contains(number) {
                    refuse(step, "medication \(number) was removed")
                }
            default: break
            }
        }
        if !plan.isOnWatch { checkFirstList() }
    }

    /// A watch without a list has nothing to tap on.
    private mutating func checkFirstList() {
        let first = plan.steps.first { $0.act == .sync }
        for step in plan.steps {
            if plan.isTap(step), first.map({ $0.at >= step.at }) ?? true {
                refuse(
                    step,
                    "the watch has no list yet (records.on_watch is false), a 'sync' must come "
                        + "first")
            }
        }
    }

    private mutating func refuse(_ step: ScenarioStep, _ message: String) {
        guard step.entry < entries.count else { return }
        let node = entries[step.entry]
        fault(at: node.position, node.byteCount, "steps[\(step.entry)]: \(message)")
    }
}

extension ScenarioStep {
    fileprivate var isAirplane: Bool { if case .airplane = act { true } else { false } }
}

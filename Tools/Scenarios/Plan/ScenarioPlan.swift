package import NetworkEmulation
import WatchProtoCore

/// A scenario: the actions on a phone, a watch and the link between them, their moments, and the
/// expected results. Moments count from the begin of the scenario.
package struct ScenarioPlan: Hashable, Sendable {
    /// A short word for it: `gym`.
    package var name: String
    /// The course of events, on one line.
    package var title: String
    /// Why anybody should care.
    package var why: String
    /// Every random choice follows from it.
    package var seed: UInt64 = 42
    /// How many medications the phone's list has at the begin; they are numbered from 1.
    package var medications = 1
    /// Whether the watch holds the list at the begin.
    package var isOnWatch = true
    /// The network conditions at the begin.
    package var link = NetworkConditions()
    /// The steps, in the order of time.
    package var steps: [ScenarioStep] = []
    /// How long everything may take to come to rest after the last step, and after the last moment
    /// that is looked at.
    package var settle: Duration = .seconds(10)
    /// The expected results.
    package var expectations: [Expectation] = []

    /// Makes an empty one.
    package init(name: String, title: String, why: String) {
        self.name = name
        self.title = title
        self.why = why
    }

    /// The first moment from which on nothing is done or looked at any more.
    package var lastMoment: Duration {
        let ends = steps.map { $0.at + ($0.length ?? .zero) }
        return max(ends.max() ?? .zero, expectations.compactMap(\.at).max() ?? .zero)
    }
}

/// One of the two devices.
package enum Device: String, Hashable, Sendable, CaseIterable {
    /// It has the list.
    case phone
    /// It shows the list, and records doses.
    case watch

    /// The other one.
    package var other: Device { self == .phone ? .watch : .phone }
}

/// Something that is done at a moment.
package struct ScenarioStep: Hashable, Sendable {
    /// When.
    package var at: Duration
    /// The action.
    package var act: Act
    /// Where it stands in the file: the number of its entry in `steps`, from 0. The taps of one
    /// entry share it.
    package var entry: Int

    /// Makes a step.
    package init(_ at: Duration, _ act: Act, entry: Int) {
        self.at = at
        self.act = act
        self.entry = entry
    }

    /// An action that a step can take.
    package enum Act: Hashable, Sendable {
        /// The phone's user edits a medication.
        case change(Int)
        /// The phone's user takes a medication off the list.
        case remove(Int)
        /// The watch's user taps: a dose of a medication was taken.
        case take(Int)
        /// The same: a dose was skipped.
        case skip(Int)
        /// The phone gives the face a new text.
        case face(String)
        /// The phone makes the watch hold exactly its list.
        case sync
        /// The link becomes this.
        case link(NetworkConditions)
        /// The link is taken away, or given back.
        case linkDown(Bool)
        /// The process is killed between any two of its instructions, and started again on its file
        /// after a while.
        case kill(Device, for: Duration)
        /// The process is asked to end, and started again on its file after a while.
        case restart(Device, for: Duration)
        /// The process stands still for a while, as an app that the system suspends.
        case freeze(Device, for: Duration)
        /// The device closes the link and wants none for a while: airplane mode.
        case airplane(Device, for: Duration)
        /// A copy of the device's file is put aside.
        case backUp(Device)
        /// The process is killed, its file replaced by that copy, and it is started after a while.
        case restore(Device, for: Duration)
    }

    /// How long it lasts, where it lasts.
    package var length: Duration? {
        switch act {
        case .kill(_, let time), .restart(_, let time), .freeze(_, let time),
            .airplane(_, let time), .restore(_, let time):
            time
        default: nil
        }
    }

    /// The device that does nothing meanwhile, or nothing over the link.
    package var deviceAway: Device? {
        switch act {
        case .kill(let device, _), .restart(let device, _), .freeze(let device, _),
            .airplane(let device, _), .restore(let device, _):
            device
        default: nil
        }
    }

    /// The device that must be there for it.
    package var actor: Device? {
        switch act {
        case .change, .remove, .face, .sync: .phone
        case .take, .skip: .watch
        case .backUp(let device): device
        case .link, .linkDown: nil
        case .kill, .restart, .freeze, .airplane, .restore: deviceAway
        }
    }

    /// The action in words: `change of medication 3`.
    package var words: String {
        switch act {
        case .change(let number): "change of medication \(number)"
        case .remove(let number): "removal of medication \(number)"
        case .take(let number): "tap on medication \(number)"
        case .skip(let number): "skip of medication \(number)"
        case .face(let text): "face '\(text)'"
        case .sync: "sync of the list"
        case .link(let conditions): "link \(conditions.name)"
        case .linkDown(let isDown): "link \(isDown ? "down" : "up")"
        case .kill(let device, _): "kill of the \(device.rawValue)"
        case .restart(let device, _): "restart of the \(device.rawValue)"
        case .freeze(let device, _): "freeze of the \(device.rawValue)"
        case .airplane(let device, _): "airplane mode of the \(device.rawValue)"
        case .backUp(let device): "backup of the \(device.rawValue)"
        case .restore(let device, _): "restore of the \(device.rawValue)"
        }
    }
}

extension ScenarioPlan {
    /// When nothing can pass between the two, as planned: the link is down, or a device is away.
    /// The last may never end.
    package var hindrances: [Range<Duration>] {
        var found: [Range<Duration>] = []
        var downSince: Duration?
        for step in steps {
            if step.deviceAway != nil, let length = step.length, length > .zero {
                found.append(step.at..<(step.at + length))
            }
            guard case .linkDown(let isDown) = step.act else { continue }
            if isDown {
                downSince = step.at
            } else if let begin = downSince, begin < step.at {
                found.append(begin..<step.at)
                downSince = nil
            }
        }
        if let downSince { found.append(downSince..<Self.never) }
        return found
    }

    /// Why nothing passes when the scenario has ended; nil where something may.
    package var lastClosure: String? {
        var isDown = false
        var last = link
        for step in steps {
            switch step.act {
            case .linkDown(let down): isDown = down
            case .link(let conditions): last = conditions
            default: break
            }
        }
        if isDown { return "the last step about it takes it down" }
        guard last.closedWays.count == NetworkConditions.Way.allCases.count else { return nil }
        return "'\(last.name)' carries nothing"
    }

    /// Later than any moment of a scenario.
    static let never = Duration.seconds(1 << 40)
}

/// The rest of a generated scenario after shrinking; with the seed it names a smaller run.
///
/// Its text is what `rig explore --cut` takes: `acts=0-3,7;faults=1;calm=loss,jitter` keeps the
/// acts 0 to 3 and 7 and the fault 1, and switches loss and jitter off. A part left out cuts
/// nothing.
package struct ScenarioCut: Hashable, Sendable, CustomStringConvertible {
    /// The acts that stay, by index; nil when all do.
    package var acts: [Int]?
    /// The faults that stay, by index; nil when all do.
    package var faults: [Int]?
    /// The fault classes of link, disk and timers that are switched off.
    package var calm: [FaultClass] = []

    /// Cuts nothing.
    package init() {}

    /// Reads a cut from its text; nil when it is none.
    package init?(_ text: String) {
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            switch sides[0] {
            case "acts":
                guard let list = Self.list(sides[1]) else { return nil }
                acts = list
            case "faults":
                guard let list = Self.list(sides[1]) else { return nil }
                faults = list
            case "calm":
                for name in sides[1].split(separator: ",") {
                    guard let fault = FaultClass(rawValue: String(name)) else { return nil }
                    calm.append(fault)
                }
            default:
                return nil
            }
        }
    }

    /// The cut as text that reads back as the same cut.
    package var description: String {
        var parts: [String] = []
        if let acts { parts.append("acts=" + Self.text(acts)) }
        if let faults { parts.append("faults=" + Self.text(faults)) }
        if !calm.isEmpty {
            parts.append("calm=" + calm.map(\.rawValue).joined(separator: ","))
        }
        return parts.joined(separator: ";")
    }

    private static func list(_ text: Substring) -> [Int]? {
        var numbers: [Int] = []
        for part in text.split(separator: ",") {
            let ends = part.split(separator: "-").map { Int($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2,
                first <= last, last < 100_000
            else { return nil }
            numbers += first...last
        }
        return numbers
    }

    private static func text(_ numbers: [Int]) -> String {
        var ranges: [(Int, Int)] = []
        for number in numbers.sorted() {
            if let last = ranges.last, last.1 + 1 == number {
                ranges[ranges.count - 1].1 = number
            } else {
                ranges.append((number, number))
            }
        }
        return ranges.map { $0 == $1 ? "\($0)" : "\($0)-\($1)" }.joined(separator: ",")
    }
}

extension Scenario {
    /// This scenario without what `cut` takes away.
    package func applying(_ cut: ScenarioCut) -> Scenario {
        var scenario = self
        if let kept = cut.acts {
            scenario.acts = acts.enumerated().filter { kept.contains($0.offset) }.map(\.element)
        }
        if let kept = cut.faults {
            scenario.faults = faults.enumerated().filter { kept.contains($0.offset) }.map(\.element)
        }
        for fault in cut.calm { scenario.calm(fault) }
        return scenario
    }

    /// Switches off one class of the conditions, the disk or the timers. (Crashes, pauses, cuts,
    /// partitions and clock jumps are single faults, and are cut one by one.)
    mutating func calm(_ fault: FaultClass) {
        switches.removeAll { $0 == fault }
        for side in linkConditions.indices {
            switch fault {
            case .loss: linkConditions[side].loss = 0
            case .bursts: linkConditions[side].lossBurstPackets = 1
            case .duplication: linkConditions[side].duplication = 0
            case .reordering: linkConditions[side].reordering = 0
            case .jitter: linkConditions[side].jitter = .zero
            case .clogs: linkConditions[side].clogging = 0
            case .stalls: linkConditions[side].stalling = 0
            case .corruption: linkConditions[side].corruption = 0
            case .truncation: linkConditions[side].truncation = 0
            case .capacity:
                linkConditions[side].queuePackets = LinkOptions().queuePackets
                linkConditions[side].queueBytes = LinkOptions().queueBytes
            default: break
            }
        }
        switch fault {
        case .chunking:
            if case .stream = carrier.kind { carrier.kind = .stream(.whole) }
        case .lateTimers: timerLateness = .zero
        case .slowDisk: commitNanoseconds = Scenario(seed: 0).commitNanoseconds
        case .unreceiptedCommits: unreceiptedCommit = 0
        default: break
        }
    }

    /// The classes that ``calm(_:)`` can switch off and that are on.
    var calmable: [FaultClass] {
        let single: [FaultClass] = [
            .crashes, .pauses, .cuts, .partitions, .blackouts, .clockJumps, .deadDirection,
            .storageCrashes, .recoveryCrashes, .diskErrors, .fullDisk, .wipes, .restores,
        ]
        return switches.filter { !$0.isDrawnApart && !single.contains($0) }
    }
}

import WatchProtoCore

/// How to explore.
package struct ExploreOptions: Sendable {
    /// Whether findings are shrunk (a few hundred runs each).
    package var shrinksFindings = true
    /// Exploring ends after this many failing seeds.
    package var findingLimit = 10
    /// How many lines of the trace's end a finding keeps.
    package var traceTailLines = 40
    /// From how many seeds on every rarity must have been met.
    package var coverageSeedCount: UInt64 = 1_000
    /// A bug to plant for whole runs, for tests of the checkers.
    package var mutant: Mutant?
    /// Told each seed before it runs, so that one whose peer traps can be named; called on whatever
    /// thread runs the seed.
    package var willRun: (@Sendable (UInt64) -> Void)?

    /// The options of a regular run.
    package init() {}
}

/// A seed that failed.
package struct SeedFinding: Sendable {
    /// The seed.
    package var seed: UInt64
    /// The findings, the first of each checker.
    package var findings: [Finding]
    /// The scenario that remains after shrinking; nil when it was not shrunk.
    package var cut: ScenarioCut?
    /// The end of the (shrunk) run's trace.
    package var traceTail: [String]
    /// Whether sessions were sealed in the run.
    package var isSealed = true

    /// Makes the finding of a seed.
    package init(seed: UInt64, findings: [Finding], cut: ScenarioCut?, traceTail: [String] = []) {
        self.seed = seed
        self.findings = findings
        self.cut = cut
        self.traceTail = traceTail
    }

    /// The command that shows the run again.
    package var replayCommand: String {
        var command = "rig explore --seed \(seed)"
        if let cut, !cut.description.isEmpty { command += " --cut '\(cut)'" }
        if !isSealed { command += " --unsealed" }
        return command + " --trace"
    }
}

/// How far an exploration has come.
package struct ExploreProgress: Sendable {
    /// Seeds run so far.
    package var seedsDone: UInt64
    /// Seeds to be run in all.
    package var seedCount: UInt64
    /// Failing seeds so far.
    package var findings: Int
}

/// The result of an exploration.
package struct ExploreSummary: Sendable {
    /// The seeds that were to be run.
    package var seeds: ClosedRange<UInt64>
    /// How many were run: fewer when the limit of findings was reached.
    package var seedsDone: UInt64 = 0
    /// Seeds that failed, ascending.
    package var findings: [SeedFinding] = []
    /// Which rarities all runs together met, and how often.
    package var coverage = Coverage()
    /// All runs' digests, summed, so that parts of a run can be put together in any order.
    package var digest: UInt64 = 0
    /// Virtual time of all runs together, in seconds.
    package var virtualSeconds: UInt64 = 0
    /// Events of all runs together.
    package var eventCount: UInt64 = 0
    /// From how many seeds on every rarity must have been met.
    package var coverageSeedCount: UInt64 = 1_000
    /// Whether sessions were sealed in every run; nothing yet has none that was not.
    package var isSealed = true

    /// Makes the summary of nothing yet.
    package init(seeds: ClosedRange<UInt64>) {
        self.seeds = seeds
    }

    /// Rarities that a run of this size had to meet and did not.
    package var unmet: [Rarity] {
        guard seedsDone >= coverageSeedCount, seeds.lowerBound < Scenario.firstDenseSeed else {
            return []
        }
        return coverage.neverMet.filter { isSealed || !$0.needsSealing }
    }

    /// Whether nothing was found and everything rare was met.
    package var passed: Bool { findings.isEmpty && unmet.isEmpty }

    /// The summary for people: counts, each finding with its replay command, unmet rarities. Where
    /// links were unsealed, the line of the counts says so, so that no figure is quoted without it.
    package var text: String {
        var lines = [
            "explored \(seedsDone) seed\(seedsDone == 1 ? "" : "s") "
                + "(\(seeds.lowerBound) to \(seeds.upperBound))"
                + (isSealed ? ":" : Self.unsealedMark + ":")
                + " \(virtualSeconds) virtual seconds, \(eventCount) events,"
                + " digest \(Self.hex(digest))"
        ]
        for finding in findings {
            lines.append("seed \(finding.seed) fails:")
            lines += finding.findings.map { "  \($0)" }
            lines.append("  repeat: \(finding.replayCommand)")
        }
        if !unmet.isEmpty {
            lines.append(
                "never met, although so many seeds must meet it: "
                    + unmet.map(\.name).joined(separator: ", "))
        }
        switch findings.count {
        case 0:
            lines.append(
                seedsDone == 0
                    ? "nothing ran"
                    : passed ? "nothing found" : "no seed fails, but too little was met")
        case 1: lines.append("1 seed fails")
        default: lines.append("\(findings.count) seeds fail")
        }
        return lines.joined(separator: "\n")
    }

    /// The mark behind the name of anything that ran without a seal.
    package static let unsealedMark = ", links UNSEALED"

    /// `digest` in 16 hexadecimal digits.
    package static func hex(_ digest: UInt64) -> String {
        let text = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Adds what another part of the same exploration found; its seeds are others.
    package mutating func add(_ other: ExploreSummary) {
        seedsDone += other.seedsDone
        isSealed = isSealed && other.isSealed
        findings = (findings + other.findings).sorted { $0.seed < $1.seed }
        coverage.add(other.coverage)
        digest &+= other.digest
        virtualSeconds += other.virtualSeconds
        eventCount += other.eventCount
    }

    mutating func add(_ result: WorldResult) {
        seedsDone += 1
        coverage.add(result.coverage)
        digest &+= LinkDraws.mixed(result.digest)
        virtualSeconds += result.endedAt.nanoseconds / 1_000_000_000
        eventCount += UInt64(result.eventCount)
    }
}

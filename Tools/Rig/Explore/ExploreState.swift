import Bench
import ControlProtocol
import Simulation
import WatchProtoCore

/// How far a share of an exploration has come.
struct ExploreState: ShardState {
    static let schema = "rig.explore/1"
    static let work = "exploration"

    var seeds: ClosedRange<UInt64>
    var shard: Shard
    var course: UInt64
    /// The share's blocks below this one are done.
    var nextBlock: UInt64 = 0
    var seconds = 0.0
    var summary: ExploreSummary

    init(seeds: ClosedRange<UInt64>, shard: Shard, course: UInt64, isSealed: Bool) {
        self.seeds = seeds
        self.shard = shard
        self.course = course
        summary = ExploreSummary(seeds: seeds)
        summary.isSealed = isSealed
    }

    var settings: String {
        "--seeds \(seeds.lowerBound)..\(seeds.upperBound)"
            + (summary.isSealed ? "" : " --unsealed")
    }

    /// Whether every block of the share is done.
    var isComplete: Bool { shard.block(nextBlock, of: seeds) == nil }

    // MARK: The file

    var members: JSONObject {
        var coverage = JSONObject()
        for rarity in Rarity.allCases {
            coverage[rarity.name] = .whole(summary.coverage[rarity])
        }
        var json = JSONObject()
        json["first_seed"] = .whole(seeds.lowerBound)
        json["last_seed"] = .whole(seeds.upperBound)
        json["next_block"] = .whole(nextBlock)
        json["seeds_done"] = .whole(summary.seedsDone)
        json["sealed"] = .bool(summary.isSealed)
        if !summary.isSealed { json["note"] = .string(Self.unsealedNote) }
        json["digest"] = .string(ExploreSummary.hex(summary.digest))
        json["virtual_seconds"] = .whole(summary.virtualSeconds)
        json["events"] = .whole(summary.eventCount)
        json["coverage"] = .object(coverage)
        json["failing"] = .array(summary.findings.map(Self.json))
        return json
    }

    private static let unsealedNote = "the links are UNSEALED (--unsealed), for development only"

    private static func json(_ finding: SeedFinding) -> JSONValue {
        [
            "seed": .whole(finding.seed),
            "cut": finding.cut.map { .string($0.description) } ?? .null,
            "repeat": .string(finding.replayCommand),
            "findings": .array(
                finding.findings.map { found in
                    [
                        "checker": .string(found.checker), "side": .whole(found.side),
                        "at_ns": .whole(found.at.nanoseconds), "message": .string(found.message),
                    ]
                }),
        ]
    }

    init?(_ json: JSONValue, shard: Shard, course: UInt64) {
        func number(_ name: String) -> UInt64? { json[name]?.unsigned }
        guard let first = number("first_seed"), let last = number("last_seed"), first <= last,
            let next = number("next_block"), let done = number("seeds_done"),
            let digest = json["digest"]?.string.flatMap({ UInt64($0, radix: 16) }),
            let virtual = number("virtual_seconds"), let events = number("events"),
            let coverage = json["coverage"], let failing = json["failing"]?.array
        else { return nil }
        // A state that does not say it is from a time when links were unsealed unless asked.
        let isSealed = json["sealed"]?.bool ?? false
        self.init(seeds: first...last, shard: shard, course: course, isSealed: isSealed)
        nextBlock = next
        summary.seedsDone = done
        summary.digest = digest
        summary.virtualSeconds = virtual
        summary.eventCount = events
        for rarity in Rarity.allCases {
            guard let times = coverage[rarity.name]?.unsigned else { return nil }
            summary.coverage.meet(rarity, times: times)
        }
        for entry in failing {
            guard var finding = Self.finding(entry) else { return nil }
            finding.isSealed = isSealed
            summary.findings.append(finding)
        }
    }

    private static func finding(_ json: JSONValue) -> SeedFinding? {
        guard let seed = json["seed"]?.unsigned, let found = json["findings"]?.array else {
            return nil
        }
        var finding = SeedFinding(
            seed: seed, findings: [], cut: json["cut"]?.string.flatMap { ScenarioCut($0) })
        for entry in found {
            guard let checker = entry["checker"]?.string, let message = entry["message"]?.string,
                let side = entry["side"]?.unsigned, let at = entry["at_ns"]?.unsigned
            else { return nil }
            finding.findings.append(
                Finding(
                    checker: checker, at: Instant(nanoseconds: at), side: Int(clamping: side),
                    message: message))
        }
        return finding
    }
}

import ControlKit
import RigKit
import SimKit
import WatchProto

/// How far a share of an exploration has come, as a file that outlives the process.
struct ExploreState {
    static let schema = "rig.explore/1"

    var seeds: ClosedRange<UInt64>
    var shard: ExploreShard
    /// What this build makes of the first few seeds: another build's state is not gone on with.
    var course: UInt64
    /// The share's blocks below this one are done.
    var nextBlock: UInt64 = 0
    /// Time spent, all processes together.
    var seconds = 0.0
    var summary: ExploreSummary

    init(seeds: ClosedRange<UInt64>, shard: ExploreShard, course: UInt64) {
        self.seeds = seeds
        self.shard = shard
        self.course = course
        summary = ExploreSummary(seeds: seeds)
    }

    /// Whether every block of the share is done.
    var isComplete: Bool { shard.block(nextBlock, of: seeds) == nil }

    // MARK: The file

    /// Replaces `path`, whole or not at all.
    func write(to path: String) throws(RigFailure) {
        do throws(SystemError) {
            try Files.write(JSONWriter.bytes(json, layout: .pretty) + [0x0A], to: path)
        } catch {
            throw RigFailure(.cannotWrite, "Cannot write the state: \(error).")
        }
    }

    private var json: JSONValue {
        var coverage = JSONObject()
        for rarity in Rarity.allCases {
            coverage[rarity.rawValue] = .whole(summary.coverage[rarity])
        }
        return [
            "schema": .string(Self.schema), "course": .string(ExploreSummary.hex(course)),
            "first_seed": .whole(seeds.lowerBound), "last_seed": .whole(seeds.upperBound),
            "shard": .whole(shard.index), "shards": .whole(shard.count),
            "next_block": .whole(nextBlock), "seconds": .number(seconds),
            "seeds_done": .whole(summary.seedsDone), "sealed": .bool(summary.isSealed),
            "digest": .string(ExploreSummary.hex(summary.digest)),
            "virtual_seconds": .whole(summary.virtualSeconds),
            "events": .whole(summary.eventCount), "coverage": .object(coverage),
            "failing": .array(summary.findings.map(Self.json)),
        ]
    }

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

    /// Reads what ``write(to:)`` wrote.
    init(contentsOf path: String) throws(RigFailure) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path)
        } catch {
            throw RigFailure(.missingInput, "Cannot read the state: \(error).")
        }
        guard let node = try? JSONParser.parse(bytes), let state = Self(node.value) else {
            throw RigFailure(
                .badInput, "'\(path)' is no state of an exploration (\(Self.schema)).",
                details: ["Try: give another file with --state, or remove this one."])
        }
        self = state
    }

    private init?(_ json: JSONValue) {
        func number(_ name: String) -> UInt64? { json[name]?.unsigned }
        func hex(_ name: String) -> UInt64? {
            json[name]?.string.flatMap { UInt64($0, radix: 16) }
        }
        guard json["schema"]?.string == Self.schema, let course = hex("course"),
            let first = number("first_seed"), let last = number("last_seed"), first <= last,
            let index = number("shard"), let count = number("shards"), index >= 1, index <= count,
            count <= 10_000, let next = number("next_block"), let seconds = json["seconds"]?.number,
            let done = number("seeds_done"), let digest = hex("digest"),
            let virtual = number("virtual_seconds"), let events = number("events"),
            let coverage = json["coverage"], let failing = json["failing"]?.array
        else { return nil }
        self.init(
            seeds: first...last, shard: ExploreShard(index: index, count: count), course: course)
        nextBlock = next
        self.seconds = seconds
        summary.seedsDone = done
        summary.isSealed = json["sealed"]?.bool ?? false
        summary.digest = digest
        summary.virtualSeconds = virtual
        summary.eventCount = events
        for rarity in Rarity.allCases {
            guard let times = coverage[rarity.rawValue]?.unsigned else { return nil }
            summary.coverage.meet(rarity, times: times)
        }
        for entry in failing {
            guard let finding = Self.finding(entry) else { return nil }
            summary.findings.append(finding)
        }
    }

    private static func finding(_ json: JSONValue) -> SeedFinding? {
        guard let seed = json["seed"]?.unsigned, let found = json["findings"]?.array else {
            return nil
        }
        var finding = SeedFinding(
            seed: seed, findings: [], cut: json["cut"]?.string.flatMap { ScenarioCut($0) })
        finding.isSealed =
            json["repeat"]?.string?.split(separator: " ").contains("--sealed") == true
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

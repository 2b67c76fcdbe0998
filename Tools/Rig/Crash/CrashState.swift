import Bench
import ControlProtocol
import FaultInjection

/// How far a share of a campaign has come, family by family.
struct CrashState: ShardState {
    static let schema = "rig.crash/1"
    static let work = "campaign"

    /// The request as on the command line.
    var settings: String
    var shard: Shard
    var course: UInt64
    var seconds = 0.0
    /// One for each family, in the order of the settings.
    var parts: [Part]

    /// One family.
    struct Part {
        var family: CrashFamily
        var progress = CrashProgress()
        var isDone = false
        var seconds = 0.0
    }

    init(settings: String, shard: Shard, course: UInt64, families: [CrashFamily]) {
        self.settings = settings
        self.shard = shard
        self.course = course
        parts = families.map { Part(family: $0) }
    }

    var isComplete: Bool { parts.allSatisfy(\.isDone) }

    // MARK: The file

    var members: JSONObject {
        var json = JSONObject()
        json["settings"] = .string(settings)
        json["families"] = .array(parts.map(Self.json))
        return json
    }

    private static func json(_ part: Part) -> JSONValue {
        let summary = part.progress.summary
        var json = JSONObject()
        json["family"] = .string(part.family.rawValue)
        json["done"] = .bool(part.isDone)
        json["next"] = .whole(part.progress.next)
        json["states_before"] = .whole(part.progress.statesBefore)
        json["seconds"] = .number(part.seconds)
        for (name, path) in CrashSummary.figures {
            json[name] = .whole(summary[keyPath: path])
        }
        json["findings"] = .array(
            summary.findings.map { finding in
                [
                    "seed": .whole(finding.seed), "at": .string("\(finding.place)"),
                    "complaint": .string(finding.complaint),
                    "repeat": .string(finding.replayCommand),
                ]
            })
        return .object(json)
    }

    init?(_ members: JSONValue, shard: Shard, course: UInt64) {
        guard let settings = members["settings"]?.string, let parts = members["families"]?.array
        else { return nil }
        self.init(settings: settings, shard: shard, course: course, families: [])
        for part in parts {
            guard let part = Self.part(part) else { return nil }
            self.parts.append(part)
        }
    }

    private static func part(_ json: JSONValue) -> Part? {
        func count(_ name: String) -> Int? { json[name]?.unsigned.flatMap { Int(exactly: $0) } }
        guard let family = json["family"]?.string.flatMap({ CrashFamily(rawValue: $0) }),
            let isDone = json["done"]?.bool, let next = count("next"),
            let before = count("states_before"), let seconds = json["seconds"]?.number,
            let findings = json["findings"]?.array
        else { return nil }
        var part = Part(family: family)
        part.isDone = isDone
        part.seconds = seconds
        part.progress.next = next
        part.progress.statesBefore = before
        for (name, path) in CrashSummary.figures {
            guard let figure = count(name) else { return nil }
            part.progress.summary[keyPath: path] = figure
        }
        for finding in findings {
            guard let seed = finding["seed"]?.unsigned,
                let complaint = finding["complaint"]?.string,
                let place = finding["at"]?.string.flatMap({ CrashPlace($0) })
            else { return nil }
            part.progress.summary.findings.append(
                CrashFinding(family: family, seed: seed, place: place, complaint: complaint))
        }
        return part
    }
}

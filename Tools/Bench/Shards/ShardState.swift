package import CommandLine
package import ControlProtocol

/// How far a share of a long work has come, as a file that outlives the process.
package protocol ShardState: Sendable {
    /// The schema that the file names: `rig.explore/1`.
    static var schema: String { get }
    /// The name of the work in messages: `exploration`.
    static var work: String { get }

    /// The request as one would type it: `--seeds 1..450`.
    var settings: String { get }
    /// Which share of it this is.
    var shard: Shard { get }
    /// A hash of a little of the work as this build does it. A state with another hash is refused.
    var course: UInt64 { get }
    /// Time spent, all processes together.
    var seconds: Double { get set }
    /// Whether all of the share is done.
    var isComplete: Bool { get }

    /// The other members of the file.
    var members: JSONObject { get }
    /// Reads ``members``; nil where they are something else.
    init?(_ members: JSONValue, shard: Shard, course: UInt64)
}

extension ShardState {
    /// The whole file.
    package var json: JSONValue {
        var json = JSONObject()
        json["schema"] = .string(Self.schema)
        json["shard"] = .whole(shard.index)
        json["shards"] = .whole(shard.count)
        json["course"] = .string(Self.hex(course))
        json["seconds"] = .number(seconds)
        for member in members.members { json[member.name] = member.value }
        return .object(json)
    }

    /// Replaces `path`, whole or not at all.
    ///
    /// - Throws: exit code 73 when the system refuses; the old content is then untouched.
    package func write(to path: String) throws(RigFailure) {
        do throws(SystemError) {
            try Files.write(JSONWriter.bytes(json, layout: .pretty) + [0x0A], to: path)
        } catch {
            throw RigFailure(
                .cannotWrite, "Cannot write the state: \(error).",
                details: [
                    error.advice(isWriting: true, otherwise: "give another file with --state.")
                ])
        }
    }

    /// Reads what ``write(to:)`` wrote.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - advice: what to do where it is something else.
    /// - Throws: exit code 66 when it cannot be read, 65 when it is something else.
    package init(
        contentsOf path: String,
        advice: String = "give another file with --state, or remove this one."
    ) throws(RigFailure) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path)
        } catch {
            throw RigFailure(
                .missingInput, "Cannot read the state: \(error).",
                details: [
                    error.advice(
                        isWriting: false,
                        otherwise: "name a file that an earlier run wrote with --state.")
                ])
        }
        guard let json = try? JSONParser.parse(bytes).value,
            json["schema"]?.string == Self.schema, let index = json["shard"]?.unsigned,
            let count = json["shards"]?.unsigned, let shard = Shard(checking: index, of: count),
            let course = json["course"]?.string.flatMap({ UInt64($0, radix: 16) }),
            let seconds = json["seconds"]?.number,
            var state = Self(json, shard: shard, course: course)
        else {
            throw RigFailure(
                .badInput,
                "'\(path)' is no state of \(Self.article) \(Self.work) (\(Self.schema)).",
                details: ["Try: \(advice)"])
        }
        state.seconds = seconds
        self = state
    }

    /// Where `fresh` has come according to the file at `path`; `fresh` where there is no such file.
    ///
    /// - Throws: exit code 65 when the file is of other settings, another share or another build;
    ///   66 when it cannot be read.
    package static func resumed(_ fresh: Self, from path: String?) throws(RigFailure) -> Self {
        guard let path, Files.exists(path) else { return fresh }
        let former = try Self(contentsOf: path)
        guard former.settings == fresh.settings, former.shard == fresh.shard else {
            throw RigFailure(
                .badInput,
                "'\(path)' is of \(former.settings) --shard \(former.shard.argumentText), not of "
                    + "what was asked for: \(fresh.settings) --shard \(fresh.shard.argumentText).",
                details: ["Try: give another file with --state."])
        }
        guard former.course == fresh.course else {
            throw RigFailure(
                .badInput, "'\(path)' was begun by a build whose runs go otherwise.",
                details: ["Try: remove it, and begin anew."])
        }
        return former
    }

    /// The shares of one work.
    ///
    /// - Throws: exit code 65 when they are of different works, or one of them is there twice; 66
    ///   when a file cannot be read.
    package static func shares(in paths: [String]) throws(RigFailure) -> [Self] {
        var states: [Self] = []
        for path in paths {
            let state = try Self(
                contentsOf: path,
                advice: "give files that earlier runs of this verb wrote with --state.")
            if let first = states.first {
                guard state.settings == first.settings, state.shard.count == first.shard.count,
                    state.course == first.course
                else {
                    throw RigFailure(
                        .badInput, "'\(path)' is of another \(work) than '\(paths[0])'.")
                }
                guard !states.contains(where: { $0.shard == state.shard }) else {
                    throw RigFailure(
                        .badInput,
                        "'\(path)' is share \(state.shard.argumentText), which another file is too."
                    )
                }
            }
            states.append(state)
        }
        return states
    }

    /// Which shares are not there, or not complete, in words; nil when none is missing.
    package static func missing(in states: [Self]) -> String? {
        guard let count = states.first?.shard.count else { return nil }
        let missing = (1...count).filter { index in
            !states.contains { $0.shard.index == index && $0.isComplete }
        }
        guard !missing.isEmpty else { return nil }
        return "not complete: share \(missing.map(String.init).joined(separator: ", ")) of \(count)"
    }

    private static var article: String {
        work.first.map { "aeiou".contains($0) } == true ? "an" : "a"
    }

    private static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

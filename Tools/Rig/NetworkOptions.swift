import CommandLine
import NetworkEmulation
import Simulation

/// The options of every verb that needs a link's network conditions.
struct NetworkOptions {
    let profile = CommandOption<String>(
        "profile", value: "name|file", default: "loopback", completion: Self.profileWords,
        help: "A profile of 'rig profiles', or a file of JSON (its name has a slash or ends in "
            + ".json).")
    let rtt = CommandOption<Duration>(
        "rtt", value: "time",
        help: "Round-trip time, half in each direction, for example 60ms or 1.5s.")
    let set = CommandOption<ConditionSettings>(
        "set", value: "changes",
        help: "Change it, both directions: rtt=60ms,jitter=10ms,loss=2%,rate=700kbit/s; 'delay' is "
            + "one way. Units are needed.")
    let up = CommandOption<DirectionSettings>(
        "up", value: "changes", help: "Change the way from the phone to the watch: delay=80ms.")
    let down = CommandOption<DirectionSettings>(
        "down", value: "changes", help: "Change the way from the watch to the phone.")
    let oneWay = CommandFlag(
        "one-way", help: "Read round trips as the delay of each direction, not half of it.")

    /// The profiles, or a file.
    static let profileWords = ArgumentCompletion.wordsOrFile(LinkProfile.all.map(\.name))

    func add(to verb: inout Verb, withProfile: Bool = true) {
        if withProfile { verb.add(profile) }
        verb.add(rtt)
        verb.add(set)
        verb.add(up)
        verb.add(down)
        verb.add(oneWay)
    }

    /// The conditions that they say together.
    ///
    /// - Throws: exit codes 64, 65 and 66 for a profile or file that is none.
    func conditions(_ invocation: Invocation, named name: String? = nil) throws(RigFailure)
        -> NetworkConditions
    {
        var conditions = try NetworkConditions.named(name ?? invocation[profile] ?? "loopback")
        if invocation[oneWay] { conditions.reading = .oneWay }
        if let settings = try roundTrip(invocation) {
            conditions.apply(settings, up: nil, down: nil)
        }
        conditions.apply(
            invocation[set], up: invocation[up]?.settings, down: invocation[down]?.settings)
        return conditions
    }

    /// What `--rtt` says, as `--set` would say it.
    private func roundTrip(_ invocation: Invocation) throws(RigFailure) -> ConditionSettings? {
        guard let time = invocation[rtt] else { return nil }
        let times: [ConditionKey] = [.rtt, .delay]
        if let other = invocation[set]?.settings.first(where: { times.contains($0.key) }) {
            throw RigFailure(
                .usage, "--rtt and --set \(other.key.rawValue)=\(other.text) say the same.",
                details: ["Try: leave one of them out."])
        }
        do throws(ArgumentFault) {
            return try ConditionSettings("rtt=\(time.argumentText)")
        } catch {
            throw RigFailure(.usage, "--rtt \(time.argumentText): \(error).")
        }
    }

    /// The changes as typed: `--set rtt=60ms`; nil where nothing was.
    func changes(_ invocation: Invocation) -> String? {
        var words: [String] = []
        if let text = invocation[rtt]?.argumentText { words.append("--rtt \(text)") }
        if let text = invocation[set]?.argumentText { words.append("--set \(text)") }
        if let text = invocation[up]?.argumentText { words.append("--up \(text)") }
        if let text = invocation[down]?.argumentText { words.append("--down \(text)") }
        if invocation[oneWay] { words.append("--one-way") }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Whether anything is changed.
    func changesAnything(_ invocation: Invocation) -> Bool {
        changes(invocation) != nil
    }

    /// The keys of `--set`, for help.
    static var keys: String {
        "Keys: "
            + ConditionKey.allCases.map { "\($0.rawValue) (\($0.form))" }.joined(separator: "; ")
            + "."
    }
}

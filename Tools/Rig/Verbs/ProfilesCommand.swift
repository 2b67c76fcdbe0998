import CommandLine
import ControlProtocol
import NetworkEmulation
import Simulation
import WatchProtoCore

/// `rig profiles`: the named kinds of link, and what a profile, a file or a change means.
struct ProfilesCommand {
    let name = CommandArgument<String>(
        "name|file", optional: true, completion: NetworkOptions.profileWords,
        help: "Show this profile, or this file of JSON, in full.")
    let options = NetworkOptions()

    var verb: Verb {
        var verb = Verb("profiles", overview: "Lists the link profiles with their figures.")
        verb.discussion = [
            "Latency is the round trip; each direction carries half of it as its delay. One way is "
                + "the time that packets of 200 B take when one leaves every 20 ms. With a "
                + "name, a file or a change, all that holds for each direction is shown, as it was "
                + "understood.",
            NetworkOptions.keys,
        ]
        verb.add(name)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        options.add(to: &verb, withProfile: false)
        verb.examples = [
            CommandExample("rig profiles edge", "one profile"),
            CommandExample("rig profiles car.json", "is the file well? what does it mean?"),
            CommandExample(
                "rig profiles 3g --set loss=1% --down delay=20ms", "what would that be?"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        if invocation[name] != nil || options.changesAnything(invocation) {
            return try show(invocation)
        }
        let console = Console(invocation)
        try console.show(Self.table(LinkProfile.all).text(console.columns))
        try console.give(.array(LinkProfile.all.map { .object($0.members) }))
        return .done
    }

    private func show(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let wanted = invocation[name]
        let conditions = try options.conditions(invocation, named: wanted ?? "loopback")
        let isPlain = !options.changesAnything(invocation)
        let profile = isPlain ? wanted.flatMap(LinkProfile.named) : nil
        let console = Console(invocation)
        let columns = console.columns
        let table = profile.map { Self.table([$0]).lines(columns) + [""] } ?? []
        let meaning = conditions.meaning.flatMap { $0.wrapped(columns, after: "") }
        try console.show((table + meaning).map { $0 + "\n" }.joined())
        var members = profile?.members ?? JSONObject()
        members["effective"] = conditions.json
        try console.give(.array([.object(members)]))
        return .done
    }

    private static func table(_ profiles: [LinkProfile]) -> TextTable {
        let heads = ["Profile", "Latency", "Bandwidth", "Loss", "Interval", "One way p50", "p99"]
        return TextTable(profiles.map(\.cells), heads: heads)
    }
}

extension LinkProfile {
    fileprivate var cells: [String] {
        let rate = rateBitsPerSecond.map { $0 == 0 ? "0" : BitRate(bitsPerSecond: $0).meaning }
        let delays = DirectionConditions(self).delays(.roundTrip)
        let times = [delays?.p50, delays?.p99].map { time in
            time.map { "\(Decimals.table(Double($0.nanosecondsClamped) / 1e6)) ms" } ?? "-"
        }
        return [
            name, latency == .zero ? "none added" : latency.meaning, rate ?? "none added",
            "\(Decimals.shortest(loss * 100, decimals: 2)) %",
            sendInterval == .zero ? "-" : sendInterval.meaning, times[0], times[1],
        ]
    }

    fileprivate var members: JSONObject {
        [
            "name": .string(name), "latency_ns": .whole(latency.nanosecondsClamped),
            "delay_ns": .whole((latency / 2).nanosecondsClamped),
            "rate_bits_per_s": rateBitsPerSecond.map { .whole($0) } ?? .null,
            "loss": .number(loss), "send_interval_ns": .whole(sendInterval.nanosecondsClamped),
        ]
    }
}

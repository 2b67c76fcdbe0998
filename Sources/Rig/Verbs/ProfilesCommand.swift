import ControlKit
import RigKit
import SimKit
import WatchProto

/// `rig profiles`: the named kinds of link.
struct ProfilesCommand {
    let name = CommandArgument<String>(
        "name", optional: true, help: "Show only this profile.")
    let json = CommandFlag("json", help: "Print JSON.")

    var verb: Verb {
        var verb = Verb("profiles", overview: "Lists the link profiles with their figures.")
        verb.discussion = [
            "Latency is the round trip; each direction carries half of it as its delay."
        ]
        verb.add(name)
        verb.add(json)
        verb.examples = [CommandExample("rig profiles edge", "one profile")]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        var chosen = LinkProfile.all
        if let wanted = invocation[name] {
            guard let profile = LinkProfile.named(wanted) else {
                let names = LinkProfile.all.map(\.name)
                let hint =
                    Spelling.nearest(to: wanted, among: names)
                    .map { " Did you mean '\($0)'?" } ?? ""
                throw RigFailure(
                    .usage, "There is no profile '\(wanted)'.\(hint)",
                    details: ["Profiles: \(names.joined(separator: ", "))."])
            }
            chosen = [profile]
        }
        if invocation[json] {
            let text = JSONWriter.text(.array(chosen.map(\.json)), layout: .pretty)
            try ExploreCommand.print(text + "\n")
            return .done
        }
        let heads = ["Profile", "Latency", "Bandwidth", "Loss", "Interval"]
        let rows = [heads] + chosen.map(\.cells)
        let widths = heads.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).dropLast().map { cell, width in
                cell + String(repeating: " ", count: width - cell.count + 2)
            }.joined() + (row.last ?? "") + "\n"
        }
        try ExploreCommand.print(lines.joined())
        return .done
    }
}

extension LinkProfile {
    fileprivate var cells: [String] {
        let rate = rateBitsPerSecond.map { $0 == 0 ? "0" : BitRate(bitsPerSecond: $0).meaning }
        return [
            name, latency == .zero ? "none added" : latency.meaning, rate ?? "none added",
            "\(Decimals.shortest(loss * 100, decimals: 2)) %",
            sendInterval == .zero ? "-" : sendInterval.meaning,
        ]
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "latency_ns": .whole(latency.nanosecondsClamped),
            "delay_ns": .whole((latency / 2).nanosecondsClamped),
            "rate_bits_per_s": rateBitsPerSecond.map { .whole($0) } ?? .null,
            "loss": .number(loss), "send_interval_ns": .whole(sendInterval.nanosecondsClamped),
        ]
    }
}

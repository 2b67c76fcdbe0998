import ControlKit
import Glibc
import RigKit
import WatchProto

/// `rig pair`: two simulators become a pair, and their files stay.
struct PairCommand {
    /// Which of the two shows the code.
    enum Shower: String, ArgumentChoice {
        case phone, watch
    }

    let directory = CommandArgument<String>(
        "directory", help: "Where the journals of both are, or are made.")
    let shower = CommandOption<Shower>(
        "shows", value: "device", default: .watch, help: "Which one shows the code.")
    let asks = CommandFlag(
        "ask", help: "Ask for the code, and for both confirmations, on standard input.")
    let key = CommandOption<String>(
        "journal-key", value: "file",
        help: "Seal both journals, the keys in them included, with the key in this file.")
    let simulators = CommandOption<String>(
        "simulators", value: "dir",
        help: "Where PhoneSim and WatchSim are. Without it, beside rig itself.")

    static let timeout = Duration.seconds(10)

    var verb: Verb {
        var verb = Verb(
            "pair", overview: "Pairs a PhoneSim with a WatchSim, and keeps their files.")
        verb.discussion = [
            "Starts both on the journals PhoneSim.journal and WatchSim.journal of a directory, "
                + "shows a code of six digits on one and gives it to the other. Both confirm, both "
                + "keep keys, and from then on find each other by them: start them on these "
                + "journals. Where both are a pair already, this makes them one anew: what to do "
                + "where one was copied or restored from too old a backup ('link.closed' says "
                + "'cloned', 'outdated' or 'pair_anew').",
            "With --ask the code is typed, and each side's confirmation given, by whoever sits "
                + "there. A wrong code is burnt and a new one shown; the third ends pairing.",
        ]
        verb.add(directory)
        verb.add(shower)
        verb.add(asks)
        verb.add(key)
        verb.add(simulators)
        verb.examples = [
            CommandExample("rig pair couple", "two files that know each other"),
            CommandExample("rig pair couple --ask", "type the code yourself"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let place = invocation[directory] ?? "."
        guard Files.isDirectory(place) else {
            throw RigFailure(
                .missingInput, "There is no directory '\(place)'.",
                details: ["Try: make it first (mkdir '\(place)')."])
        }
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        let supervisor = Supervisor()
        let scratch: String
        do throws(SystemError) {
            scratch = try Files.makeTemporaryDirectory("rig-pair")
        } catch {
            throw RigFailure(.cannotWrite, "Cannot make a temporary directory: \(error).")
        }
        Interrupts.setTemporaryDirectory(scratch)
        defer {
            Files.removeDirectory(scratch)
            Interrupts.setTemporaryDirectory(nil)
        }
        var started: [Simulator] = []
        defer { for simulator in started { simulator.quit() } }
        for name in ["WatchSim", "PhoneSim"] {
            guard Files.isExecutable("\(programs)/\(name)") else {
                throw RigFailure(
                    .missingInput, "No simulator at \(programs)/\(name).",
                    details: ["Try: build the whole package (swift build), or give --simulators."])
            }
            var arguments = [
                "--link", "unix:\(scratch)/link", "--journal", "\(place)/\(name).journal",
            ]
            if let key = invocation[key] { arguments += ["--journal-key", key] }
            started.append(
                try Simulator(
                    name, executable: "\(programs)/\(name)", arguments: arguments,
                    supervisor: supervisor))
        }
        for simulator in started { try simulator.awaitReady(timeout: Self.timeout) }
        let isWatch = invocation[shower] != .phone
        let session = PairSession(
            shower: started[isWatch ? 0 : 1], enterer: started[isWatch ? 1 : 0],
            asks: invocation[asks], supervisor: supervisor)
        let done = try session.perform()
        let pairing = done["pairing"]?.string ?? ""
        try ExploreCommand.print(
            "paired: \(pairing), the keys are in \(place)/PhoneSim.journal and "
                + "\(place)/WatchSim.journal\n")
        return .done
    }
}

/// One pairing, told as it goes.
struct PairSession {
    let shower: Simulator
    let enterer: Simulator
    let asks: Bool
    let supervisor: Supervisor

    /// Gives the event that told the end.
    ///
    /// - Throws: exit code 69 when it ended otherwise.
    func perform() throws(RigFailure) -> JSONValue {
        // With nobody to ask, the acts stand for the confirmations.
        let fields: JSONObject = ["confirmed": .bool(!asks)]
        let shown = try shower.call("pair.show", fields)
        var code = shown["code"]?.string ?? ""
        while true {
            try tell("\(shower.name) shows \(code)")
            var entering = fields
            entering["code"] = .string(
                asks ? try ask("the code, as it is typed on \(enterer.name)") : code)
            let reply = try enterer.request("pair.enter", entering)
            guard reply["ok"] == true else {
                let error = reply["error"]?["code"]?.string ?? ""
                guard asks, ["bad_field", "code_used"].contains(error) else {
                    throw RigFailure(
                        .software, "\(enterer.name) refused: \(JSONWriter.text(reply))")
                }
                try tell("\(enterer.name) does not take that (\(error))")
                continue
            }
            guard let next = try follow() else { break }
            code = next
        }
        let done = try enterer.awaitPairing(with: shower.name, timeout: PairCommand.timeout)
        try shower.awaitPairing(with: enterer.name, timeout: PairCommand.timeout)
        return done
    }

    /// Follows a run to its end.
    ///
    /// - Returns: the next code where it failed and another may be tried, nil when both are paired.
    private func follow() throws(RigFailure) -> String? {
        var confirmed: Set<String> = []
        while confirmed.count < 2 {
            if let failed = enterer.takeEvents("pairing.failed").first {
                let left = failed["attempts_left"]?.integer ?? 0
                try tell("\(enterer.name): \(failed["reason"]?.string ?? ""), \(left) tries left")
                if left == 0 {
                    throw RigFailure(
                        .unreachable, "Pairing has ended: three runs failed.",
                        details: ["Try: 'rig pair' once more, which is a new pairing."])
                }
                let next = try shower.event("pairing.code", timeout: PairCommand.timeout)
                return next["code"]?.string
            }
            if !enterer.takeEvents("pairing.expired").isEmpty {
                let next = try shower.event("pairing.code", timeout: PairCommand.timeout)
                try tell("\(enterer.name): the code became too old")
                return next["code"]?.string
            }
            for simulator in [enterer, shower] {
                try tellSkew(simulator, with: simulator === enterer ? shower : enterer)
                if let event = simulator.takeEvents("pairing.confirm").first {
                    let role = event["role"]?.string ?? "device"
                    let answer = try ask("on \(simulator.name): pair with this \(role)? yes or no")
                    guard answer == "yes" else {
                        try simulator.call("pair.cancel")
                        throw RigFailure(.unreachable, "\(simulator.name)'s user gave up.")
                    }
                    try simulator.call("pair.confirm")
                    confirmed.insert(simulator.name)
                }
                if let end = simulator.takeEvents("pairing.ended").first {
                    let reason = end["reason"]?.string ?? ""
                    // The failed run that it follows says it.
                    if reason == "too_many_failures" { continue }
                    throw RigFailure(.unreachable, "\(simulator.name) ended pairing: \(reason).")
                }
            }
            if enterer.hasEvent("pairing.done") { return nil }
            try supervisor.rest(.milliseconds(2))
        }
        return nil
    }

    /// Tells that the two are of different versions, as one of them was told. Nobody vouches for
    /// it: whoever sits there decides; with nobody to ask, this gives up as a user would.
    private func tellSkew(_ simulator: Simulator, with other: Simulator) throws(RigFailure) {
        for advice in simulator.takeEvents("pairing.advice") {
            guard let skew = simulator.versionSkew(advice, with: other.name) else { continue }
            guard asks else { throw RigFailure(.unreachable, "The two cannot pair: \(skew).") }
            try tell("it seems that \(skew)")
        }
    }

    private func tell(_ text: String) throws(RigFailure) { try ExploreCommand.print(text + "\n") }

    /// Asks whoever sits there.
    private func ask(_ question: String) throws(RigFailure) -> String {
        try tell("? \(question):")
        guard let line = readLine() else {
            throw RigFailure(
                .usage, "Standard input ended before an answer.",
                details: ["Try: leave --ask out where nobody is to be asked."])
        }
        return line.trimmed
    }
}

extension String {
    /// Without blanks at either end.
    fileprivate var trimmed: String {
        let scalars = unicodeScalars.drop { $0 == " " || $0 == "\t" }
        let end = scalars.lastIndex { $0 != " " && $0 != "\t" && $0 != "\r" }
        return end.map { String(Substring(scalars[...$0])) } ?? ""
    }
}

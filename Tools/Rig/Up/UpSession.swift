import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation

/// Reads the commands typed to a running pair, and shows the replies.
final class UpSession {
    private let watch: SimulatorProcess
    private let phone: SimulatorProcess
    private let conditioner: LinkConditioner
    private let link: LinkSession
    private let supervisor: Supervisor
    private let isQuiet: Bool
    private let typed = TypedLines()

    init(
        watch: SimulatorProcess, phone: SimulatorProcess, _ conditioner: LinkConditioner,
        _ supervisor: Supervisor, isQuiet: Bool
    ) {
        self.watch = watch
        self.phone = phone
        self.conditioner = conditioner
        self.supervisor = supervisor
        self.isQuiet = isQuiet
        link = LinkSession(conditioner: conditioner, reads: false, isQuiet: true)
    }

    /// Pairs the two and brings the list to the watch.
    func prepare(list: String) throws(RigFailure) {
        try tell("pairing PhoneSim with WatchSim")
        try SimulatorProcess.pair(watch, phone, timeout: UpCommand.timeout)
        try phone.call("import", ["path": .string(list)], timeout: UpCommand.timeout)
        try phone.call("sync", timeout: UpCommand.timeout)
        try tell("paired; bringing the medication list to the watch")
        let start = MonotonicClock.nowNanoseconds
        while try phone.call("status")["outstanding"] != 0,
            MonotonicClock.nowNanoseconds - start < 20_000_000_000
        {
            try supervisor.rest(.milliseconds(100))
        }
        for simulator in [watch, phone] { _ = simulator.takeEvents() }
        try tell("The link:")
        for line in conditioner.conditions.meaning { try tell("  \(line)") }
        try tell(Self.help)
    }

    private static let help = """
        Type a command, for example:
          phone complication.update text=8:00
          phone sync
          watch store
          watch dose.record count=2
          watch face
          link set profile=edge
          link set set=rtt=60ms,loss=2%
          link down
          link up
          phone {"cmd":"status"}
        Every command: commands-and-events.md of ControlProtocol. Ctrl-C or 'quit' ends both.
        """

    /// Takes lines until the input ends.
    func perform() throws(RigFailure) {
        while true {
            while let line = typed.next() {
                if line == "quit" { return }
                try answer(line)
            }
            try showEvents()
            if typed.hasEnded { return }
            try supervisor.listen(to: typed, atMost: .seconds(1))
        }
    }

    private func answer(_ line: String) throws(RigFailure) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let target = words.first else { return }
        if target == "help" { return try Console.print(Self.help + "\n") }
        guard ["phone", "watch", "link"].contains(target), words.count > 1,
            let command = Self.command(words[1], isForLink: target == "link")
        else {
            return try Console.print(
                "? '\(Excerpt.line(line))': expected phone, watch or link, then a command; 'help' "
                    + "shows examples\n")
        }
        guard target != "link" else {
            return try show("link", link.answer(JSONWriter.bytes(.object(command))))
        }
        let simulator = target == "phone" ? phone : watch
        var fields = command
        let name = command["cmd"]?.string ?? ""
        fields["cmd"] = nil
        fields["id"] = nil
        try show(target, try simulator.request(name, fields, timeout: .seconds(60)))
    }

    /// `dose.record count=2` as a command; nil for what is none. A value that is JSON stands for
    /// itself, any other for its text.
    static func command(_ text: String, isForLink: Bool) -> JSONObject? {
        if text.hasPrefix("{") {
            return (try? JSONParser.parse(text))?.value.object
        }
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.first else { return nil }
        var command = JSONObject()
        command["cmd"] = .string(isForLink && !name.hasPrefix("link.") ? "link.\(name)" : name)
        for word in words.dropFirst() {
            guard let place = word.firstIndex(of: "="), place != word.startIndex else { return nil }
            let value = String(word[word.index(after: place)...])
            let parsed = (try? JSONParser.parse(value))?.value
            command[String(word[..<place])] = parsed ?? .string(value)
        }
        return command
    }

    private func showEvents() throws(RigFailure) {
        for (name, simulator) in [("phone", phone), ("watch", watch)] {
            for event in simulator.takeEvents() where !isQuiet { try show(name, event) }
        }
    }

    private func show(_ name: String, _ value: JSONValue) throws(RigFailure) {
        try Console.print("\(name): \(JSONWriter.text(value))\n")
    }

    private func tell(_ text: String) throws(RigFailure) {
        guard !isQuiet else { return }
        try Console.print(text + "\n", on: 2)
    }
}

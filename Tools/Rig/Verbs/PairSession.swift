import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// One pairing of two simulators, told as it goes.
///
/// Both are heard while the user thinks, too: a code becomes too old meanwhile, and the code on
/// display is always the one that counts.
final class PairSession {
    private let displaying: SimulatorProcess
    private let reply: JSONValue
    private let entering: SimulatorProcess
    private let asks: Bool
    private let supervisor: Supervisor
    private let typed = TypedLines()

    /// The code on display; nil between a code that is of no more use and the next.
    private var code: String?
    /// The code on display when the last code was entered: of no more use once that run is over.
    private var tried: String?
    /// Whether a code was entered and its run is not over.
    private var isRunning = false
    /// The simulators whose user has to confirm the pairing, each with the event that asks.
    private var questions: [(simulator: SimulatorProcess, event: JSONValue)] = []
    /// The ends that were told, by the names of those who did.
    private var ends: [String: JSONValue] = [:]

    /// Goes on from the displaying side's reply to `pair.show`.
    init(
        displaying: SimulatorProcess, reply: JSONValue, entering: SimulatorProcess, asks: Bool,
        supervisor: Supervisor
    ) {
        self.displaying = displaying
        self.reply = reply
        self.entering = entering
        self.asks = asks
        self.supervisor = supervisor
    }

    /// The fields of both acts. With nobody to ask, the acts stand for the confirmations.
    static func fields(asks: Bool) -> JSONObject { ["confirmed": .bool(!asks)] }

    /// Gives the event that told the end.
    ///
    /// - Throws: exit code 69 when it ended otherwise.
    func perform() throws(RigFailure) -> JSONValue {
        try show(reply)
        while true {
            guard try enter(Self.fields(asks: asks)) else { continue }
            if let end = try follow() { return end }
        }
    }

    /// Takes a code from the user, or from the display, and enters it.
    ///
    /// - Returns: whether a run has begun.
    private func enter(_ fields: JSONObject) throws(RigFailure) -> Bool {
        let shown = try awaitCode()
        var text = shown
        if asks {
            text = try ask("the code, as it is typed on \(entering.name)") { true } ?? ""
        }
        var request = fields
        request["code"] = .string(text)
        tried = code ?? shown
        isRunning = true
        let reply = try entering.request("pair.enter", request)
        if reply["ok"] == true { return true }
        isRunning = false
        tried = nil
        let error = reply["error"]?["code"]?.string ?? ""
        guard asks, ["bad_field", "code_used"].contains(error) else {
            throw RigFailure(.software, "\(entering.name) refused: \(JSONWriter.text(reply))")
        }
        try tell("\(entering.name) does not take that (\(error))")
        return false
    }

    /// Waits for a code that no run was lost under.
    private func awaitCode() throws(RigFailure) -> String {
        let deadline = MonotonicClock.nowNanoseconds + Self.patience
        while true {
            try hear()
            if let code, code != tried { return code }
            try listen(until: deadline, or: "\(displaying.name) showed no new code")
        }
    }

    /// Follows a run to its end.
    ///
    /// - Returns: what the entering side told of it; nil where another code may be tried.
    private func follow() throws(RigFailure) -> JSONValue? {
        var deadline: UInt64?
        while true {
            try hear()
            if let end = ends[entering.name] {
                if ends[displaying.name] != nil { return end }
                deadline = deadline ?? MonotonicClock.nowNanoseconds + Self.patience
            } else if !isRunning {
                return nil
            }
            if !questions.isEmpty {
                let (simulator, event) = questions.removeFirst()
                try confirm(simulator, event)
            } else if let deadline {
                try listen(until: deadline, or: "\(displaying.name) did not pair")
            } else {
                try supervisor.listen(atMost: .seconds(1))
            }
        }
    }

    private func confirm(_ simulator: SimulatorProcess, _ event: JSONValue) throws(RigFailure) {
        let role = event["role"]?.string ?? "device"
        let question = "on \(simulator.name): pair with this \(role)? yes or no"
        guard let answer = try ask(question, while: { isRunning }) else { return }
        guard answer == "yes" else {
            try simulator.call("pair.cancel")
            throw RigFailure(.unreachable, "\(simulator.name)'s user gave up.")
        }
        var word: JSONObject = [:]
        if event["erases_doses"] == true {
            let question = "keep the doses, as it is the same person's \(role)? yes or no"
            guard let answer = try ask(question, while: { isRunning }) else { return }
            word["keep_doses"] = .bool(answer == "yes")
        }
        let reply = try simulator.request("pair.confirm", word)
        let error = reply["error"]?["code"]?.string ?? ""
        // The run may have failed meanwhile; an event says so.
        guard reply["ok"] == true || ["nothing_to_confirm", "not_pairing"].contains(error) else {
            throw RigFailure(.software, "\(simulator.name) refused: \(JSONWriter.text(reply))")
        }
    }

    // MARK: Events of the two sides

    private func hear() throws(RigFailure) {
        for simulator in [entering, displaying] {
            for event in simulator.takeEvents() { try hear(event, of: simulator) }
        }
    }

    private func hear(_ event: JSONValue, of simulator: SimulatorProcess) throws(RigFailure) {
        switch event["event"]?.string {
        case "pairing.code": try show(event)
        case "pairing.expired":
            endRun(of: simulator)
            try tell("\(simulator.name): the code became too old")
        case "pairing.failed":
            endRun(of: simulator)
            let left = event["attempts_left"]?.integer ?? 0
            let reason = event["reason"]?.string ?? ""
            try tell("\(simulator.name): \(reason), \(left == 1 ? "1 try" : "\(left) tries") left")
            guard left > 0 else {
                throw RigFailure(
                    .unreachable, "Pairing has ended: three runs failed.",
                    details: ["Try: 'rig pair' once more, which is a new pairing."])
            }
        case "pairing.confirm":
            questions.append((simulator, event))
        case "pairing.done":
            ends[simulator.name] = event
            try tellInheritance(event, of: simulator)
        case "pairing.ended":
            let reason = event["reason"]?.string ?? ""
            throw RigFailure(.unreachable, "\(simulator.name) ended pairing: \(reason).")
        case "pairing.advice":
            try tellSkew(event, to: simulator)
        default: break
        }
    }

    private func endRun(of simulator: SimulatorProcess) {
        questions.removeAll()
        if simulator === displaying { code = nil } else { isRunning = false }
    }

    private func show(_ event: JSONValue) throws(RigFailure) {
        let shown = event["code"]?.string ?? ""
        code = shown
        try tell("\(displaying.name) shows \(shown)")
    }

    /// Tells that the two are of different versions, as one of them was told. Nobody vouches for
    /// it: the user decides; with nobody to ask, this gives up as a user would.
    private func tellSkew(_ advice: JSONValue, to simulator: SimulatorProcess) throws(RigFailure) {
        let other = simulator === entering ? displaying : entering
        guard let skew = simulator.versionSkew(advice, with: other.name) else { return }
        guard asks else { throw RigFailure(.unreachable, "The two cannot pair: \(skew).") }
        try tell("it seems that \(skew)")
    }

    /// Tells what became of the queue of a pairing before this one.
    private func tellInheritance(
        _ done: JSONValue, of simulator: SimulatorProcess
    ) throws(RigFailure) {
        for (field, fate) in [("requeued", "queued anew"), ("erased", "erased")] {
            guard let count = done[field]?.integer, count > 0 else { continue }
            try tell(
                "\(simulator.name): \(count) \(count == 1 ? "record" : "records") of the pairing "
                    + "before \(count == 1 ? "is" : "are") \(fate)")
        }
    }

    // MARK: The user

    private func tell(_ text: String) throws(RigFailure) { try Console.print(text + "\n") }

    /// Asks whoever sits there, and goes on hearing both.
    ///
    /// - Returns: the answer; nil once the question no longer stands.
    private func ask(
        _ question: String, while stands: () -> Bool
    ) throws(RigFailure) -> String? {
        try tell("? \(question):")
        while true {
            try hear()
            guard stands() else { return nil }
            if let line = typed.next() { return line.trimmed }
            guard !typed.hasEnded else {
                throw RigFailure(
                    .usage, "Standard input ended before an answer.",
                    details: ["Try: leave --ask out where nobody is to be asked."])
            }
            try supervisor.listen(to: typed, atMost: .seconds(60))
        }
    }

    /// How long a simulator may take for what needs no user, in nanoseconds.
    private static let patience = UInt64(PairCommand.timeout.nanosecondsClamped)

    private func listen(until deadline: UInt64, or trouble: String) throws(RigFailure) {
        guard MonotonicClock.nowNanoseconds < deadline else {
            throw RigFailure(.timedOut, "\(trouble) within \(PairCommand.timeout.meaning).")
        }
        try supervisor.listen(atMost: .milliseconds(100))
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

import CPosix
package import CommandLine
package import ControlProtocol
import Glibc
import WatchProtoCore

/// A running PhoneSim or WatchSim and the JSON lines spoken with it.
package final class SimulatorProcess {
    /// The program's name: `PhoneSim`.
    package var name: String { process.name }
    /// The process, as the system knows it.
    package var pid: Int32 { process.pid }
    /// When it was started, in nanoseconds of CLOCK_MONOTONIC.
    package var startNanoseconds: UInt64 { process.startNanoseconds }
    /// When it showed the face that its file kept, or was ready without one.
    package var shownNanoseconds: UInt64? {
        ready?["face_ns"]?.unsigned ?? ready?["t_ns"]?.unsigned
    }
    /// Its first line; nil until it came.
    package internal(set) var ready: JSONValue?

    let process: ChildProcess
    unowned let supervisor: Supervisor
    var outputLines = LineBuffer()
    var errorLines = LineBuffer()
    var lastWords: [String] = []
    var events: [JSONValue] = []
    var replies: [(id: Int64, reply: JSONValue)] = []
    private var nextID: Int64 = 1
    var isOutputOpen = true
    var areErrorsOpen = true
    var mayEnd = false
    var trouble: RigFailure?
    var activity = "its start"

    /// Starts the program at `executable`.
    ///
    /// - Throws: exit code 70 when the system refuses.
    package init(
        _ name: String, executable: String, arguments: [String], supervisor: Supervisor
    ) throws(RigFailure) {
        do throws(SystemError) {
            process = try ChildProcess(name: name, executable: executable, arguments: arguments)
        } catch {
            throw RigFailure(
                .software, "Cannot start \(name): \(error).",
                details: ["Try: build it again, or run 'rig doctor'."])
        }
        self.supervisor = supervisor
        supervisor.add(self)
    }

    // MARK: Speaking

    /// Sends a command and returns its id at once. Throws when the program has ended or closed its
    /// input: it is at fault, not the command.
    package func send(_ command: String, _ fields: JSONObject = JSONObject()) throws(RigFailure)
        -> Int64
    {
        let id = nextID
        nextID += 1
        var object = JSONObject()
        object["id"] = .integer(id)
        object["cmd"] = .string(command)
        for member in fields.members { object[member.name] = member.value }
        activity = "'\(command)'"
        do throws(SystemError) {
            try process.write(JSONWriter.line(.object(object)))
        } catch {
            // It has closed its end: the pump says how it ended.
            let limit = MonotonicClock.nowNanoseconds + 1_000_000_000
            while MonotonicClock.nowNanoseconds < limit { try supervisor.pump(until: limit) }
            throw RigFailure(.software, "\(name) takes no commands any more (\(error)).")
        }
        return id
    }

    /// Waits for the reply to the command `id`, which may be a refusal.
    ///
    /// - Throws: exit code 75 when it does not come in time; what ends the run otherwise.
    package func reply(to id: Int64, command: String, timeout: Duration) throws(RigFailure)
        -> JSONValue
    {
        let deadline = deadline(timeout)
        while true {
            if let index = replies.firstIndex(where: { $0.id == id }) {
                return replies.remove(at: index).reply
            }
            try pump(until: deadline, or: "answer '\(command)'", timeout)
        }
    }

    /// Sends a command and waits for its reply, which may be a refusal.
    package func request(
        _ command: String, _ fields: JSONObject = JSONObject(), timeout: Duration = .seconds(10)
    ) throws(RigFailure) -> JSONValue {
        try reply(to: try send(command, fields), command: command, timeout: timeout)
    }

    /// Sends a command that must succeed.
    ///
    /// - Throws: exit code 70 when it is refused; 75 when there is no reply in time.
    @discardableResult
    package func call(
        _ command: String, _ fields: JSONObject = JSONObject(), timeout: Duration = .seconds(10)
    ) throws(RigFailure) -> JSONValue {
        let reply = try request(command, fields, timeout: timeout)
        guard reply["ok"] == true else {
            let error = reply["error"].map { JSONWriter.text($0) } ?? JSONWriter.text(reply)
            throw RigFailure(.software, "\(name) refused '\(command)': \(error)")
        }
        return reply
    }

    /// Waits for an event that `matches`; those before it stay for others.
    ///
    /// - Throws: exit code 75 when it does not come in time.
    package func event(
        _ event: String, timeout: Duration, where matches: (JSONValue) -> Bool = { _ in true }
    ) throws(RigFailure) -> JSONValue {
        let deadline = deadline(timeout)
        while true {
            let index = events.firstIndex { $0["event"]?.string == event && matches($0) }
            if let index { return events.remove(at: index) }
            try pump(until: deadline, or: "report '\(event)'", timeout)
        }
    }

    /// Whether an event of this name has come that nobody has taken.
    package func hasEvent(_ event: String) -> Bool {
        events.contains { $0["event"]?.string == event }
    }

    /// The events of this name that have come so far and that nobody has taken.
    package func takeEvents(_ event: String) -> [JSONValue] {
        let taken = events.filter { $0["event"]?.string == event }
        events.removeAll { $0["event"]?.string == event }
        return taken
    }

    /// Waits for the first line.
    ///
    /// - Throws: exit code 69 when it does not come in time, 76 when it is something else.
    package func awaitReady(timeout: Duration) throws(RigFailure) {
        let deadline = deadline(timeout)
        while ready == nil {
            guard MonotonicClock.nowNanoseconds < deadline else {
                throw RigFailure(
                    .unreachable, "\(name) did not say 'ready' within \(timeout.meaning).",
                    details: [
                        "\(name) is running (pid \(pid)) and wrote "
                            + "\(outputLines.byteCount) bytes to stdout.",
                        "It was started as: \(process.commandLine)",
                    ] + lastWordsDetails + [
                        "Try: run that command by hand; 'rig doctor' checks the rest."
                    ])
            }
            try supervisor.pump(until: deadline)
        }
        activity = "its start"
    }

    /// Asks the program to leave, and ends it if it does not within `grace`.
    package func quit(within grace: Duration = .seconds(2)) {
        mayEnd = true
        supervisor.ignoresInterrupts = true
        if process.poll(), (try? send("quit")) != nil {
            let deadline = deadline(grace)
            while isOutputOpen, MonotonicClock.nowNanoseconds < deadline {
                if (try? supervisor.pump(until: deadline)) == nil { break }
            }
        }
        process.stop(within: grace)
        supervisor.remove(self)
    }

    /// Ends the program at once, between any two of its instructions. Its output until then is
    /// read, so that replies to it can still be asked for.
    ///
    /// - Throws: exit code 130 when the user interrupts; 70 when another simulator has ended.
    package func kill() throws(RigFailure) {
        mayEnd = true
        process.kill()
        let deadline = deadline(.seconds(10))
        while isOutputOpen, MonotonicClock.nowNanoseconds < deadline {
            try supervisor.pump(until: deadline)
        }
        process.stop(within: .zero)
        supervisor.remove(self)
    }

    /// Makes the program stand still, all of it, until ``thaw()``; returns when it does.
    package func freeze() { process.freeze() }

    /// Lets it go on.
    package func thaw() { process.thaw() }

    /// Takes the reply to the command `id`, if it has come.
    package func replyIfAny(to id: Int64) -> JSONValue? {
        replies.firstIndex { $0.id == id }.map { replies.remove(at: $0).reply }
    }

    /// Takes the events that nobody has waited for.
    package func takeEvents() -> [JSONValue] {
        defer { events.removeAll() }
        return events
    }

    /// The peak resident set in bytes; nil when the process is gone.
    package var peakMemoryBytes: UInt64? { process.peakMemoryBytes }

    /// Makes the present resident set the peak (proc(5), `clear_refs`).
    ///
    /// - Throws: the system's refusal.
    package func forgetPeakMemory() throws(SystemError) { try process.forgetPeakMemory() }

    func deadline(_ timeout: Duration) -> UInt64 {
        MonotonicClock.nowNanoseconds + UInt64(max(0, timeout.nanosecondsClamped))
    }

    func pump(
        until deadline: UInt64, or what: String, _ timeout: Duration
    ) throws(RigFailure) {
        guard MonotonicClock.nowNanoseconds < deadline else {
            throw RigFailure(
                .timedOut, "\(name) did not \(what) within \(timeout.meaning).",
                details: ["\(name) is running (pid \(pid))."] + lastWordsDetails)
        }
        try supervisor.pump(until: deadline)
    }
}

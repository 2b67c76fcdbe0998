import CPosix
package import CommandLine
import ControlProtocol
import WatchProtoCore

/// For runs in which a simulator is expected to be in trouble.
extension SimulatorProcess {
    /// How a program ended.
    package struct Ending: Hashable, Sendable {
        /// Its exit code; nil when a signal ended it.
        package var code: Int32?
        /// The same in words.
        package var text: String
        /// The last lines that it wrote to stderr.
        package var lastWords: [String]
    }

    /// Waits for the first line of a program that may refuse to start.
    ///
    /// - Returns: nil when it is ready; else how it ended instead.
    /// - Throws: as ``awaitReady(timeout:)``, but for its end.
    package func awaitReadyOrEnd(timeout: Duration) throws(RigFailure) -> Ending? {
        mayEnd = true
        let limit = deadline(timeout)
        // The file is checked behind `ready`: the answer to a question waits for that.
        var question: Int64?
        var hasStarted = false
        while !hasStarted, isOutputOpen, MonotonicClock.nowNanoseconds < limit {
            if ready != nil, question == nil { question = try send("status") }
            if let reply = question.flatMap({ replyIfAny(to: $0) }) {
                hasStarted = reply["ok"] == true
            }
            if !hasStarted { try supervisor.pump(until: limit) }
        }
        guard !hasStarted, !isOutputOpen else {
            mayEnd = false
            try awaitReady(timeout: .zero)
            return nil
        }
        return try takeEnding()
    }

    /// Asks the program to leave and waits until it has.
    ///
    /// - Returns: how it ended.
    /// - Throws: exit code 75 when it does not end in time.
    package func leave(timeout: Duration) throws(RigFailure) -> Ending {
        mayEnd = true
        let limit = deadline(timeout)
        _ = try send("quit")
        while isOutputOpen {
            try pump(until: limit, or: "leave", timeout)
        }
        return try takeEnding()
    }

    private func takeEnding() throws(RigFailure) -> Ending {
        let limit = deadline(.seconds(2))
        while areErrorsOpen, MonotonicClock.nowNanoseconds < limit {
            try supervisor.pump(until: limit)
        }
        process.stop(within: .seconds(2))
        supervisor.remove(self)
        var code: Int32?
        if case .exited(let number) = process.end { code = number }
        return Ending(
            code: code, text: process.end?.description ?? "did not end", lastWords: lastWords)
    }

    /// The processor time the program has had so far, all its threads together; nil when it cannot
    /// be told.
    package var processorTime: Duration? {
        let time = watchproto_processor_nanoseconds(pid)
        return time < 0 ? nil : .nanoseconds(time)
    }

    /// Limits how long the files may become that the program writes, in bytes; nil takes the limit
    /// away.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `prlimit`.
    package func limitFiles(toBytes limit: UInt64?) throws(SystemError) {
        guard watchproto_limit_files(pid, limit ?? .max) == 0 else {
            throw SystemError("prlimit", name)
        }
    }
}

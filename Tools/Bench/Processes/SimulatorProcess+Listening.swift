import CPosix
import CommandLine
import ControlProtocol
import Glibc

/// The output of a simulator: lines of its control channel on stdout, its log on stderr.
extension SimulatorProcess {
    var openStreams: [(number: Int32, isError: Bool)] {
        (isOutputOpen ? [(process.output, false)] : [])
            + (areErrorsOpen ? [(process.errors, true)] : [])
    }

    func read(isError: Bool) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.read(
            isError ? process.errors : process.output, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        let bytes = chunk[..<max(0, count)]
        if isError {
            for line in errorLines.append(bytes) { keepWords(line) }
            if count <= 0 {
                areErrorsOpen = false
                if let rest = errorLines.finish() { keepWords(rest) }
            }
        } else {
            for line in outputLines.append(bytes) { take(line) }
            if outputLines.overlongCount > 0, trouble == nil {
                trouble = RigFailure(.protocolBroken, "\(name) wrote a line of more than 1 MiB.")
            }
            if count <= 0 { isOutputOpen = false }
        }
    }

    private func keepWords(_ line: [UInt8]) {
        lastWords.append(String(decoding: line.prefix(400), as: UTF8.self))
        if lastWords.count > 20 { lastWords.removeFirst() }
    }

    private func take(_ line: [UInt8]) {
        let value = (try? JSONParser.parse(line))?.value
        if let value, let id = value["id"]?.integer, value["ok"] != nil {
            replies.append((id, value))
        } else if let value, let event = value["event"]?.string {
            if event == "ready" { ready = value } else { events.append(value) }
        } else if trouble == nil {
            let text = String(decoding: line.prefix(200), as: UTF8.self)
            trouble = RigFailure(
                .protocolBroken, "\(name) wrote a line that is no message of the control protocol.",
                details: [
                    "seen: \(JSONWriter.text(.string(text)))",
                    "expected: one JSON object with \"event\", or with \"id\" and \"ok\"",
                ] + lastWordsDetails)
        }
    }

    /// - Throws: exit code 70 when it has ended unasked, 76 when it has spoken nonsense.
    func checkAlive() throws(RigFailure) {
        if let trouble { throw trouble }
        guard !mayEnd, !isOutputOpen else { return }
        // Its stdout is closed: give it a moment to end, and to finish its last words.
        process.stop(within: .seconds(1))
        while areErrorsOpen, isReadable(process.errors) { read(isError: true) }
        let end = process.end?.description ?? "closed its stdout"
        mayEnd = true
        if let refusal = refusal(process.end) { throw refusal }
        throw RigFailure(
            .software, "\(name) (pid \(pid)) \(end) during \(activity).",
            details: lastWordsDetails)
    }

    /// A start that it refused for something of its user's, such as a key file: that is no crash,
    /// and the exit code is its own.
    private func refusal(_ end: ChildProcess.End?) -> RigFailure? {
        guard ready == nil, case .exited(let code) = end else { return nil }
        let codes: [ExitCode] = [
            .badInput, .missingInput, .unreachable, .system, .cannotWrite, .noPermission,
        ]
        return codes.first { $0.rawValue == code }.map { own in
            RigFailure(
                own, "\(name) refused to start (its exit code is \(code)).",
                details: lastWordsDetails)
        }
    }

    private func isReadable(_ number: Int32) -> Bool {
        var polled = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe Glibc.poll(&polled, 1, 100) > 0
    }

    /// The last lines that it wrote to stderr, for messages.
    var lastWordsDetails: [String] {
        guard !lastWords.isEmpty else { return ["It wrote nothing to stderr."] }
        return ["Its last words on stderr:"] + lastWords.map { "  \($0)" }
    }
}

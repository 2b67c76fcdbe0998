internal import CPosix
internal import Glibc

/// The output of a short program.
package enum ProgramOutput {
    /// All of its standard output; nil where it cannot be started, fails, prints more than 1 MiB,
    /// or takes longer than ten seconds.
    package static func of(_ executable: String, _ arguments: [String]) -> String? {
        guard
            let process = try? ChildProcess(
                name: "asked", executable: executable, arguments: arguments)
        else { return nil }
        defer { process.stop(within: .zero) }
        process.closeInput()
        var bytes: [UInt8] = []
        var open = [process.output, process.errors]
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let deadline = MonotonicClock.nowNanoseconds + 10_000_000_000
        while !open.isEmpty {
            guard MonotonicClock.nowNanoseconds < deadline, bytes.count < 1 << 20 else {
                return nil
            }
            var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = unsafe poll(&polled, nfds_t(polled.count), 1000)
            for entry in polled where entry.revents != 0 {
                let count = unsafe read(entry.fd, &chunk, chunk.count)
                if count <= 0 { open.removeAll { $0 == entry.fd } }
                if entry.fd == process.output { bytes += chunk[..<max(0, count)] }
            }
        }
        process.stop(within: .seconds(2))
        guard process.end == .exited(code: 0) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

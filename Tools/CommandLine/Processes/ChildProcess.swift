package import CPosix
import Glibc
import WatchProtoCore

/// A program started by this one, with pipes on its stdin, stdout and stderr.
///
/// It is its own process group, so that a terminal's Ctrl-C reaches this process alone, which then
/// lets the child finish in order. Dropping the value ends the child.
package final class ChildProcess {
    /// How a child ended.
    package enum End: Hashable, Sendable {
        case exited(code: Int32)
        case signalled(number: Int32)

        package var description: String {
            switch self {
            case .exited(let code): return "ended with exit code \(code)"
            case .signalled(let number):
                let name = unsafe strsignal(number).map { unsafe String(cString: $0) }
                return "was ended by signal \(number) (\(name ?? "unknown"))"
            }
        }
    }

    package let name: String
    package let pid: pid_t
    /// When `posix_spawn` was called, in nanoseconds of CLOCK_MONOTONIC.
    package let startNanoseconds: UInt64
    /// The command line, for messages.
    package let commandLine: String
    package private(set) var end: End?

    package let output: Int32
    package let errors: Int32
    private var input: Int32

    /// Starts `executable`. From then on this process ignores SIGPIPE, unless it has chosen
    /// otherwise: a write to a child that has ended throws.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `posix_spawn`.
    package init(name: String, executable: String, arguments: [String]) throws(SystemError) {
        watchproto_ignore_broken_pipes()
        let stdin = try PipeEnds()
        let stdout = try PipeEnds()
        let stderr = try PipeEnds()
        startNanoseconds = watchproto_monotonic_nanoseconds()
        let streams = [stdin.reading.number, stdout.writing.number, stderr.writing.number]
        pid = try ChildRegistry.add { () throws(SystemError) in
            try Self.spawn(executable, arguments, streams: streams)
        }
        self.name = name
        commandLine = ([executable] + arguments).joined(separator: " ")
        // Duplicates that outlive the pipes' owners; kept from further children as well.
        input = Self.keep(stdin.writing.number)
        output = Self.keep(stdout.reading.number)
        errors = Self.keep(stderr.reading.number)
    }

    deinit {
        if end == nil {
            ChildRegistry.signal(pid, SIGKILL)
            while ChildRegistry.reap(pid) == nil { usleep(500) }
        }
        if input >= 0 { close(input) }
        close(output)
        close(errors)
    }

    /// Writes one line to the child's stdin.
    package func write(_ line: [UInt8]) throws(SystemError) {
        guard input >= 0 else { throw SystemError("write", "\(name) stdin", number: EBADF) }
        try Descriptor.write(line, to: input, subject: "\(name) stdin")
    }

    /// Closes the child's stdin, which asks it to end.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Whether the child still runs; reaps it if it does not.
    package func poll() -> Bool {
        guard end == nil else { return false }
        guard let status = ChildRegistry.reap(pid) else { return true }
        let signal = status & 0x7F
        end = signal == 0 ? .exited(code: (status >> 8) & 0xFF) : .signalled(number: signal)
        return false
    }

    /// Ends the child with SIGKILL, which it cannot see coming.
    package func kill() { ChildRegistry.signal(pid, SIGKILL) }

    /// Stops the child, and waits until all its threads stand still.
    package func freeze() {
        ChildRegistry.signal(pid, SIGSTOP)
        let deadline = watchproto_monotonic_nanoseconds() + 1_000_000_000
        while poll(), watchproto_monotonic_nanoseconds() < deadline {
            let threads = Files.names(in: "/proc/\(pid)/task")
            let isStill = threads.allSatisfy { thread in
                let status = (try? Files.read("/proc/\(pid)/task/\(thread)/status")) ?? []
                // proc(5): T (stopped). One that waits for the disk stops when that is done.
                return status.split(separator: UInt8(ascii: "\n"))
                    .contains { $0.starts(with: Array("State:\tT".utf8)) }
            }
            if isStill { return }
            usleep(200)
        }
    }

    /// Stops the child `pid`, or lets it go on, at once; without effect on one that was reaped.
    package static func setStopped(_ isStopped: Bool, pid: pid_t) {
        ChildRegistry.signal(pid, isStopped ? SIGSTOP : SIGCONT)
    }

    /// Lets a stopped child go on.
    package func thaw() { ChildRegistry.signal(pid, SIGCONT) }

    /// Gives the child `grace` to end by itself, then ends it.
    package func stop(within grace: Duration) {
        closeInput()
        let deadline = watchproto_monotonic_nanoseconds() + UInt64(max(0, grace.nanosecondsClamped))
        while poll() {
            if watchproto_monotonic_nanoseconds() > deadline {
                ChildRegistry.signal(pid, SIGKILL)
            }
            usleep(1000)
        }
    }

    /// The peak resident set in bytes; nil when the process is gone.
    ///
    /// Read from `VmHWM` in `/proc/PID/status` (proc(5)).
    package var peakMemoryBytes: UInt64? {
        guard let bytes = try? Files.read("/proc/\(pid)/status") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let digits = line.filter { ("0"..."9").contains($0) }
            return UInt64(digits).map { $0 * 1024 }
        }
        return nil
    }

    /// Makes the present resident set the peak (proc(5), `clear_refs`).
    ///
    /// - Throws: the system's refusal.
    package func forgetPeakMemory() throws(SystemError) {
        let path = "/proc/\(pid)/clear_refs"
        let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open", path) }
        try Descriptor(owning: number).write(Array("5".utf8), to: path)
    }

    private static func keep(_ number: Int32) -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 3) }

    private static func spawn(
        _ executable: String, _ arguments: [String], streams: [Int32]
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (target, source) in streams.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The child starts with no signal blocked or ignored, whatever this process does.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(
            &pid, executable, &actions, &attributes, words, watchproto_environment())
        guard result == 0 else { throw SystemError("posix_spawn", executable, number: result) }
        return pid
    }
}

internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// A process that this one started, to be ended and reaped once.
struct CommandProcess: Sendable {
    let id: pid_t

    /// Starts `words[0]`, found through `PATH`, with the two descriptors as its standard input and
    /// output. Standard error is shared (`posix_spawnp`).
    static func start(
        _ words: [String], input: Int32, output: Int32
    ) -> Result<CommandProcess, SystemErrorNumber> {
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        var id = pid_t()
        let failure = unsafe watchproto_spawn(
            &id, pointers, watchproto_environment(), input, output)
        return failure == 0
            ? .success(CommandProcess(id: id)) : .failure(SystemErrorNumber(failure))
    }

    /// Waits for the process to end, and reaps it. After `grace` it sends SIGTERM, after another
    /// `grace` SIGKILL. It takes at most about twice `grace`.
    func end(grace: Duration = .milliseconds(500)) {
        let watch = watchproto_open_process(id)
        defer { if watch >= 0 { DescriptorCall.close(watch) } }
        if !hasEnded(watch, within: grace) {
            kill(id, SIGTERM)
            if !hasEnded(watch, within: grace) { kill(id, SIGKILL) }
        }
        // Somebody else may have reaped it (ECHILD): then there is nothing left to do.
        _ = retryOnInterrupt { waitpid(id, nil, 0) }
    }

    private func hasEnded(_ watch: Int32, within wait: Duration) -> Bool {
        guard watch >= 0 else { return false }
        var set = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
        let result = retryOnInterrupt {
            unsafe watchproto_poll(&set, 1, wait.nanosecondsClamped)
        }
        return result == .success(1)
    }
}

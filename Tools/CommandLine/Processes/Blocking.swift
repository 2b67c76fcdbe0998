import CPosix
import Glibc
import Locks

/// The way from a program without async code to work that needs it.
///
/// An async `main` would hand the process to the concurrency runtime, whose threads do not block
/// the signals that ``Interrupts`` waits for: Ctrl-C would end the process instead of being heard.
package enum Blocking {
    /// Runs `work` on the runtime's threads and waits for it on this one.
    ///
    /// - Throws: exit code 130 as soon as the user interrupts; `work` is then left behind, so the
    ///   caller must end the process.
    package static func wait<Value: Sendable>(
        for work: @escaping @Sendable () async -> Value
    ) throws(RigFailure) -> Value {
        let result = Result<Value>()
        Task.detached { result.set(await work()) }
        while true {
            if let value = result.value { return value }
            if Interrupts.isRequested { throw Interrupts.failure }
            result.wait(milliseconds: 200)
        }
    }

    /// Does `work` on a thread of the runtime and waits for it on this one: for work that may take
    /// any time, such as reading from a pipe that nobody writes to.
    ///
    /// - Throws: what `work` throws; exit code 130 as soon as the user interrupts, and `work` is
    ///   left behind as above.
    package static func wait<Value: Sendable>(
        for work: @escaping @Sendable () throws(RigFailure) -> Value
    ) throws(RigFailure) -> Value {
        let outcome: Swift.Result<Value, RigFailure> = try wait { () async in
            do throws(RigFailure) { return .success(try work()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private final class Result<Value: Sendable>: Sendable {
        private let box = Mutex<Value?>(nil)
        private let done = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

        deinit { close(done) }

        var value: Value? { box.withLock { $0 } }

        func set(_ value: Value) {
            box.withLock { $0 = value }
            eventfd_write(done, 1)
        }

        /// Waits for the value or an interrupt; the time is a net below, should either be missed.
        func wait(milliseconds: Int32) {
            var polled = [pollfd(fd: done, events: Int16(POLLIN), revents: 0)]
            if Interrupts.waitDescriptor >= 0 {
                polled.append(
                    pollfd(fd: Interrupts.waitDescriptor, events: Int16(POLLIN), revents: 0))
            }
            _ = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
        }
    }
}

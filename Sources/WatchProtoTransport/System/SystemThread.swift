internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// One thread of the system, for work that blocks in `poll`. All signals are blocked in it.
package final class SystemThread: Sendable {
    private let handle: Mutex<pthread_t?>

    /// Starts `body` on its own thread, pinned to `pinnedCPU` if given. A CPU that does not exist
    /// leaves it unpinned.
    package init(
        pinnedCPU: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(SystemErrorNumber) {
        let box = Body {
            watchproto_block_signals()
            if let pinnedCPU { _ = watchproto_pin_to_cpu(Int32(clamping: pinnedCPU)) }
            body()
        }
        let context = unsafe Unmanaged.passRetained(box)
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, nil,
            { context in
                let box = unsafe Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
                box.run()
                return nil
            }, context.toOpaque())
        if failure != 0 {
            unsafe context.release()
            throw SystemErrorNumber(failure)
        }
        handle = Mutex(thread)
    }

    /// Waits for the end of the thread. A second call returns at once.
    package func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { _ = pthread_join(thread, nil) }
    }

    deinit {
        handle.withLock { if let thread = $0 { _ = pthread_detach(thread) } }
    }

    /// Lets other threads that wait for the CPU run before the calling one goes on.
    package static func giveWay() { sched_yield() }

    /// The number of the calling thread.
    static var current: UInt { UInt(pthread_self()) }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

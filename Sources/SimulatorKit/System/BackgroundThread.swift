internal import Glibc
internal import Synchronization

/// A thread of the system, for work that blocks.
final class BackgroundThread: Sendable {
    private let handle: Mutex<pthread_t?>

    /// Starts `body` on a thread of its own.
    init(_ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, nil,
            { context in
                let body = unsafe Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
                body.run()
                return nil
            }, box.toOpaque())
        precondition(failure == 0, "pthread_create: \(Descriptors.text(failure))")
        handle = Mutex(thread)
    }

    /// Waits for the end of the thread. A second call returns at once.
    func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { _ = pthread_join(thread, nil) }
    }

    deinit {
        handle.withLock { if let thread = $0 { _ = pthread_detach(thread) } }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

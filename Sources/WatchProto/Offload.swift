import WatchProtoTransport

/// Work that waits for the disk or for a thread, away from the cooperative threads.
enum Offload {
    /// Runs `body` on a thread of its own and waits without holding this one.
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
        }
        return try result.get()
    }

    /// Runs `body` on a thread of its own; where the system has none left, on this one.
    static func start(_ body: @escaping @Sendable () -> Void) {
        do throws(SystemErrorNumber) {
            _ = try SystemThread(body)
        } catch {
            body()
        }
    }
}

import Locks
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

    /// Runs `body` as one piece of work of a pool, and waits without holding this thread.
    static func run<Value: Sendable, Failure: Error>(
        in pool: WorkPool, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            pool.add { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
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

/// Work of which an application may ask any amount at once, on few threads, oldest first. No piece
/// waits for another one.
final class WorkPool: Sendable {
    private struct State {
        var pieces: ArraySlice<@Sendable () -> Void> = []
        var threads = 0
    }

    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: the largest number of threads. Each ends when nothing is left.
    init(threads most: Int) { self.most = most }

    func add(_ piece: @escaping @Sendable () -> Void) {
        let isFurther = state.withLock { state in
            state.pieces.append(piece)
            guard state.threads < most else { return false }
            state.threads += 1
            return true
        }
        if isFurther { start() }
    }

    /// Starts a thread. If the system has none left, it is asked again after a second.
    private func start() {
        do throws(SystemErrorNumber) {
            _ = try SystemThread { [self] in
                while let piece = next() { piece() }
            }
        } catch {
            Task.detached { [self] in
                try? await Task.sleep(for: .seconds(1))
                start()
            }
        }
    }

    /// The next piece; nil for none, and then the thread ends.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let piece = state.pieces.popFirst()
            if piece == nil { state.threads -= 1 }
            return piece
        }
    }
}

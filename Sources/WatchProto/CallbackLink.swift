import Locks

/// A link for a carrier whose system calls back, as those of WCSession and Core Bluetooth do.
///
/// The carrier's delegate calls ``received(_:)`` and ``ended(_:)`` from any thread.
public final class CallbackLink: CarrierLink {
    private typealias Send =
        @Sendable (
            _ bytes: [UInt8], _ done: @escaping @Sendable ((any Error)?) -> Void
        ) -> Void

    private struct State {
        /// The system's functions, until the link is closed: they hold what calls this link back.
        var system: (send: Send, close: @Sendable () -> Void)?
        var arrivedBytes = 0
        var error: (any Error)?
        /// The sending task.
        var sender: CheckedContinuation<Void, any Error>?
        var isEnded = false
    }

    private let arrived = ElementBuffer<[UInt8]>()
    private let state: Mutex<State>

    /// The most bytes that wait for the session. More of them end the link.
    private static let limitBytes = 1 << 20

    /// Makes an open link.
    ///
    /// - Parameters:
    ///   - send: gives bytes to the system. It calls `done` once the system can take more, with
    ///     the error if it failed.
    ///   - close: closes the system's connection.
    public init(
        send:
            @escaping @Sendable (
                _ bytes: [UInt8], _ done: @escaping @Sendable ((any Error)?) -> Void
            ) -> Void, close: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(system: (send, close)))
    }

    /// The system delivered bytes: one whole packet, or the next part of a stream.
    public func received(_ bytes: [UInt8]) {
        let isTooMuch = state.withLock { state in
            state.arrivedBytes += bytes.count
            return state.arrivedBytes > Self.limitBytes
        }
        if isTooMuch { return ended(CarrierOverrun()) }
        arrived.add(bytes)
    }

    /// The system closed the connection, with the error if it failed.
    public func ended(_ error: (any Error)? = nil) {
        let sender = state.withLock { state in
            if !state.isEnded { state.error = error }
            state.isEnded = true
            defer { state.sender = nil }
            return state.sender
        }
        sender?.resume(throwing: error ?? CancellationError())
        arrived.finish()
    }

    /// Gives the bytes to the system, and waits until it can take more.
    ///
    /// - Throws: the system's error.
    public func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let sendBytes = state.withLock { state -> Send? in
                guard !state.isEnded else { return nil }
                state.sender = continuation
                return state.system?.send
            }
            guard let sendBytes else { return continuation.resume(throwing: CancellationError()) }
            sendBytes(bytes) { [self] error in
                // The end of the link may have resumed the sending task before.
                let sender = state.withLock { state in
                    defer { state.sender = nil }
                    return state.sender
                }
                if let error {
                    sender?.resume(throwing: error)
                } else {
                    sender?.resume()
                }
            }
        }
    }

    /// Waits for the next bytes.
    ///
    /// - Throws: the error with which the link ended.
    public func receive() async throws -> [UInt8]? {
        if let bytes = await arrived.next() {
            state.withLock { $0.arrivedBytes -= bytes.count }
            return bytes
        }
        if let error = state.withLock({ $0.error }) { throw error }
        return nil
    }

    /// Closes the system's connection, and releases both functions.
    public func close() async {
        ended()
        let closeLink = state.withLock { state in
            defer { state.system = nil }
            return state.system?.close
        }
        closeLink?()
    }
}

/// The session did not read what arrived.
private struct CarrierOverrun: Error, CustomStringConvertible {
    var description: String { "more than 1,048,576 bytes arrived that the session did not read" }
}

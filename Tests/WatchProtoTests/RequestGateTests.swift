import Locks
import Testing

@testable import WatchProto

/// Requests of low priority that wait for a place.
@Suite(.timeLimit(.minutes(1))) struct RequestGateTests {
    @Test("Requests that wait go on in their order when the link gets better, or one ends")
    func admission() async throws {
        let gate = RequestGate()
        await gate.enter(1)
        let gone = Gone()
        var waiting: [Task<Void, Never>] = []
        for number in 1...3 {
            waiting.append(
                Task {
                    await gate.enter(1)
                    gone.numbers.withLock { $0.append(number) }
                })
            // Each one stands there before the next one comes.
            try await Task.sleep(for: .milliseconds(20))
        }
        gate.admit(1)
        try await Task.sleep(for: .milliseconds(20))
        #expect(gone.numbers.withLock { $0 } == [])
        gate.admit(2)
        await waiting[0].value
        #expect(gone.numbers.withLock { $0 } == [1])
        gate.leave(2)
        await waiting[1].value
        gate.leave(2)
        await waiting[2].value
        #expect(gone.numbers.withLock { $0 } == [1, 2, 3])
    }
}

/// The requests that went on.
private final class Gone: Sendable {
    let numbers = Mutex<[Int]>([])
}

import Locks
import Testing
import WatchProto

/// A connection of a system that calls back.
protocol Connection: Sendable {
    func send(_ bytes: [UInt8], completion: @escaping @Sendable ((any Error)?) -> Void)
    func cancel()
    func onReceive(_ body: @escaping @Sendable ([UInt8]) -> Void)
    func onEnd(_ body: @escaping @Sendable ((any Error)?) -> Void)
}

/// The code of the article on carriers.
@Suite(.timeLimit(.minutes(1))) struct ArticleTests {
    func link(over connection: some Connection) -> CallbackLink {
        let link = CallbackLink(
            send: { bytes, done in connection.send(bytes, completion: done) },
            close: { connection.cancel() })
        connection.onReceive { bytes in link.received(bytes) }
        connection.onEnd { error in link.ended(error) }
        return link
    }

    @Test func a_link_over_a_system_that_calls_back() async throws {
        let connection = Echo()
        let link = link(over: connection)
        try await link.send([1, 2])
        #expect(try await link.receive() == [1, 2])
        await link.close()
        #expect(try await link.receive() == nil)
        #expect(connection.isCancelled)
    }

    @Test func a_session_over_a_carrier() async throws {
        let carrier = MeetingPlace(.stream).carrier(.phone)
        let folder = try Folder()
        let path = folder.file("phone.journal")
        let session = try await CompanionSession(
            SessionOptions(
                role: .phone, carrier: carrier, journal: .file(path, key: .unsealed)))
        #expect(session.state.activation == .notActivated)
        await session.close()
    }
}

/// Gives back what it is given.
private final class Echo: Connection {
    private struct State {
        var receive: (@Sendable ([UInt8]) -> Void)?
        var isCancelled = false
    }

    private let state = Mutex(State())
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func send(_ bytes: [UInt8], completion: @escaping @Sendable ((any Error)?) -> Void) {
        state.withLock { $0.receive }?(bytes)
        completion(nil)
    }
    func cancel() { state.withLock { $0.isCancelled = true } }
    func onReceive(_ body: @escaping @Sendable ([UInt8]) -> Void) {
        state.withLock { $0.receive = body }
    }
    func onEnd(_ body: @escaping @Sendable ((any Error)?) -> Void) {}
}

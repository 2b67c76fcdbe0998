import Glibc
import Testing

@testable import WatchProtoTransport

/// A listener that gives up its path while somebody is on the way to it.
@Suite(.timeLimit(.minutes(1))) struct WithdrawalTests {
    /// A process may look the path up before its removal and connect after it. A second name of the
    /// socket reproduces that order.
    @Test(
        "a withdrawn listener refuses, and gives out who waits",
        arguments: ListenerTests.connected)
    func withdrawal(_ kind: SocketKind) throws {
        let directory = TemporaryDirectory()
        let source = ListenerSource(path: directory.file("s"), kind: kind)
        try source.prepare()
        let other = directory.file("t")
        try #require(unsafe link(directory.file("s"), other) == 0)
        let (early, late) = (try kind.make().get(), try kind.make().get())
        defer {
            for number in [early, late] { DescriptorCall.close(number) }
            source.close(leavingFiles: false)
            _ = unsafe unlink(other)
        }
        _ = try SocketPath.connect(early, to: other).get()
        source.withdraw()
        guard case .failure(let refusal) = SocketPath.connect(late, to: other) else {
            Issue.record("it waits at a door that is closed behind it")
            return
        }
        #expect(refusal.rawValue == ECONNREFUSED)
        guard case .opened(let carrier) = source.open(.sign) else {
            Issue.record("who came in time is gone")
            return
        }
        carrier.close()
    }
}

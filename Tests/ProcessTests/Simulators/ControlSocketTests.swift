import CPosix
import ControlProtocol
import Glibc
import Testing

/// The control channel at a Unix socket belongs to its owner and to one process.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ControlSocketTests {
    private let bench = Bench()

    private func start(_ place: Int = 0) throws -> Program {
        try Program(
            "WatchSim",
            [
                "--link", "unix:\(bench.path("l\(place)"))", "--control",
                "unix:\(bench.path("c"))", "--unsealed",
            ], awaitsReady: false)
    }

    private func mode(_ name: String) -> UInt32? {
        var found = stat()
        let result = unsafe lstat(bench.path(name), &found)
        return result == 0 ? found.st_mode & 0o7777 : nil
    }

    private func poll(until condition: () -> Bool) -> Bool {
        for _ in 0..<500 where !condition() { usleep(10_000) }
        return condition()
    }

    private var isAnswered: Bool {
        let number = Bench.connect(bench.path("c"))
        defer { if number >= 0 { close(number) } }
        return number >= 0
    }

    @Test func only_its_owner_may_open_it_whatever_the_umask() throws {
        let former = umask(0)
        defer { umask(former) }
        let watch = try start()
        #expect(poll { isAnswered && mode("l0") != nil })
        #expect(mode("c") == 0o600)
        #expect(mode("l0") == 0o600)
        watch.signal(SIGTERM)
        #expect(try watch.awaitEnd() == .exited(0))
    }

    @Test func of_many_that_want_one_path_one_gets_it() throws {
        // A dead socket stands there, which each of them would replace.
        let path = Array(bench.path("c").utf8)
        let dead = unsafe watchproto_listen_for_control(path, path.count)
        close(dead)
        #expect(mode("c") == 0o600)
        let all = try (0..<8).map { try start($0) }
        var ended = 0
        for program in all {
            // The programs that did not get it end by themselves.
            if (try? program.awaitEnd(seconds: 2)) == .exited(69) { ended += 1 }
        }
        #expect(ended == 7)
        #expect(isAnswered)
        for program in all { program.signal(SIGTERM) }
    }
}

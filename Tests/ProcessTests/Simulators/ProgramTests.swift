import ControlProtocol
import Glibc
import Testing

/// A program under test as the tests drive it.
@Suite(.timeLimit(.minutes(1))) struct ProgramTests {
    /// A program gets its own streams, whichever descriptors are free. In a test run with about 200
    /// open descriptors, programs once started with a wrong output.
    @Test func its_streams_are_its_own_wherever_its_pipes_stand() throws {
        var held: [Int32] = []
        defer { for number in held { close(number) } }
        for _ in 0..<230 {
            let spare = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            try #require(spare >= 0)
            held.append(spare)
            guard spare >= 190 else { continue }
            let script = "read line; printf '%s\\n' \"$line\"; printf told >&2"
            let shell = try Program("/bin/sh", ["-c", script], awaitsReady: false)
            shell.write("{\"said\":\(spare)}\n")
            #expect(try shell.line(within: 5)["said"] == .integer(Int64(spare)))
            #expect(try shell.awaitEnd() == .exited(0))
            #expect(shell.errorText() == "told")
        }
    }

    /// The tests go on after a write to a program that has ended. Without a guard, SIGPIPE ended
    /// all of them.
    @Test func a_program_that_has_ended_leaves_the_tests_running() throws {
        let shell = try Program("/bin/sh", ["-c", "exit 3"], awaitsReady: false)
        #expect(try shell.awaitEnd() == .exited(3))
        #expect(!shell.write("{}\n"))
    }
}

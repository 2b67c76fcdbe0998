import CommandLine
import Glibc
import Reports

// A stream that was closed is opened, for reading: else a socket or a file of the run would take
// its number, and the report, or a line of progress, would be written into that.
for stream in Int32(0)...2 where fcntl(stream, F_GETFD) == -1 {
    _ = unsafe open("/dev/null", O_RDONLY)
}
// The signal thread comes before everything else: threads inherit which signals are blocked.
Interrupts.install()
// Should a simulator crash, its last lines on stderr are to say why, not to list registers.
unsafe setenv("SWIFT_BACKTRACE", "color=no,interactive=no,registers=none,images=none,limit=8", 0)
do throws(RigFailure) {
    exit(Program().run(try GivenArguments.ofThisProcess()).rawValue)
} catch {
    ReportWriter.complain(error)
    exit(error.exitCode.rawValue)
}

import ControlKit
import Glibc
import RigKit

// The signal thread comes before everything else: threads inherit which signals are blocked.
Interrupts.install()
// Should a simulator crash, its last lines on stderr are to say why, not to list registers.
unsafe setenv("SWIFT_BACKTRACE", "color=no,interactive=no,registers=none,images=none,limit=8", 0)
exit(Program().run(Array(CommandLine.arguments.dropFirst())).rawValue)

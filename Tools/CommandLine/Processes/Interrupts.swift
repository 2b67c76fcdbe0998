import CPosix
import Glibc
import Locks

/// Turns Ctrl-C (and SIGTERM, SIGHUP) into something that can be waited for.
///
/// The first one asks the run to stop in order; the second ends every child and this process at
/// once.
package enum Interrupts {
    private static let flag = Atomic<Bool>(false)
    private static let directories = Mutex<Set<String>>([])
    private static let descriptor = Atomic<Int32>(-1)

    /// Whether the user asked to stop.
    package static var isRequested: Bool { flag.load(ordering: .acquiring) }

    /// - Throws: exit code 130 once the user asked to stop.
    package static func check() throws(RigFailure) {
        if isRequested { throw failure }
    }

    /// Readable once the user asked to stop; -1 before ``install()``.
    package static var waitDescriptor: Int32 { descriptor.load(ordering: .acquiring) }

    /// Notes a directory of temporary files, which goes when the process is ended at once.
    static func note(_ path: String) { _ = directories.withLock { $0.insert(path) } }

    /// One that is gone.
    static func forget(_ path: String) { _ = directories.withLock { $0.remove(path) } }

    /// Starts to listen. Call once, before any other thread starts, since threads inherit which
    /// signals they block.
    package static func install() {
        // A reader that has gone and a file that has grown too large are errors of a write.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor.store(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), ordering: .releasing)
        var thread = pthread_t()
        unsafe pthread_create(
            &thread, nil,
            { _ in
                Interrupts.listen()
                return nil
            }, nil)
    }

    private static func listen() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, number) }
        var seen = 0
        while true {
            var number: Int32 = 0
            guard unsafe sigwait(&set, &number) == 0 else { continue }
            seen += 1
            if seen > 1 {
                ChildRegistry.killAll {
                    for path in directories.withLock({ $0 }) { Files.removeDirectory(path) }
                    _exit(ExitCode.interrupted.rawValue)
                }
            }
            flag.store(true, ordering: .releasing)
            eventfd_write(waitDescriptor, 1)
        }
    }

    /// The failure with which an interrupted run ends.
    package static let failure = RigFailure(
        .interrupted, "Interrupted.")
}

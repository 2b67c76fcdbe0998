internal import Glibc

enum ProcessFacts {
    /// The number of this process.
    static var pid: Int32 { getpid() }

    /// How this program was built: `release` or `debug`.
    #if DEBUG
        static let build = "debug"
    #else
        static let build = "release"
    #endif

    /// How many CPUs the machine has, those switched off included; at least 1.
    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_CONF))) }

    /// Whether the directory in which `path` stands, or would, is there; one that may not be looked
    /// at counts as there.
    static func hasDirectory(of path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let directory = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
        // The slash at the end makes a file in its place an error as well.
        return unsafe access(directory, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }
}

internal import Glibc

enum ProcessFacts {
    /// The number of this process.
    static var pid: Int32 { getpid() }
}

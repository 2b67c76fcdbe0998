internal import Glibc

enum ProcessFacts {
    /// The number of this process.
    static var pid: Int32 { getpid() }

    /// How many CPUs the machine has, those switched off included; at least 1.
    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_CONF))) }
}

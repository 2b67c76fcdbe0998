internal import Glibc

/// The log of a simulator: lines on standard error. Names, dosages, identities and payloads do not
/// belong here.
package enum StandardError {
    /// Writes one line with one write.
    package static func write(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        unsafe bytes.withUnsafeBytes { bytes in
            _ = unsafe Glibc.write(2, bytes.baseAddress, bytes.count)
        }
    }
}

/// How a simulator ends; the codes are BSD's sysexits.
package enum SimulatorExit: Int32, Sendable {
    /// As asked: `quit`, the end of its input, SIGTERM.
    case done = 0
    /// Bad command line.
    case usage = 64
    /// A file does not hold what it should: a journal of a newer program, or a damaged one.
    case badData = 65
    /// Something that must exist does not: the directory of a socket, a descriptor.
    case missing = 66
    /// The link or the control channel cannot be had.
    case unavailable = 69
    /// The system refused a call.
    case system = 71
    /// A file cannot be written.
    case cannotWrite = 73
    /// The key or passphrase does not open the journal.
    case noPermission = 77

    /// Ends the process at once.
    package func exit() -> Never { Glibc.exit(rawValue) }
}

internal import CPosix
internal import Glibc

/// Blocking reads and writes, with interruptions retried.
enum Descriptors {
    /// A stream that was closed is opened, for reading: else a socket or the journal would take its
    /// number, and events, or a line of the log, would be written into that.
    static func openStandardStreams() {
        for stream in Int32(0)...2 where fcntl(stream, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", O_RDONLY)
        }
    }

    /// Reads once.
    ///
    /// - Returns: how many bytes came, 0 at the end, nil on failure.
    static func read(_ number: Int32, into buffer: inout [UInt8]) -> Int? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
            }
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }

    /// Writes all of `bytes`: with one call unless the system takes less.
    ///
    /// - Returns: whether all were taken.
    static func write(_ bytes: [UInt8], to number: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    number, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if count >= 0 {
                offset += count
            } else if errno == EAGAIN {
                // The process that passed us the descriptor made it non-blocking.
                var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = unsafe Glibc.poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

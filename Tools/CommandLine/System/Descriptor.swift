import CPosix
import Glibc

/// An open file descriptor, closed when the value is dropped.
package struct Descriptor: ~Copyable {
    /// The number the system knows it by.
    package let number: Int32

    /// Takes over `number`.
    package init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    /// Writes all of `bytes`, however many calls that takes.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `write`.
    package borrowing func write(_ bytes: [UInt8], to subject: String) throws(SystemError) {
        try Self.write(bytes, to: number, subject: subject)
    }

    /// Writes all of `bytes` to a descriptor that somebody else owns, such as stdout.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `write`.
    package static func write(
        _ bytes: [UInt8], to number: Int32, subject: String
    ) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(number, buffer.baseAddress! + offset, buffer.count - offset)
            }
            if written >= 0 {
                offset += written
            } else if errno == EAGAIN {
                var poller = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&poller, 1, -1)
            } else if errno != EINTR {
                throw SystemError("write", subject)
            }
        }
    }
}

/// Both ends of a pipe; neither survives `exec` unless it is duplicated for a child.
struct PipeEnds: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor

    /// Opens the pipe.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `pipe2`.
    init() throws(SystemError) {
        var numbers: [Int32] = [-1, -1]
        guard unsafe pipe2(&numbers, O_CLOEXEC) == 0 else { throw SystemError("pipe2", "") }
        reading = Descriptor(owning: numbers[0])
        writing = Descriptor(owning: numbers[1])
    }
}

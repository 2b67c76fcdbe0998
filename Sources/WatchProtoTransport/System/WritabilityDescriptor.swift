internal import CPosix
internal import Glibc

/// A writability descriptor: tells a thread that sleeps in `poll` that there is room to write
/// (`eventfd`).
package final class WritabilityDescriptor: Sendable {
    /// Writable while there is room.
    package let number: Int32

    /// Makes a descriptor that is writable.
    package init() throws(SystemErrorNumber) {
        number = try retryOnInterrupt { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }.get()
    }

    /// Marks that there is no room: a full counter cannot be written. A second call changes
    /// nothing.
    package func fill() { _ = eventfd_write(number, eventfd_t.max - 1) }

    /// Marks that there is room. A second call changes nothing.
    package func free() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(number, &count)
    }

    deinit { DescriptorCall.close(number) }
}

internal import CPosix
internal import Glibc

/// Tells a thread that sleeps in `poll` that there is room to write (`eventfd`).
package final class RoomDescriptor: Sendable {
    /// Writable while there is room.
    package let number: Int32

    /// Makes a descriptor that says there is room.
    package init() throws(SystemErrorNumber) {
        number = try retryOnInterrupt { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }.get()
    }

    /// There is no room: a full counter cannot be written to. Twice is as once.
    package func fill() { _ = eventfd_write(number, eventfd_t.max - 1) }

    /// There is room again. Twice is as once.
    package func free() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(number, &count)
    }

    deinit { DescriptorCall.close(number) }
}

internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// A set of descriptors behind one that is readable while any of them is (`epoll`).
final class ReadySet: Sendable {
    /// Readable while a descriptor of the set is.
    let descriptor: Int32

    init() throws(SystemErrorNumber) {
        descriptor = try retryOnInterrupt { watchproto_epoll_open() }.get()
    }

    /// Watches a descriptor under a name. It leaves the set when it is closed.
    @discardableResult
    func add(_ descriptor: Int32, name: UInt64) -> Bool {
        watchproto_epoll_add(self.descriptor, descriptor, name) == 0
    }

    /// Stops watching a descriptor.
    func remove(_ descriptor: Int32) {
        _ = watchproto_epoll_remove(self.descriptor, descriptor)
    }

    /// The names of those that are readable now, at most 64.
    func ready() -> [UInt64] {
        var names = [UInt64](repeating: 0, count: 64)
        let count = unsafe names.withUnsafeMutableBufferPointer { names in
            unsafe watchproto_epoll_ready(descriptor, names.baseAddress, Int32(names.count))
        }
        return Array(names.prefix(max(0, Int(count))))
    }

    deinit { DescriptorCall.close(descriptor) }
}

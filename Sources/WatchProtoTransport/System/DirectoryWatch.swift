internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// Notices when a file of one name appears in its directory or is made ready (`inotify`).
final class DirectoryWatch: Sendable {
    /// Readable after an event in the directory.
    let descriptor: Int32
    private let name: [UInt8]

    /// Nil if the directory does not exist or the system has no watch left. Then the peer's backoff
    /// alone decides when to try again.
    init?(_ path: String) {
        name = Array(SocketPath.name(of: path).utf8)
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        if descriptor < 0 { return nil }
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR)
        let watch = unsafe SocketPath.directory(of: path).withCString {
            unsafe inotify_add_watch(descriptor, $0, mask)
        }
        if watch < 0 { return nil }
    }

    deinit { if descriptor >= 0 { DescriptorCall.close(descriptor) } }

    /// Takes the events since the last call; true if one concerned the name.
    func takeSign() -> Bool {
        var concernsName = false
        var events = [UInt8](repeating: 0, count: 4096)
        while true {
            var span = events.mutableSpan
            guard case .bytes(let count) = DescriptorCall.read(descriptor, into: &span) else {
                return concernsName
            }
            // Each event: watch, mask, cookie, name length (4 bytes each), then the name, padded.
            var offset = 0
            while offset + 16 <= count {
                var length = 0
                for index in 0..<4 { length |= Int(events[offset + 12 + index]) << (8 * index) }
                let end = min(offset + 16 + length, count)
                let found = events[(offset + 16)..<end].prefix { $0 != 0 }
                if found.elementsEqual(name) { concernsName = true }
                offset += 16 + length
            }
        }
    }
}

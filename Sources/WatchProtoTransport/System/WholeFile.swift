internal import CPosix
internal import Glibc

/// Reads whole files.
package enum WholeFile {
    /// Whether anything stands at the path, or nobody can say.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 || errno != ENOENT
    }

    /// The bytes of the file; nil if it cannot be read or has more than `limit`.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        let number = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { return nil }
        defer { DescriptorCall.close(number) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var span = chunk.mutableSpan
            switch DescriptorCall.read(number, into: &span) {
            case .ended: return bytes
            case .bytes(let count):
                bytes += chunk.prefix(count)
                if bytes.count > limit { return nil }
            default: return nil
            }
        }
    }
}

internal import CPosix
internal import Glibc
internal import WatchTransport

/// What stands at a path, seen without changing anything.
enum FileLook {
    enum Kind { case nothing, file, directory, other }

    static func kind(of path: String) throws(JournalError) -> (Kind, size: Int) {
        var size: UInt64 = 0
        switch unsafe watchproto_file_kind(path, &size) {
        case 0: return (.nothing, 0)
        case 1: return (.file, Int(clamping: size))
        case 2: return (.directory, 0)
        case 3: return (.other, 0)
        default: throw systemError("stat", errno, path)
        }
    }

    /// The bytes of a file from `offset`, fewer at its end; nil when it cannot be read.
    static func bytes(of path: String, from offset: Int = 0, count: Int) -> [UInt8]? {
        let descriptor = unsafe watchproto_open_to_read(path)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let start = filled
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress! + start, count - start, offset + start)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            filled += got
        }
        return Array(bytes[..<filled])
    }

    static func canWrite(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func systemError(_ call: String, _ number: Int32, _ path: String) -> JournalError {
        let kind: JournalError.Kind =
            switch number {
            case EACCES, EROFS, EPERM: .readOnly
            case ENOSPC, EDQUOT: .diskFull
            default: .system
            }
        return JournalError(
            kind, path: path, "\(call): \(SystemError.text(number)) (error \(number))")
    }
}

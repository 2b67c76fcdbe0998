internal import CPosix
internal import Glibc
internal import WatchProtoTransport

/// Examines the file at a path without changing anything.
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
        FileReader(path)?.bytes(from: offset, count: count)
    }

    static func canWrite(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The file's path without symbolic links; if there is no file yet, the path that it will have.
    static func resolved(_ path: String) throws(JournalError) -> String {
        if let found = try realPath(path, path) { return found }
        // Made at the link's end it would be another directory's file than the name says.
        guard unsafe watchproto_is_link(path) == 0 else {
            throw JournalError(.notAJournal, path: path, "it is a symbolic link to nothing")
        }
        let directory = directory(of: path)
        guard let found = try realPath(directory, path) else {
            throw JournalError(.system, path: path, "there is no directory '\(directory)'")
        }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return found == "/" ? "/\(name)" : "\(found)/\(name)"
    }

    /// The path without symbolic links; nil if there is no file.
    private static func realPath(
        _ path: String, _ journal: String
    ) throws(JournalError) -> String? {
        guard let bytes = unsafe realpath(path, nil) else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw systemError("realpath '\(path)'", errno, journal)
        }
        defer { unsafe free(bytes) }
        guard let found = unsafe String(validatingCString: bytes) else {
            throw JournalError(
                .system, path: journal, "realpath '\(path)': a directory's name is not UTF-8")
        }
        return found
    }

    static func systemError(_ call: String, _ number: Int32, _ path: String) -> JournalError {
        let kind: JournalError.Kind =
            switch number {
            case EACCES, EROFS, EPERM: .readOnly
            case ENOSPC, EDQUOT: .diskFull
            default: .system
            }
        return JournalError(
            kind, path: path, "\(call): \(SystemErrorText.of(number)) (error \(number))")
    }
}

/// A file open for reading.
@safe struct FileReader: ~Copyable {
    private let descriptor: Int32

    /// Opens the file, without waiting if it is a pipe or a device; nil if it cannot be opened.
    init?(_ path: String) {
        descriptor = unsafe watchproto_open_to_read(path)
        guard descriptor >= 0 else { return nil }
    }

    deinit { _ = close(descriptor) }

    /// The bytes from `offset`, fewer at the end.
    func bytes(from offset: Int, count: Int) -> [UInt8] {
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
}

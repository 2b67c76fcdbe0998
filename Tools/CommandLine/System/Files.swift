import CPosix
import Glibc

/// The few operations on files that the rig needs.
package enum Files {
    /// Writes `bytes` to `path` so that a reader sees the old content or the new, never half of it:
    /// into a file beside it that is synchronised and then renamed.
    ///
    /// - Parameters:
    ///   - bytes: the whole new content.
    ///   - path: the file.
    ///   - mode: who may read and write it, as for chmod(2).
    /// - Throws: the system's refusal; the old content is then untouched.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o644
    ) throws(SystemError) {
        // A device or a pipe cannot be replaced by a file: it is written directly.
        guard isRegularOrAbsent(path) else {
            let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard number >= 0 else { throw SystemError("open", path) }
            return try Descriptor(owning: number).write(bytes, to: path)
        }
        try write(to: path, mode: mode) { write throws(SystemError) in try write(bytes) }
    }

    /// Makes the file `path` of the pieces that `body` gives to its argument, or replaces it; a
    /// reader sees the old content or the new, never half of it.
    ///
    /// - Throws: the system's refusal; the old content is then untouched.
    package static func write(
        to path: String, mode: UInt32,
        _ body: (_ write: ([UInt8]) throws(SystemError) -> Void) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = "\(path).\(getpid()).tmp"
        let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("open", path) }
        do throws(SystemError) {
            let file = Descriptor(owning: number)
            try body { bytes throws(SystemError) in try file.write(bytes, to: path) }
            guard fsync(file.number) == 0 else { throw SystemError("fsync", path) }
            guard unsafe rename(temporary, path) == 0 else { throw SystemError("rename", path) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Writes `bytes` to `path`, where nothing may stand yet.
    ///
    /// - Throws: `EEXIST` where something does; else the system's refusal.
    package static func create(
        _ bytes: [UInt8], at path: String, mode: UInt32
    ) throws(SystemError) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("open", path) }
        let file = Descriptor(owning: number)
        try file.write(bytes, to: path)
        guard fsync(file.number) == 0 else { throw SystemError("fsync", path) }
    }

    /// Makes the directory `path` and those above it, where they are missing.
    ///
    /// - Returns: those that it made, the uppermost first.
    /// - Throws: the system's refusal, or `ENOTDIR` where something else has the name.
    @discardableResult
    package static func makeDirectory(_ path: String) throws(SystemError) -> [String] {
        var made: [String] = []
        var partial = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            partial += partial.isEmpty || partial.hasSuffix("/") ? "\(part)" : "/\(part)"
            if unsafe mkdir(partial, 0o777) == 0 {
                made.append(partial)
            } else if errno != EEXIST {
                throw SystemError("mkdir", partial)
            }
        }
        guard isDirectory(path) else { throw SystemError("mkdir", path, number: ENOTDIR) }
        return made
    }

    /// Removes the directory `path` where nothing is in it.
    package static func removeEmptyDirectory(_ path: String) { _ = unsafe rmdir(path) }

    /// Where temporary files go: what TMPDIR says, else `/tmp`.
    package static var temporaryBase: String {
        environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }

    /// Makes a directory of its own under the one for temporary files; only its user may enter.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `mkdtemp`.
    package static func makeTemporaryDirectory(
        _ prefix: String, in directory: String? = nil
    ) throws(SystemError) -> String {
        let base = directory ?? temporaryBase
        let template = "\(base)/\(prefix).XXXXXX"
        var bytes = template.utf8CString
        let made = unsafe bytes.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let path = unsafe mkdtemp(buffer.baseAddress!) else { return nil }
            return unsafe String(cString: path)
        }
        guard let made else { throw SystemError("mkdtemp", template) }
        Interrupts.note(made)
        return made
    }

    /// Removes the file `path`; one that is gone already is no fault.
    package static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// The names of what is in the directory `path`, in their order; empty where it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes the directory `path` with its content; a missing file is no fault.
    package static func removeDirectory(_ path: String) {
        for name in names(in: path) {
            // A directory is no link: the target of a link stays.
            if unsafe unlink("\(path)/\(name)") != 0, errno == EISDIR {
                removeDirectory("\(path)/\(name)")
            }
        }
        unsafe rmdir(path)
        Interrupts.forget(path)
    }

    /// Whether what is written below the directory `path` goes to memory and to no disk.
    package static func isInMemory(_ path: String) -> Bool {
        unsafe watchproto_is_in_memory(path) != 0
    }

    /// How long the file at `path` is, in bytes; nil when it cannot be looked at.
    package static func size(_ path: String) -> UInt64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return UInt64(max(0, status.st_size))
    }

    /// When what stands at `path` was last written, in nanoseconds since 1970-01-01T00:00Z; nil
    /// when it cannot be looked at.
    package static func changeNanoseconds(_ path: String) -> Int64? {
        let moment = unsafe watchproto_modification_nanoseconds(path)
        return moment < 0 ? nil : moment
    }

    /// The kind of the file at `path`, such as a directory or a named pipe; nil for a regular file,
    /// and where there is none.
    package static func kindUnlessRegular(_ path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a directory"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// The whole content of `path`, at most `limit` bytes.
    ///
    /// - Throws: the system's refusal; `EFBIG` for a longer file.
    package static func read(_ path: String, limit: Int = 1 << 28) throws(SystemError) -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open", path) }
        let file = Descriptor(owning: number)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file.number, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("read", path)
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw SystemError("read", path, number: EFBIG) }
        }
    }

    /// Asks the system to drop its copy of a file's content, so that the next read is one of the
    /// disk. A system that keeps it, such as one whose files are in memory, is not at fault.
    package static func forgetContent(of path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
    }

    /// Whether `path` names a file that may be executed.
    package static func isExecutable(_ path: String) -> Bool {
        unsafe access(path, X_OK) == 0 && !isDirectory(path)
    }

    /// Whether anything stands at `path`.
    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether `path` is a directory.
    package static func isDirectory(_ path: String) -> Bool {
        mode(of: path).map { $0 & S_IFMT == S_IFDIR } ?? false
    }

    /// Whether files can be made in the directory `path`.
    package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }

    /// The value of an environment variable.
    package static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// The path of this program; nil where the system does not say.
    ///
    /// Read from `/proc/self/exe` (proc(5)).
    package static var ownExecutable: String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe readlink("/proc/self/exe", buffer.baseAddress!, buffer.count)
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    private static func isRegularOrAbsent(_ path: String) -> Bool {
        mode(of: path).map { $0 & S_IFMT == S_IFREG } ?? true
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode : nil
    }
}

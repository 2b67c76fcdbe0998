internal import CPosix
internal import Glibc

/// A regular file, read and written at offsets. It is closed with its value.
package struct OpenFile: ~Copyable, Sendable {
    /// The marks that distinguish a content from a later one at the same path.
    package struct Stamp: Hashable, Sendable {
        /// Bytes.
        package var size: UInt64
        /// Nanoseconds since 1970.
        package var modified: Int64

        /// Makes the stamp of these parts.
        package init(size: UInt64, modified: Int64) {
            self.size = size
            self.modified = modified
        }
    }

    private let descriptor: Int32

    /// Its descriptor, which lives as long as the value.
    package var number: Int32 { descriptor }

    /// Opens a file for reads.
    ///
    /// - Throws: the error number; for a directory or a device that of a directory.
    package init(reading path: String) throws(SystemErrorNumber) {
        descriptor = try Self.open(path, O_RDONLY | O_NONBLOCK)
    }

    /// Opens a file for reads and writes, and makes it where there is none.
    ///
    /// - Throws: the error number; for a link, and for a file that has another name as well, that
    ///   of a loop of links.
    package init(writing path: String) throws(SystemErrorNumber) {
        descriptor = try Self.open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mostNames: 1)
    }

    private static func open(
        _ path: String, _ flags: Int32, mostNames: nlink_t = .max
    ) throws(SystemErrorNumber) -> Int32 {
        let number = try retryOnInterrupt {
            unsafe path.withCString { unsafe Glibc.open($0, flags | O_CLOEXEC, 0o600) }
        }.get()
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            DescriptorCall.close(number)
            throw SystemErrorNumber(EISDIR)
        }
        guard status.st_nlink <= mostNames else {
            DescriptorCall.close(number)
            throw SystemErrorNumber(ELOOP)
        }
        return number
    }

    deinit { DescriptorCall.close(descriptor) }

    /// The size and the time of the last change.
    ///
    /// - Throws: the error number.
    package func stamp() throws(SystemErrorNumber) -> Stamp {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemErrorNumber(errno) }
        return Stamp(
            size: UInt64(max(0, status.st_size)),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }

    /// The bytes that are free on the disk of the file.
    ///
    /// - Throws: the error number.
    package func freeBytes() throws(SystemErrorNumber) -> UInt64 {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw SystemErrorNumber(errno) }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// At most `count` bytes, behind those of `head`; fewer at the end of the file.
    ///
    /// - Throws: the error number.
    package func read(
        at offset: UInt64, count: Int, behind head: [UInt8] = []
    ) throws(SystemErrorNumber) -> [UInt8] {
        var failure: SystemErrorNumber?
        let all = head.count + count
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: all) { buffer, filled in
            filled = unsafe buffer.update(fromContentsOf: head)
            while filled < all {
                let result = retryOnInterrupt {
                    unsafe pread(
                        descriptor, buffer.baseAddress! + filled, all - filled,
                        off_t(offset) + off_t(filled - head.count))
                }
                guard case .success(let taken) = result, taken > 0 else {
                    if case .failure(let number) = result { failure = number }
                    return
                }
                filled += taken
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes.
    ///
    /// - Throws: the error number; some of the bytes may be written.
    package func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(SystemErrorNumber) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                retryOnInterrupt {
                    unsafe pwrite(
                        descriptor, buffer.baseAddress! + written, bytes.count - written,
                        off_t(offset) + off_t(written))
                }
            }
            written += try result.get()
        }
    }

    /// Cuts the file off behind `size` bytes.
    ///
    /// - Throws: the error number.
    package func truncate(to size: UInt64) throws(SystemErrorNumber) {
        _ = try retryOnInterrupt { ftruncate(descriptor, off_t(size)) }.get()
    }

    /// Waits until everything written is on the disk.
    ///
    /// - Throws: the error number.
    package func sync() throws(SystemErrorNumber) {
        _ = try retryOnInterrupt { fdatasync(descriptor) }.get()
    }
}

/// Directories, and names in them.
package enum Directories {
    /// The path from the root, without links.
    ///
    /// - Throws: the error number.
    package static func absolute(_ path: String) throws(SystemErrorNumber) -> String {
        guard let bytes = unsafe path.withCString({ unsafe realpath($0, nil) }) else {
            throw SystemErrorNumber(errno)
        }
        defer { unsafe free(bytes) }
        return unsafe String(cString: bytes)
    }

    /// Makes a directory, unless there is one, and waits until its name is on the disk.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - followsLink: whether a link to a directory counts as one.
    /// - Throws: the error number; that of no directory if something else has the name.
    package static func make(
        _ path: String, followsLink: Bool = true
    ) throws(SystemErrorNumber) {
        if unsafe path.withCString({ unsafe mkdir($0, 0o700) }) == 0 {
            return try sync("\(path)/..")
        }
        guard errno == EEXIST else { throw SystemErrorNumber(errno) }
        guard isDirectory(path, followsLink: followsLink) else { throw SystemErrorNumber(ENOTDIR) }
    }

    /// Whether a path names a directory.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - followsLink: whether a link to a directory counts as one.
    package static func isDirectory(_ path: String, followsLink: Bool) -> Bool {
        var status = stat()
        let flags = followsLink ? 0 : AT_SYMLINK_NOFOLLOW
        let found = unsafe path.withCString { unsafe fstatat(AT_FDCWD, $0, &status, flags) }
        return found == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Gives a file another name, which it takes from any other one.
    ///
    /// - Throws: the error number.
    package static func rename(_ path: String, to other: String) throws(SystemErrorNumber) {
        let status = unsafe path.withCString { from in
            unsafe other.withCString { unsafe Glibc.rename(from, $0) }
        }
        if status != 0 { throw SystemErrorNumber(errno) }
    }

    /// Gives a file another name if nothing has that name.
    ///
    /// - Returns: whether it did.
    package static func renameUnlessUsed(_ path: String, as other: String) -> Bool {
        let status = unsafe path.withCString { from in
            unsafe other.withCString { unsafe link(from, $0) }
        }
        if status == 0 { remove(path) }
        return status == 0
    }

    /// The names in a directory; none for a directory that cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = unsafe path.withCString({ unsafe opendir($0) }) else { return [] }
        defer { _ = unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file, or an empty directory. One that is gone is no error.
    package static func remove(_ path: String) {
        _ = unsafe path.withCString { unsafe Glibc.remove($0) }
    }

    /// Waits until the names in a directory are on the disk.
    ///
    /// - Throws: the error number.
    package static func sync(_ path: String) throws(SystemErrorNumber) {
        let descriptor = try retryOnInterrupt {
            unsafe path.withCString { unsafe Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        }.get()
        defer { DescriptorCall.close(descriptor) }
        _ = try retryOnInterrupt { fsync(descriptor) }.get()
    }
}

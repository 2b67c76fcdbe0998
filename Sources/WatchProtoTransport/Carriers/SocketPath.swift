internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// A socket file that this process has claimed. Its inode is kept, so that only this process's own
/// file is removed.
package struct SocketPath: Sendable {
    package let path: String
    private let device: UInt
    private let inode: UInt

    /// Binds `descriptor` to `path`. A socket file whose process is dead is replaced. A live
    /// socket, and a file that is not a socket, are left alone.
    ///
    /// - Parameters:
    ///   - path: where the socket file goes.
    ///   - descriptor: a socket that is not bound yet.
    ///   - mayLookAgain: called with the number of looks so far if a live socket has the path. It
    ///     waits a moment and returns true, or returns false to count the path as held.
    /// - Throws: ``LinkError`` if the path is held or is no socket, or the system refuses.
    package static func claim(
        _ path: String, binding descriptor: Int32,
        whileHeld mayLookAgain: (_ looks: Int) -> Bool = pauseBetweenLooks
    ) throws(LinkError) -> SocketPath {
        var looks = 0
        while true {
            if let claim = try claimNow(path, binding: descriptor) { return claim }
            looks += 1
            guard mayLookAgain(looks) else { throw .heldByAnotherProcess(path: path) }
        }
    }

    /// Waits a millisecond, for up to 250 looks.
    ///
    /// A program that is being started holds copies of its parent's descriptors until it runs. If
    /// the parent dies meanwhile, its socket lives a moment longer without an owner. Measured:
    /// mostly 2 ms; with ten busy threads on two cores, 105 ms at most in a thousand runs. A socket
    /// that lives for a quarter of a second therefore has an owner.
    private static func pauseBetweenLooks(_ looks: Int) -> Bool {
        usleep(1_000)
        return looks < 250
    }

    /// Tries once, with the directory locked against other processes that replace a socket in it.
    /// Nil if a live socket has the path. Waiting happens without the lock. Others go on without
    /// the lock if it takes too long.
    private static func claimNow(
        _ path: String, binding descriptor: Int32
    ) throws(LinkError) -> SocketPath? {
        let directory = unsafe directory(of: path).withCString { text in
            retryOnInterrupt { unsafe watchproto_lock_directory(text, 40) }
        }
        let lock = try directory.orLinkError("open", on: "the directory of '\(path)'")
        defer { watchproto_unlock_directory(lock) }
        if case .failure(let number) = bind(descriptor, path) {
            guard number.rawValue == EADDRINUSE else {
                throw .system(number.failure(of: "bind"), subject: "'\(path)'")
            }
            guard try removeStale(path) else { return nil }
            _ = try bind(descriptor, path).orLinkError("bind", on: "'\(path)'")
        }
        guard let found = status(of: path) else {
            throw .system(CarrierFailure(call: "stat", errorNumber: errno), subject: "'\(path)'")
        }
        return SocketPath(path: path, device: UInt(found.st_dev), inode: UInt(found.st_ino))
    }

    /// Allows only the owner to connect. A process that watches the directory sees that the socket
    /// is ready.
    package func announce() {
        _ = unsafe path.withCString { unsafe chmod($0, 0o600) }
    }

    /// Removes the file, if it is still this process's own.
    package func remove() {
        guard let found = Self.status(of: path), UInt(found.st_dev) == device,
            UInt(found.st_ino) == inode
        else { return }
        _ = unsafe path.withCString { unsafe unlink($0) }
    }

    /// Whether a live socket is bound to `path`. The test does not disturb it: a datagram socket
    /// connects without sending. A live socket of another kind refuses with another error than a
    /// dead file.
    private static func isAlive(_ path: String) -> Result<Bool, SystemErrorNumber> {
        switch SocketKind.datagram.make() {
        case .failure(let number): return .failure(number)
        case .success(let probe):
            defer { DescriptorCall.close(probe) }
            switch connect(probe, to: path) {
            case .success: return .success(true)
            case .failure(let number) where number.rawValue == ECONNREFUSED: return .success(false)
            case .failure(let number)
            where number.rawValue == EPROTOTYPE || number.rawValue == EPERM:
                return .success(true)
            case .failure(let number): return .failure(number)
            }
        }
    }

    /// Removes a dead socket file. False if a live socket has the path.
    private static func removeStale(_ path: String) throws(LinkError) -> Bool {
        guard let found = status(of: path) else { return true }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        if try isAlive(path).orLinkError("connect", on: "'\(path)'") { return false }
        _ = unsafe path.withCString { unsafe unlink($0) }
        return true
    }

    /// Identifies a file, to tell it from a later file at the same path.
    package struct Mark: Hashable, Sendable {
        private let device: UInt
        private let inode: UInt
        private let changedSeconds: Int
        private let changedNanoseconds: Int

        fileprivate init(_ found: stat) {
            device = UInt(found.st_dev)
            inode = UInt(found.st_ino)
            changedSeconds = Int(found.st_ctim.tv_sec)
            changedNanoseconds = Int(found.st_ctim.tv_nsec)
        }
    }

    /// The mark of the file at `path` now; nil for none.
    package static func mark(of path: String) -> Mark? { status(of: path).map { Mark($0) } }

    private static func status(of path: String) -> stat? {
        var found = stat()
        let result = unsafe path.withCString { unsafe lstat($0, &found) }
        return result == 0 ? found : nil
    }

    /// The directory part of a path, "." for none.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        return String(path[path.index(after: slash)...])
    }

    package static func bind(_ descriptor: Int32, _ path: String) -> Result<
        Int32, SystemErrorNumber
    > {
        var path = path
        return path.withUTF8 { bytes in
            retryOnInterrupt {
                unsafe watchproto_unix_bind(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }

    package static func connect(_ descriptor: Int32, to path: String) -> Result<
        Int32, SystemErrorNumber
    > {
        var path = path
        return path.withUTF8 { bytes in
            retryOnInterrupt {
                unsafe watchproto_unix_connect(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }
}

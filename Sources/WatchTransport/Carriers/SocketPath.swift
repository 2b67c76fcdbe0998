internal import CPosix
internal import Glibc
internal import WatchProto

/// A socket file this process has claimed, remembered by its inode so that only our own is removed.
struct SocketPath: Sendable {
    let path: String
    private let device: UInt
    private let inode: UInt

    /// Binds `descriptor` to `path`. A socket file whose process is dead is replaced; one that is
    /// alive, and anything that is not a socket, is left alone.
    static func claim(
        _ path: String, binding descriptor: Int32
    ) throws(LinkError) -> SocketPath {
        let directory = unsafe directory(of: path).withCString { text in
            retryOnInterrupt { unsafe watchproto_lock_directory(text, 40) }
        }
        let lock = try directory.orLinkError("open", on: "the directory of '\(path)'")
        defer { Descriptor.close(lock) }
        if case .failure(let number) = bind(descriptor, path) {
            guard number.rawValue == EADDRINUSE else {
                throw .system(number.failure(of: "bind"), subject: "'\(path)'")
            }
            try removeStale(path)
            _ = try bind(descriptor, path).orLinkError("bind", on: "'\(path)'")
        }
        guard let found = status(of: path) else {
            throw .system(CarrierFailure(call: "stat", errorNumber: errno), subject: "'\(path)'")
        }
        return SocketPath(path: path, device: UInt(found.st_dev), inode: UInt(found.st_ino))
    }

    /// Only the owner may connect; whoever watches the directory sees that the socket is ready.
    func announce() {
        _ = unsafe path.withCString { unsafe chmod($0, 0o600) }
    }

    /// Removes the file, if it still is ours.
    func remove() {
        guard let found = Self.status(of: path), UInt(found.st_dev) == device,
            UInt(found.st_ino) == inode
        else { return }
        _ = unsafe path.withCString { unsafe unlink($0) }
    }

    /// Whether a living socket is bound to `path`, asked without disturbing it: a datagram socket
    /// connects without a word, and is refused differently by a living socket of another kind than
    /// by a dead file.
    private static func isAlive(_ path: String) -> Result<Bool, SystemErrorNumber> {
        switch SocketKind.datagram.make() {
        case .failure(let number): return .failure(number)
        case .success(let probe):
            defer { Descriptor.close(probe) }
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

    /// How often a socket in the way is looked at before it counts as held: for half a
    /// second.
    private static var mostLooks: Int { 100 }
    private static var lookIntervalMicroseconds: UInt32 { 5_000 }

    private static func removeStale(_ path: String) throws(LinkError) {
        guard let found = status(of: path) else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        // A program that its late owner was just starting holds a copy of the socket until it runs:
        // one that is gone within this time was nobody's.
        var looks = 0
        while try isAlive(path).orLinkError("connect", on: "'\(path)'") {
            looks += 1
            guard looks < Self.mostLooks else { throw .heldByAnotherProcess(path: path) }
            usleep(Self.lookIntervalMicroseconds)
        }
        _ = unsafe path.withCString { unsafe unlink($0) }
    }

    /// What tells a file from another that stands at the same path later.
    struct Mark: Hashable, Sendable {
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

    /// The mark of what stands at `path` now; nil for nothing.
    static func mark(of path: String) -> Mark? { status(of: path).map { Mark($0) } }

    private static func status(of path: String) -> stat? {
        var found = stat()
        let result = unsafe path.withCString { unsafe lstat($0, &found) }
        return result == 0 ? found : nil
    }

    /// The directory part of a path, "." for none.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part of a path.
    static func name(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        return String(path[path.index(after: slash)...])
    }

    static func bind(_ descriptor: Int32, _ path: String) -> Result<Int32, SystemErrorNumber> {
        var path = path
        return path.withUTF8 { bytes in
            retryOnInterrupt {
                unsafe watchproto_unix_bind(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }

    static func connect(_ descriptor: Int32, to path: String) -> Result<Int32, SystemErrorNumber> {
        var path = path
        return path.withUTF8 { bytes in
            retryOnInterrupt {
                unsafe watchproto_unix_connect(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }
}

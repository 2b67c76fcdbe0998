internal import CSQLite
internal import WatchProtoCore

/// How much was durable, noted outside of the write-ahead log: SQLite takes a log that is missing,
/// or cut short, for one that a crash left so.
///
/// It stands in the file of the claim (`…-lock`), at byte 512: 32 bytes, "WPJLheld" · the changes
/// and the last row of an ``Extent`` · a fingerprint of these; zeros where nothing is said. It is
/// written when a commit is durable, and never made durable itself. Where it stands does not
/// matter to it: log and file together never hold less than they did, however often the log was
/// copied, by whomever. Whatever of it the disk keeps is therefore true, for as long as it is the
/// same file.
@safe final class LogMark {
    /// How much a file holds, with its log: of two states of it the later one has the higher.
    struct Extent: Hashable, Comparable, CustomStringConvertible {
        /// Commits without a row of the log: of keys, of what was forgotten, of the store alone.
        var changes: Int64 = 0
        /// The last row of the log, or of what it was folded into. Forgetting, which is a change,
        /// may set it back.
        var lastRow: Int64 = 0

        static func < (a: Extent, b: Extent) -> Bool {
            (a.changes, a.lastRow) < (b.changes, b.lastRow)
        }

        var description: String { "row \(lastRow) of the journal and \(changes) other commits" }
    }

    static let offset = 512
    static let byteCount = 32
    private static let name = Array("WPJLheld".utf8)

    private let file: UnsafeMutablePointer<sqlite3_file>

    /// The mark in the file of a claim, which is there. Goes through SQLite's file system, or the
    /// one of that name.
    init(lock path: String, fileSystem: String?) throws(SQLiteFailure) {
        var opened: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe watchproto_sqlite_open_side(fileSystem, path, &opened)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            throw Self.failure("open '\(path)'", code)
        }
        unsafe file = opened
    }

    deinit { unsafe watchproto_sqlite_close_side(file) }

    /// What the file of a claim says; nil where it says nothing, or nothing whole.
    static func read(lock path: String) -> Extent? {
        let bytes = bytes(path)
        guard bytes.count == byteCount, bytes.starts(with: name) else { return nil }
        var reader = WireReader(bytes[8..<24].span)
        guard let changes = try? reader.uint64("changes"), let row = try? reader.uint64("row")
        else { return nil }
        let extent = Extent(
            changes: Int64(bitPattern: changes), lastRow: Int64(bitPattern: row))
        return encoded(extent) == bytes ? extent : nil
    }

    /// Whether anything stands where the mark does.
    static func isSet(lock path: String) -> Bool { bytes(path).contains { $0 != 0 } }

    private static func bytes(_ path: String) -> [UInt8] {
        FileLook.bytes(of: path, from: offset, count: byteCount) ?? []
    }

    private static func encoded(_ extent: Extent) -> [UInt8] {
        var writer = WireWriter(name)
        writer.uint64(UInt64(bitPattern: extent.changes))
        writer.uint64(UInt64(bitPattern: extent.lastRow))
        writer.uint64(ContentHash.of(writer.bytes))
        return writer.bytes
    }

    /// Notes what is durable. Where that fails, what stands there says less, which is true as well.
    func note(_ extent: Extent) { _ = write(Self.encoded(extent)) }

    /// Says nothing any more. On the disk the old word may stand for longer: for the same file it
    /// stays true.
    func withdraw() { _ = write([UInt8](repeating: 0, count: Self.byteCount)) }

    /// Takes it back, as what it was said of is gone; durable when this returns.
    func clear(isSynced: Bool = true) throws(SQLiteFailure) {
        var code = write([UInt8](repeating: 0, count: Self.byteCount))
        if code == SQLITE_OK, isSynced { code = unsafe watchproto_sqlite_sync_side(file) }
        guard code == SQLITE_OK else { throw Self.failure("take back the mark of the log", code) }
    }

    private func write(_ bytes: [UInt8]) -> Int32 {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe watchproto_sqlite_write_side(
                file, bytes.baseAddress, Int32(bytes.count), Int64(Self.offset))
        }
    }

    private static func failure(_ call: String, _ code: Int32) -> SQLiteFailure {
        let message = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) }
        return SQLiteFailure(call: call, code: code, message: message ?? "code \(code)")
    }
}

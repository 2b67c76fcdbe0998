internal import CSQLite
internal import WatchProtoCore

/// Marks how much was durable, outside the write-ahead log. SQLite takes a missing or shortened log
/// as the result of a crash.
///
/// The mark is in the file of the claim (`…-lock`), at byte 512, and has 32 bytes: "WPJLheld" · the
/// changes and the last row of an ``Extent`` · a fingerprint of these; zeros for no mark. It is
/// written when a commit is durable, and is never synced itself. Log and file together never lose
/// contents, however often the log is copied. Every state of the mark that the disk keeps is
/// therefore true, as long as it belongs to the same file.
@safe final class LogMark {
    /// The amount of contents of a file with its log. Of two states of a file, the later has the
    /// higher extent.
    struct Extent: Hashable, Comparable, CustomStringConvertible {
        /// Commits without a row of the log: of keys, of forgotten pairings, of the store alone.
        var changes: Int64 = 0
        /// The last row of the log, or of the rows that it was folded into. Forgetting, which is a
        /// change, may lower it.
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

    /// Opens the mark in the file of an existing claim, through SQLite's file system or the named
    /// one.
    init(lock path: String, fileSystem: String?) throws(SQLiteFailure) {
        var opened: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe watchproto_sqlite_open_side(fileSystem, path, &opened)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            throw Self.failure("open '\(path)'", code)
        }
        unsafe file = opened
    }

    deinit { unsafe watchproto_sqlite_close_side(file) }

    /// The mark in the file of a claim; nil if there is none, or none that is whole.
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

    /// Whether the place of the mark is not all zeros.
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

    /// Writes the mark. If that fails, the former mark says less, which is true as well.
    func note(_ extent: Extent) { _ = write(Self.encoded(extent)) }

    /// Clears the mark. On the disk the former mark may stay for longer; for the same file it stays
    /// true.
    func withdraw() { _ = write([UInt8](repeating: 0, count: Self.byteCount)) }

    /// Clears the mark because its file is gone; durable on return.
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

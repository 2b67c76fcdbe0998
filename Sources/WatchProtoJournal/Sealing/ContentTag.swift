internal import CSQLite
internal import WatchProtoCore

/// A tag of all contents of a sealed file, kept in the file while it is closed.
///
/// Each sealed value has its own seal, but a missing row, a column in clear and a trigger have
/// none. If somebody changes them without the key, the tag no longer matches.
extension JournalContents {
    /// The tag of the tables and their rows; nil for a file that is not sealed.
    func contentTag() throws(SQLiteFailure) -> [UInt8]? {
        guard !(sealing is UnsealedPayloads) else { return nil }
        var text = TaggedText(sealing: sealing)
        try add("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name", &text)
        try add("PRAGMA user_version", &text)
        let tables = try database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ) { (row: borrowing SQLRow) throws(SQLiteFailure) in row.text(0) }
        for table in tables {
            // These rows come and go when the file is closed and opened.
            let isMeta = table == "journal_meta"
            let facts = isMeta ? " WHERE name NOT IN ('log', 'closed', 'kept')" : ""
            let name = table.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined()
            // The order is that of the table, not of an index.
            try add("SELECT * FROM \"\(name)\" NOT INDEXED\(facts)", &text)
        }
        return text.tag()
    }

    private func add(_ sql: String, _ text: inout TaggedText) throws(SQLiteFailure) {
        var count: UInt64 = 0
        _ = try database.query(sql) { (row: borrowing SQLRow) throws(SQLiteFailure) in
            row.write(to: &text.writer)
            text.fold()
            count += 1
        }
        text.writer.uint64(count)
    }

    /// Whether the contents are those of the closed file; true for a file without a tag. The next
    /// commit removes the tag.
    ///
    /// - Parameter alone: opens the file without its log, which a kept tag is of.
    func areAsClosed(_ alone: () throws(SQLiteFailure) -> Database) throws(SQLiteFailure) -> Bool {
        if let tag = try tag("closed") {
            database.holdsContentTag = true
            return try tag == contentTag()
        }
        guard let kept = try tag("kept") else { return true }
        database.holdsKeptTag = true
        let former = JournalContents(try alone(), sealing: sealing, path: path)
        guard try former.tag("closed") == kept else { return false }
        return try former.contentTag() == kept
    }

    private func tag(_ name: String) throws(SQLiteFailure) -> [UInt8]? {
        try database.query("SELECT value FROM journal_meta WHERE name = ?", [.text(name)]) {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.blob(0)
        }.first
    }
}

/// A text of any length under a keyed hash, a piece at a time.
private struct TaggedText {
    let sealing: any PayloadSealing
    var writer = WireWriter(Array("contents".utf8))

    /// Replaces a long text by its hash.
    mutating func fold() {
        if writer.count > 1 << 16 { writer = WireWriter(tag()) }
    }

    func tag() -> [UInt8] { sealing.lookupTag(writer.bytes) }
}

extension SQLRow {
    /// Writes the type and the value of each column.
    fileprivate borrowing func write(to writer: inout WireWriter) {
        for column in 0..<statement.columnCount {
            let type = unsafe sqlite3_column_type(statement.handle, Int32(column))
            writer.byte(UInt8(truncatingIfNeeded: type))
            switch type {
            case SQLITE_INTEGER: writer.uint64(UInt64(bitPattern: integer(column)))
            case SQLITE_FLOAT: writer.uint64(real(column).bitPattern)
            case SQLITE_NULL: break
            default: writer.block(blob(column))
            }
        }
    }
}

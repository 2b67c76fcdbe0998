internal import CSQLite

/// SQLite's own look at a journal's file.
extension JournalOpening {
    /// Lets SQLite look through every page. Throws what it finds.
    func checkPages(_ database: Database) throws(JournalError) {
        do throws(SQLiteFailure) {
            guard try Self.findings(in: database) != ["ok"] else { return }
            // To the check a page that it could not read is as bad as a page that holds nonsense;
            // but nothing is known of it, and nothing is to be moved away for it.
            try database.readThrough()
            let findings = try Self.findings(in: database)
            guard findings != ["ok"] else { return }
            throw SQLiteFailure(
                call: "PRAGMA quick_check", code: SQLITE_CORRUPT,
                message: findings.flatMap { $0.split(separator: "\n") }.joined(separator: "; "))
        } catch {
            // The header was found to be a journal's.
            let kind = error.kind == .notAJournal ? .damaged : error.kind
            throw JournalError(kind, path: path, error.text)
        }
    }

    private static func findings(in database: Database) throws(SQLiteFailure) -> [String] {
        try database.query("PRAGMA quick_check(3)") {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.text(0)
        }
    }
}

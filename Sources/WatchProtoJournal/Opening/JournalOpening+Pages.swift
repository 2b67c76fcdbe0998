internal import CSQLite

/// The check of a journal's file by SQLite, and by the application.
extension JournalOpening {
    /// Lets SQLite check every page, and compare every index with its table. Throws the finding.
    func checkPages(_ database: Database) throws(JournalError) {
        do throws(SQLiteFailure) {
            guard try Self.findings(in: database) != ["ok"] else { return }
            // To the check a page that it could not read is as bad as a page that holds nonsense;
            // but nothing is known of it, and nothing is to be moved away for it.
            try database.readThrough()
            let findings = try Self.findings(in: database)
            guard findings != ["ok"] else { return }
            throw SQLiteFailure(
                call: "PRAGMA integrity_check", code: SQLITE_CORRUPT,
                message: findings.flatMap { $0.split(separator: "\n") }.joined(separator: "; "))
        } catch {
            // The header was found to be a journal's.
            let kind = error.kind == .notAJournal ? .damaged : error.kind
            throw JournalError(kind, path: path, error.text)
        }
    }

    private static func findings(in database: Database) throws(SQLiteFailure) -> [String] {
        try database.query("PRAGMA integrity_check(3)") {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.text(0)
        }
    }

    /// Lets a store check its own tables, if it has any yet.
    func check(_ store: StoreSchema, _ version: Int, _ contents: JournalContents) throws {
        guard version > 0 else { return }
        do {
            try store.check(StoreReader(contents.database, sealing: contents.sealing), version)
        } catch let error as StoreFailure where error.code != 0 {
            throw SQLiteFailure(
                call: "the check of the store '\(store.name)'", code: error.code,
                message: error.description
            ).error(at: path)
        } catch {
            throw JournalError(.damaged, path: path, "its store '\(store.name)': \(error)")
        }
    }
}

/// The journal's own tables. Their names begin with `journal_`; all others are the application's.
enum JournalSchema {
    /// Names the owner in the file's header: "WPJL".
    static let applicationID: Int64 = 0x5750_4A4C

    /// Bytes of a page, as SQLite chooses them for a new file.
    static let pageBytes = 4096

    /// Selects the version of the store with this name.
    static let storeVersion = "SELECT value FROM journal_meta WHERE name = 'store ' || ?"
    /// Writes the version of the store with this name.
    static let noteStoreVersion =
        "INSERT OR REPLACE INTO journal_meta(name, value) VALUES('store ' || ?, ?)"

    /// Every step from nothing to the newest schema; `user_version` counts those done.
    static let migrations: [Migration] = [
        Migration(
            adding: "makes the journal's tables",
            [
                // Facts about the file as a whole, such as how its values are sealed.
                """
                CREATE TABLE journal_meta(name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL)
                WITHOUT ROWID
                """,
                // One row for the entries of one pairing in one transaction, or several where they
                // are many. Rows are numbered without gaps.
                """
                CREATE TABLE journal_log(
                    seq INTEGER PRIMARY KEY, pairing BLOB NOT NULL, body BLOB NOT NULL)
                """,
                // One row for each device that this one is paired with; the last is in use.
                "CREATE TABLE journal_keys(id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
            ])
    ]
}

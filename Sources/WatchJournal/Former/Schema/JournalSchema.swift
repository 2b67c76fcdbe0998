/// The journal's own tables. Their names begin with `journal_`; all others are the application's.
enum JournalSchema {
    /// Says in the file's header whose it is: "WPJL".
    static let applicationID: Int64 = 0x5750_4A4C

    /// Bytes of a page, as SQLite chooses them for a new file.
    static let pageBytes = 4096

    /// Gives the version of the store of this name.
    static let storeVersion = "SELECT version FROM journal_stores WHERE name = ?"
    /// Notes the version of the store of this name.
    static let noteStoreVersion =
        "INSERT OR REPLACE INTO journal_stores(name, version) VALUES(?, ?)"

    /// The first version with a table of keys, and with rows that are sealed as a whole.
    static let versionWithKeys = 3

    /// Every step from nothing to today's schema; `user_version` counts those done.
    static let migrations: [Migration] = [
        Migration(
            adding: "makes the journal's tables",
            [
                // What is known of the file as a whole, such as how its payloads are sealed.
                """
                CREATE TABLE journal_meta(name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL)
                WITHOUT ROWID
                """,
                """
                CREATE TABLE journal_stores(
                    name TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL)
                WITHOUT ROWID
                """,
                // Keys are counted up: random ones cost a factor of four.
                """
                CREATE TABLE journal_pairings(
                    id INTEGER PRIMARY KEY, pairing BLOB NOT NULL UNIQUE)
                """,
                // One row for what one transaction holds of one pairing.
                """
                CREATE TABLE journal_log(
                    seq INTEGER PRIMARY KEY,
                    pairing INTEGER NOT NULL REFERENCES journal_pairings,
                    body BLOB NOT NULL)
                """,
                // What all rows of the log up to and including through_seq amount to.
                """
                CREATE TABLE journal_image(
                    pairing INTEGER PRIMARY KEY REFERENCES journal_pairings,
                    through_seq INTEGER NOT NULL,
                    body BLOB NOT NULL)
                """,
            ]),
        // Rows written from here on carry it; those before keep theirs.
        Migration(adding: "gives rows a quicker fingerprint", []),
        Migration(
            adding: "makes the table of keys",
            [
                // One row for each device this one is paired with, the last the one in use.
                "CREATE TABLE journal_keys(id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
                // Rows from before are to be sealed as a whole where there is a key.
                "INSERT INTO journal_meta(name, value) VALUES('erasing', x'02')",
            ]),
        // Bodies written from here on hold nothing that is sealed for itself.
        Migration(adding: "seals each row once", []),
        // Images written from here on tell which openings their lineages have forgotten.
        Migration(adding: "counts forgotten openings", []),
        // Bodies written from here on tell what was measured of the path.
        Migration(adding: "remembers the path", []),
        // Bodies written from here on tell of openings that had a session.
        Migration(adding: "remembers openings", []),
    ]
}

/// Brings a file's schemas up to date, step by step.
struct Migrator {
    var path: String
    var database: Database
    var progress: @Sendable (Migration.Progress) -> Void
    /// Reads and writes sealed columns for steps that rewrite them.
    var sealing: any PayloadSealing = UnsealedPayloads()
    /// For tests: the new version's number is written in a transaction of its own.
    var notesApart = false

    /// The version of the journal's own schema.
    func journalVersion() throws(SQLiteFailure) -> Int {
        Int(clamping: try database.integer("PRAGMA user_version") ?? 0)
    }

    /// The version of a store's schema; 0 if there is none yet.
    func storeVersion(_ name: String) throws(SQLiteFailure) -> Int {
        Int(clamping: try database.integer(JournalSchema.storeVersion, [.text(name)]) ?? 0)
    }

    /// Refuses a schema this program does not know yet.
    func refuseNewer(_ schema: String, found: Int, known: Int) throws(JournalError) {
        guard found > known else { return }
        throw JournalError(
            .newerSchema, path: path,
            "its \(schema) schema is version \(found), this program knows \(known)")
    }

    func migrateJournal(_ migrations: [Migration]) throws {
        try migrate("journal", migrations, from: try journalVersion()) { version in
            try database.run("PRAGMA user_version = \(version)")
        }
    }

    func migrate(_ store: StoreSchema) throws {
        try migrate(store.name, store.migrations, from: try storeVersion(store.name)) { version in
            try database.run(
                JournalSchema.noteStoreVersion,
                [.text(store.name), .integer(Int64(version))])
        }
    }

    private func migrate(
        _ schema: String, _ migrations: [Migration], from version: Int,
        _ note: (Int) throws -> Void
    ) throws {
        guard version < migrations.count else { return }
        for index in version..<migrations.count {
            let migration = migrations[index]
            func report(_ done: Int, _ total: Int) {
                progress(
                    Migration.Progress(
                        schema: schema, version: index + 1, name: migration.name, done: done,
                        total: total))
            }
            report(0, 1)
            try database.transaction(.migration) {
                try migration.body(StoreTransaction(database, sealing: sealing), report)
                if !notesApart { try note(index + 1) }
            }
            if notesApart { try database.transaction(.migration) { try note(index + 1) } }
            report(1, 1)
        }
    }
}

/// One step from a schema to the next, in a transaction of its own together with the new version's
/// number: a crash leaves the old schema or the new one, never something between.
package struct Migration: Sendable {
    /// How far a migration that rewrites rows has come.
    package struct Progress: Hashable, Sendable {
        /// Which schema is changed: the journal's own is `journal`, a store's has the store's name.
        package var schema: String
        /// The version this step leads to.
        package var version: Int
        /// What it does, for whoever waits.
        package var name: String
        /// Rows done.
        package var done: Int
        /// Rows in all.
        package var total: Int
    }

    /// What it does, for whoever waits: "adds the table of doses".
    package var name: String
    let body:
        @Sendable (borrowing StoreTransaction, (_ done: Int, _ total: Int) -> Void) throws -> Void

    /// A step that only adds: tables, columns, indices. It takes the same time whatever the file
    /// holds, or nearly so.
    package init(adding name: String, _ statements: [String]) {
        self.name = name
        body = { store, _ in
            for statement in statements { try store.run(statement) }
        }
    }

    /// A step that rewrites rows, and says how far it has come.
    package init(
        rewriting name: String,
        _ body:
            @escaping @Sendable (
                borrowing StoreTransaction, _ progress: (_ done: Int, _ total: Int) -> Void
            ) throws -> Void
    ) {
        self.name = name
        self.body = body
    }
}

/// The application's tables beside the journal: a name, and every step from nothing to today's
/// schema. Steps are only ever added at the end. Triggers and views do not run: somebody without
/// the key of a sealed file could plant one.
package struct StoreSchema: Sendable {
    /// What the schema is called in the file and in messages.
    package var name: String
    /// The steps; a file at version n has had the first n.
    package var migrations: [Migration]
    /// Looks through the tables whenever a file is opened that has them, before anything in it is
    /// changed; it is told how many steps they have had. When it throws, the file is damaged.
    package var check: @Sendable (borrowing StoreReader, _ version: Int) throws -> Void

    /// Makes the schema of these steps, with nothing to check.
    package init(name: String, migrations: [Migration]) {
        self.init(name: name, migrations: migrations) { _, _ in }
    }

    /// Makes the schema of these steps, checked by `check`.
    package init(
        name: String, migrations: [Migration],
        check: @escaping @Sendable (borrowing StoreReader, _ version: Int) throws -> Void
    ) {
        self.name = name
        self.migrations = migrations
        self.check = check
    }
}

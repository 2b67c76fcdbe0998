/// One step from a schema to the next. It runs in one transaction with the new version's number: a
/// crash leaves the old schema or the new one.
package struct Migration: Sendable {
    /// The progress of a migration that rewrites rows.
    package struct Progress: Hashable, Sendable {
        /// The schema that is changed: `journal` for the journal's own, the store's name for a
        /// store's.
        package var schema: String
        /// The version this step leads to.
        package var version: Int
        /// The description of the step, for the waiting user.
        package var name: String
        /// Rows done.
        package var done: Int
        /// Rows in all.
        package var total: Int
    }

    /// The description of the step, for the waiting user: "adds the table of doses".
    package var name: String
    let body:
        @Sendable (borrowing StoreTransaction, (_ done: Int, _ total: Int) -> Void) throws -> Void

    /// A step that only adds tables, columns or indices. It takes nearly the same time for every
    /// file.
    package init(adding name: String, _ statements: [String]) {
        self.name = name
        body = { store, _ in
            for statement in statements { try store.run(statement) }
        }
    }

    /// A step that rewrites rows, and reports its progress.
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

/// The application's tables beside the journal: a name, and every step from nothing to the present
/// schema. Add new steps at the end only. Triggers and views do not run, because an attacker
/// without the key of a sealed file could plant one.
package struct StoreSchema: Sendable {
    /// The name of the schema in the file and in messages.
    package var name: String
    /// The steps; a file at version n has had the first n.
    package var migrations: [Migration]
    /// Checks the tables whenever a file with them is opened, before anything in it is changed. It
    /// gets the number of steps that they have had. If it throws, the file is damaged.
    package var check: @Sendable (borrowing StoreReader, _ version: Int) throws -> Void

    /// Makes the schema of these steps, without a check.
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

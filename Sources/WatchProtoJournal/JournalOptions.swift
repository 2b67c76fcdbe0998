/// The options with which a journal is opened.
package struct JournalOptions: Sendable {
    /// Seals the payloads at rest.
    package var key: any PayloadKey
    /// The owner of the file. It is written into a new file; another owner's file is refused. Nil
    /// accepts any owner.
    package var owner: JournalOwner?
    /// The application's tables in the same file.
    package var stores: [StoreSchema]
    /// Receives the progress of a migration, on the thread that opens the journal.
    package var progress: @Sendable (Migration.Progress) -> Void
    /// The size in bytes from which the log since the last image is folded into a new image, if it
    /// is also larger than that image.
    package var logBytesBeforeImage = 1 << 20
    /// The length, in pages of 4,096 bytes, from which SQLite's write-ahead log is copied into the
    /// file. While entries wait, only at four times as many.
    package var logPagesBeforeCheckpoint = 1000

    /// Pages of zeros behind the write-ahead log, so that commits need not make the file longer; 0
    /// for none. They are written anew when less than a quarter is left.
    package var logPagesAhead = 256

    /// The largest cache of the file's pages, in bytes.
    package var pageCacheBytes = 2 << 20

    /// Whether an opening reads only that part of an existing file which does not grow with its
    /// contents. ``JournalFile/check()`` checks the rest. Until then only writes of the store are
    /// accepted, and they go to the write-ahead log: no byte of the file itself is written. A file
    /// that is not in use yet, or whose schemas are not up to date, is checked at once.
    package var checksLater = false

    /// For tests: a limit of the file's size, in pages.
    package var filePageLimit: Int?
    /// For tests: the name of another file system of SQLite.
    package var fileSystem: String?
    /// For tests: faults planted under the journal.
    package var fault: JournalFault?
    /// For tests: mutants, bugs planted in it.
    package var mutants: Set<JournalMutant> = []
    /// For tests: another history of the journal's own schema.
    package var schema = JournalSchema.migrations

    /// The product's defaults: no sealing, no store.
    package init(
        key: any PayloadKey = UnsealedPayloads(), stores: [StoreSchema] = [],
        progress: @escaping @Sendable (Migration.Progress) -> Void = { _ in }
    ) {
        self.key = key
        self.stores = stores
        self.progress = progress
    }
}

/// How a journal is opened.
package struct JournalOptions: Sendable {
    /// What its payloads are sealed with at rest.
    package var key: any PayloadKey
    /// Whose the file is: noted in a new one, and every other is refused; nil where that is all
    /// the same.
    package var owner: JournalOwner?
    /// The application's tables in the same file.
    package var stores: [StoreSchema]
    /// Hears how far a migration has come, on the thread that opens.
    package var progress: @Sendable (Migration.Progress) -> Void
    /// When the log since the last image is larger than this, and than the image, it is folded into
    /// a new image; in bytes.
    package var logBytesBeforeImage = 1 << 20
    /// When SQLite's write-ahead log is longer than this, it is copied into the file; in pages of
    /// 4,096 bytes. While entries wait, only at four times as many.
    package var logPagesBeforeCheckpoint = 1000

    /// Pages of zeros that stand behind the write-ahead log, written anew when less than a quarter
    /// of them is left, so that commits need not make the file longer; 0 for none.
    package var logPagesAhead = 256

    /// The most memory that pages of the file are kept in, in bytes.
    package var pageCacheBytes = 2 << 20

    /// For tests: a limit of the file's size, in pages.
    package var filePageLimit: Int?
    /// For tests: the name of another file system of SQLite.
    package var fileSystem: String?
    /// For tests: faults planted under the journal.
    package var fault: JournalFault?
    /// For tests: bugs planted in it.
    package var canaries: Set<JournalCanary> = []
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

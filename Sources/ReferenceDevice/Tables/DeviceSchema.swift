internal import WatchProto
package import WatchProtoJournal

/// The tables of a device beside its journal.
///
/// Rows are counted up, in the order they came. With a key, `body` is sealed and tags are keyed
/// hashes; the other columns stay readable, and none of them names anything.
package enum DeviceSchema {
    /// All steps to today's tables. A program that can read the records of medications opens the
    /// file with ``schema(expecting:)``, which checks more.
    package static let schema = StoreSchema(
        name: "device", migrations: migrations, check: DeviceCheck().run)

    /// The tables of a device, and those of the library.
    package static let stores = [schema] + DeviceStorage.schemas

    /// The same as ``schema``, and it compares the columns beside each medication's record with the
    /// record when a file is opened.
    ///
    /// - Parameter expected: the medication that a row of this record ought to hold. Where its next
    ///   dose cannot be told from the record, it is the row's. When it throws, the file is damaged.
    package static func schema(
        expecting expected: @escaping @Sendable (StoredRow) throws -> StoredMedication
    ) -> StoreSchema {
        var schema = schema
        schema.check = DeviceCheck(expected: expected).run
        return schema
    }

    /// The numbers of tables, to which sealed columns are bound beside their row.
    enum Table {
        static let medications: UInt8 = 1
        static let notes: UInt8 = 3
    }
}

/// A note: a device keeps one of each.
package enum StoreNote: Int64, Sendable {
    /// The number of states that the face's complication has shown (u64), then its present state.
    case complication = 1
    /// The phone has imported a list: from then on it is its word, also when it is empty.
    case hasList = 2
    /// The face that the next start shows first; see ``KeptFace``.
    case face = 3
    /// The face was made of the present list. Each change of a medication removes this note.
    case faceIsOfList = 4
    /// The offsets of local time of the last days; see `ZoneLog`.
    case zones = 5
    /// The watch is locked or off the wrist: its face names no medication.
    case isLocked = 6
}

extension DeviceSchema {
    /// A step that rewrites the records of medications, in the order they came, and says how far it
    /// has come.
    ///
    /// - Parameters:
    ///   - name: what it does, for a user who waits.
    ///   - limit: at most so many; all when nil.
    ///   - rewrite: makes the new record of the old one. When it throws, the file stays as it was.
    package static func rewriting(
        _ name: String, atMost limit: Int? = nil,
        _ rewrite: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) -> Migration {
        Migration(rewriting: name) { store, progress in
            let columns = store.columns
            let places = try store.query(
                "SELECT id FROM medications ORDER BY id LIMIT ?", [.integer(Int64(limit ?? -1))]
            ) { (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0) }
            for (done, place) in places.enumerated() {
                let sealed = try store.query(
                    "SELECT body FROM medications WHERE id = ?", [.integer(place)]
                ) { (row: borrowing SQLRow) throws(StoreFailure) in row.blob(0) }
                for body in sealed {
                    let old = try columns.open(body, table: Table.medications, row: place)
                    let new = columns.seal(
                        try rewrite(old), table: Table.medications, row: place)
                    try store.run(
                        "UPDATE medications SET body = ? WHERE id = ?",
                        [.blob(new), .integer(place)])
                }
                progress(done + 1, places.count)
            }
        }
    }
}

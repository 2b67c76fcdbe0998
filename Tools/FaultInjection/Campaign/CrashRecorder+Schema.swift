import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoTransport

/// A history of the journal's own schema, longer than that of the program: a step that adds, and
/// one that rewrites rows.
extension CrashRecorder {
    /// The number of the column of notes, to their seals.
    private static let rowNotes: UInt8 = 3
    private static let allNotes = "SELECT seq, note FROM journal_log WHERE note IS NOT NULL"

    private static let longerSchema =
        JournalOptions().schema + [
            Migration(
                adding: "adds a note to rows", ["ALTER TABLE journal_log ADD COLUMN note BLOB"]),
            Migration(rewriting: "seals the notes") { store, progress in
                let notes = try store.query(allNotes) {
                    row throws(StoreFailure) in (row.integer(0), row.blob(1))
                }
                for (place, (row, note)) in notes.enumerated() {
                    let sealed = store.columns.seal(note, table: rowNotes, row: row)
                    try store.run(
                        "UPDATE journal_log SET note = ? WHERE seq = ?",
                        [.blob(sealed), .integer(row)])
                    progress(place + 1, notes.count)
                }
                // The bytes of the notes in clear go, too.
                try store.run(
                    "INSERT OR REPLACE INTO journal_meta(name, value) VALUES('erasing', 1)")
            },
        ]

    /// The history that a run ends with.
    static func schema(of family: CrashFamily) -> [Migration] {
        [.upgrade, .reseal].contains(family) ? longerSchema : JournalOptions().schema
    }

    /// Gives each row of a file of version 2 a note in clear.
    func addNotes(to file: JournalFile) throws {
        let note = SQLWrite("UPDATE journal_log SET note = ?", [.blob(Self.secret.word)])
        _ = try file.journal(for: Self.pairing).persist(
            [], writes: [note], receipt: JournalReceipt(rawValue: 0),
            notifier: CommitNotifier(wake: try WakeDescriptor()))
        try file.flush()
        rest(file)
    }

    /// Says what is wrong with the schema of an opened file, nil where nothing is. The schema must
    /// be the newest one, and no step of a migration may be left.
    static func complaintAboutSchema(
        of file: JournalFile, _ family: CrashFamily
    ) throws -> String? {
        let facts = try file.read { store in
            try store.query(
                "SELECT (SELECT count(*) FROM journal_meta WHERE name = 'erasing'), "
                    + "user_version FROM pragma_user_version"
            ) { row throws(StoreFailure) in (row.integer(0), row.integer(1)) }
        }
        let newest = schema(of: family).count
        guard let (left, version) = facts.first, version == newest else {
            return "its schema is version \(facts.first?.1 ?? 0)"
        }
        if left > 0 { return "the file is still to be written anew" }
        guard newest == longerSchema.count else { return nil }
        let notes = try file.read { store in
            try store.query(allNotes) { row throws(StoreFailure) in
                try store.columns.open(row.blob(1), table: rowNotes, row: row.integer(0))
            }
        }
        return notes.allSatisfy { $0 == secret.word } ? nil : "a note of its rows is another"
    }
}

/// Why a journal cannot be opened, or stopped accepting entries: the finding, the place and the
/// remedy. If the contents are the reason, the journal stays byte for byte as it was. If bringing
/// it up to date fails (a full disk, a migration), some of that work may be done.
package struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure, by their remedy.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// A newer version of the program wrote it.
        case newerSchema
        /// It is cut short or was altered.
        case damaged
        /// Its write-ahead log is missing, or commits that were durable are missing from it.
        case commitsMissing
        /// The key or passphrase is not the one it was sealed with.
        case wrongKey
        /// The file or its directory cannot be written.
        case readOnly
        /// The file is something else.
        case notAJournal
        /// It is a journal of another device, or of another pairing.
        case otherOwner
        /// The file has a second name, a hard link.
        case severalNames
        /// It is open in this process or another.
        case held
        /// The disk, or the limit set for the file, is full.
        case diskFull
        /// A change to the application's store failed.
        case storeWrite
        /// It was closed.
        case closed
        /// The system, or SQLite, refused for another reason.
        case system
    }

    /// The kind of failure.
    package var kind: Kind
    /// The journal's file.
    package var path: String
    /// The failed step and the finding.
    package var detail: String

    /// Makes the failure of a step at the file `path`.
    package init(_ kind: Kind, path: String, _ detail: String) {
        self.kind = kind
        self.path = path
        self.detail = detail
    }

    /// The remedy.
    package var advice: String {
        switch kind {
        case .newerSchema: "Run the version of the program that wrote it, or a newer one."
        case .damaged:
            "It was left as it is. Restore a backup, or move it away and pair anew: what it held "
                + "and the counterpart has not committed is lost then."
        case .commitsMissing:
            "It was left as it is. Put its log ('…-wal') back if there is another one. If this is "
                + "a copy, made while the journal was open, copy it again when it is closed. To go "
                + "on without those commits, or with a backup in its place, remove "
                + "'\(path)-lock', and put an empty file '\(path)-wal' where there is none: the "
                + "counterpart finds that this side was set back, and sends what it still holds."
        case .wrongKey: "Open it as it was made: with its own key or passphrase, or without one."
        case .readOnly: "Make the file and its directory writable for this user."
        case .notAJournal: "Choose another path; what stands there was left alone."
        case .otherOwner: "Name the journal of this device, or another path for a new one."
        case .severalNames:
            "Remove the other names ('find … -samefile \(path)'), or open a copy that has but one: "
                + "opened by another name it would be without its log."
        case .held: "Open it again when it is closed there, or choose another path."
        case .diskFull: "Free some space, then open the journal again."
        case .storeWrite: "Mend the store's statement, then open the journal again."
        case .closed: "Open it again."
        case .system: "See the message, then open the journal again."
        }
    }

    /// The whole message in one line.
    package var description: String { "journal '\(path)': \(detail). \(advice)" }
}

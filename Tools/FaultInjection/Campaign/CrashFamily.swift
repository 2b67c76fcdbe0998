/// A kind of work that a journal does when the power goes.
package enum CrashFamily: String, CaseIterable, Sendable {
    /// The file is made where there was none, and used for the first time.
    case make
    /// Records of this side are accepted, in small and large groups.
    case accept
    /// The counterpart's receipts come in: stages, outcomes, epochs that are gone.
    case settle
    /// Records of the counterpart arrive, with the application's writes beside them.
    case receive
    /// The log is folded into a new image.
    case fold
    /// SQLite's log is copied into the file.
    case checkpoint
    /// The journal recovers from a crash, and crashes again while it does.
    case recover
    /// The application's tables are brought to a newer schema.
    case migrate
    /// Records and columns of the store are sealed under a key.
    case seal
    /// A pairing is forgotten, between records of another one.
    case forget
    /// Rows of an older schema that stand in clear, wholly or in part, are sealed.
    case reseal
    /// The journal's own schema is brought from an older version to the newest.
    case upgrade
    /// The journal is closed, and opened again.
    case close

    /// The work of the family, in a few words.
    package var summary: String {
        switch self {
        case .make: "the file made"
        case .accept: "records accepted"
        case .settle: "receipts taken in"
        case .receive: "records received, with the store's writes"
        case .fold: "the log folded into an image"
        case .checkpoint: "SQLite's log copied into the file"
        case .recover: "crashes while recovering from a crash"
        case .migrate: "the store's schema changed"
        case .seal: "rows and columns sealed under a key"
        case .forget: "a pairing forgotten"
        case .reseal: "rows of an older schema sealed anew"
        case .upgrade: "the journal's own schema changed"
        case .close: "the journal closed and opened again"
        }
    }

    /// Whether the journal of a run is sealed.
    func isSealed(_ seed: UInt64) -> Bool {
        switch self {
        case .seal, .reseal: true
        case .forget: seed & 1 == 0
        default: false
        }
    }

    /// Whether the run is an opening, and nothing is given after it.
    var isOpeningOnly: Bool { self == .migrate || self == .reseal }

    /// The version of the store's schema that a run opens the file with.
    var storeVersion: Int { self == .migrate ? 3 : 1 }
}

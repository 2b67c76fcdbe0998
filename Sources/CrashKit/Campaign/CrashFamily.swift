/// A kind of work that a journal does when the power goes.
public enum CrashFamily: String, CaseIterable, Sendable {
    /// The file is made where there was none, and used for the first time.
    case make
    /// Records of this side are accepted, in small and large groups.
    case accept
    /// The counterpart's receipts come in: stages, outcomes, retired epochs.
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

    /// What it is, in a few words.
    public var summary: String {
        switch self {
        case .make: "the file made"
        case .accept: "records accepted"
        case .settle: "receipts taken in"
        case .receive: "records received, with the store's writes"
        case .fold: "the log folded into an image"
        case .checkpoint: "SQLite's log copied into the file"
        case .recover: "crashes while recovering from a crash"
        case .migrate: "the store's schema changed"
        }
    }
}

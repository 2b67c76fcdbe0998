import WatchProtoCore

/// What is read of a journal is what was written to it.
struct RereadChecker: Checker {
    static let name = "reread"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .misread(let what) = sight else { return nil }
        return what
    }
}

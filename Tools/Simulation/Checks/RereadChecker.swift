import WatchProtoCore

/// A journal reads back exactly as it was written.
struct RereadChecker: Checker {
    static let name = "reread"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .misread(let what) = sight else { return nil }
        return what
    }
}

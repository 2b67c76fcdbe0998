import WatchProtoCore

/// A journal reads back exactly as it was written.
struct RereadChecker: Checker {
    static let name = "reread"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .misread(let what) = observation else { return nil }
        return what
    }
}

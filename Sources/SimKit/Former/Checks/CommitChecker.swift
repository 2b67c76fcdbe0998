import WatchProto

/// Commit first: the counterpart is given no record that waits for its own commit, as a dose taken
/// does, and no value of a set, before its sender's disk held it. Otherwise a crash there could
/// take away what the counterpart goes on showing.
struct CommitChecker: Checker {
    static let name = "commit-first"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .delivered(let record, _) = sight else { return nil }
        let facts = ledger[record.id]
        let traits = record.id.lane.traits
        // The face is in a hurry, and made anew at each start.
        let isOfSet = traits.order == .newestPerKey && !traits.skipsEqual
        guard traits.isDurable, isOfSet || facts?.draft?.waitsForCommit == true,
            facts?.wasCommittedAtOrigin != true
        else { return nil }
        return "\(record.id) was given before its sender's disk held it"
    }
}

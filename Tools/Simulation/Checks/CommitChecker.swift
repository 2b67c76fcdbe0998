import WatchProtoCore

/// Commit first: the counterpart is given no record that waits for its own commit, as a dose taken
/// does, before its sender's disk held it.
struct CommitChecker: Checker {
    static let name = "commit-first"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .delivered(let record, _) = observation else { return nil }
        let facts = ledger[record.id]
        guard record.id.channel.traits.isDurable, facts?.draft?.waitsForCommit == true,
            facts?.wasQueued != true
        else { return nil }
        return "\(record.id.text) was delivered before its sender's disk held it"
    }
}

import WatchProtoCore

/// The account of a record: its end as its sender was told of it, or is told when it asks.
///
/// Nothing else excuses a record. That it had an expiry, was to be cancelled or has a successor
/// says how it may have ended, not that it did; the status checker evaluates whether that is so.
extension Ledger {
    /// Whether the sender of a record knows how it ended, or cannot know that there was one.
    func isAccountedFor(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        if isForgotten(id, facts) || facts.knownOutcome != nil { return true }
        if facts.answer == .lostSince { return true }
        if let renamed = facts.renamed, let present = records[renamed] {
            return isAccountedFor(renamed, present)
        }
        return false
    }

    /// Whether a record has to have an account in the end.
    ///
    /// A promised record has, in whichever process. One that was accepted and not promised is lost
    /// with its process, and with nothing else; so is every record that is not durable.
    func isOwed(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        // An adopted value has a name of its own, and no acceptance.
        guard facts.draft != nil else { return false }
        return id.channel.traits.isDurable && facts.isPromised || !facts.isOrphan
    }
}

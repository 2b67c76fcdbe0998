import WatchProto

/// The account of a record: what its sender was told of its end, or is told when it asks.
///
/// Nothing else excuses a record. That it had an expiry, was asked back or has a successor says how
/// it may have ended, not that it did; whether what is told is so, the truth checker judges.
extension Ledger {
    /// Whether the sender of a record can know how it ended.
    func isAccountedFor(_ facts: RecordFacts) -> Bool {
        facts.isForgotten || facts.outcome != nil || facts.answer != nil
    }

    /// Whether a record has to have an account in the end.
    ///
    /// What was promised has, in whichever life. What was accepted and not promised is lost with
    /// its process, and with nothing else; so is every record that is not durable.
    func isOwed(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        if id.lane.traits.isDurable, facts.isPromised { return true }
        return facts.draft != nil && !facts.isOrphan
    }
}

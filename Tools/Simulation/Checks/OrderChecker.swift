import WatchProtoCore

/// Order: an ordered channel delivers its records in the order in which they were accepted, across
/// restarts of either side, in each history of either side (Models/IDENTITY.md, I3). A sender that
/// went back may send again a record before those of its former history; a record that its disk has
/// lost may be under way still. Nothing orders the records of two devices that take turns.
struct OrderChecker: Checker {
    static let name = "order"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .delivered(let record, _) = observation, let facts = ledger[record.id],
            record.id.channel.traits.order == .ordered, ledger.timesExchanged[1 - side] == 0
        else { return nil }
        // A record that comes again is the duplicate checker's business.
        if ledger.isGiven(record.id, facts) || ledger.isForgotten(record.id, facts) { return nil }
        let history = ledger.timesBack[facts.sender]
        let later = ledger.select { id, other in
            other.deliveredHistory == history && other.sequence > facts.sequence
                && other.sender == facts.sender
                && id.channel == record.id.channel && ledger.isGiven(id, other)
                && !ledger.isForgotten(id, other)
        }
        guard let last = later.compactMap({ ledger[$0]?.sequence }).max() else { return nil }
        return "\(record.id.text), accepted as number \(facts.sequence) of its channel,"
            + " was delivered after number \(last)"
    }
}

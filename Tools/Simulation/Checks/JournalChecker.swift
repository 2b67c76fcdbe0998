import WatchProtoCore

/// The journal: once a peer has said that its journal failed, it accepts nothing more, promises
/// nothing more and reports no end, until a new peer is opened on the journal.
struct JournalChecker: Checker {
    static let name = "journal"

    /// The life in which each side's journal failed; 0 for none.
    private var failedLife = [0, 0]

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        if case .event(.journalFailed) = observation {
            failedLife[side] = ledger.lives[side]
            return nil
        }
        guard failedLife[side] == ledger.lives[side], ledger.lives[side] > 0 else { return nil }
        switch observation {
        case .accepted(let id, _):
            return "\(id.text) was accepted after the journal had failed"
        case .event(.progress(let id, .queued)) where id.channel.traits.isDurable:
            return "\(id.text) was promised after the journal had failed"
        case .event(.settled(let id, let outcome)) where id.channel.traits.isDurable:
            return "\(id.text) was settled as \(outcome) after the journal had failed"
        default:
            return nil
        }
    }
}

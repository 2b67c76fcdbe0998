import WatchProtoCore

/// The past of a journal: nobody is said to have lost state whose disk never went back, nor to be a
/// copy where there is none.
struct CounterpartChecker: Checker {
    static let name = "counterpart"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .event(.counterpartChanged(let change)):
            let isFalse =
                switch change {
                case .wentBack, .wiped: ledger.timesBack[1 - side] == 0
                case .cloned: ledger.timesExchanged == [0, 0]
                case .first, .restarted: false
                }
            return isFalse ? "the other side was said to have \(change), but it never did" : nil
        case .event(.journalWentBack(let wiped)):
            guard ledger.timesBack[side] == 0 else { return nil }
            return "this side's journal was said to have \(wiped ? "been wiped" : "gone back")"
        default:
            return nil
        }
    }
}

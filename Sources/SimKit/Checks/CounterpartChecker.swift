import WatchProto

/// The past of a journal: nobody is said to have lost state, or to be a copy, whose disk never went
/// back; and who lost state is told so.
struct CounterpartChecker: Checker {
    static let name = "counterpart"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .event(.counterpartChanged(let change)):
            guard change == .wentBack || change == .wiped || change == .cloned,
                ledger.timesBack[1 - side] == 0
            else { return nil }
            return "the other side was said to have \(change), but its disk never went back"
        case .event(.linkClosed(.cloned)) where ledger.timesBack[side] == 0:
            return "this side was said to be a copy, but its disk never went back"
        case .event(.journalWentBack(let wiped)):
            guard ledger.timesBack[side] == 0 else { return nil }
            return "this side's journal was said to have \(wiped ? "been wiped" : "gone back")"
        default:
            return nil
        }
    }
}

import WatchProto

/// What is said of the counterpart's past is so: nobody is said to have lost what it held, or to be
/// a copy, whose disk never went back.
struct CounterpartChecker: Checker {
    static let name = "counterpart"

    private var wentBack = [false, false]

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .wiped, .restored:
            wentBack[side] = true
        case .event(.counterpartChanged(let change)):
            guard change == .lostItsState || change == .cloned, !wentBack[1 - side] else { break }
            return "the other side was said to have \(change), but its disk never went back"
        default:
            break
        }
        return nil
    }
}

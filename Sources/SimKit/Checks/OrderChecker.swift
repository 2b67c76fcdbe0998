import WatchProto

/// Order: an ordered channel delivers its records in the order in which they were accepted, across
/// restarts of either side, in each history of the receiver. (Nothing orders the records of two
/// devices that take turns.)
struct OrderChecker: Checker {
    static let name = "order"

    /// By receiving side and channel: the place of the last record delivered in this process.
    private var given = [[Int]](repeating: [Int](repeating: 0, count: Channel.count), count: 2)

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .delivered(let record, _):
            let channel = record.id.channel
            guard channel.traits.order == .ordered, let facts = ledger[record.id] else {
                return nil
            }
            // A record that comes again is the duplicate checker's business.
            if facts.deliveredLife == ledger.lives[side] { return nil }
            if ledger.disks[side].hasTaken(record.id) { return nil }
            let last = given[side][Int(channel.rawValue)]
            given[side][Int(channel.rawValue)] = max(last, facts.sequence)
            guard facts.sequence < last, ledger.timesExchanged[1 - side] == 0 else { return nil }
            return "\(record.id.text), accepted as number \(facts.sequence) of its channel,"
                + " was delivered after number \(last)"
        case .started:
            for channel in Channel.allCases where channel.traits.isDurable {
                given[side][Int(channel.rawValue)] =
                    ledger.disks[side].lastTaken[Int(channel.rawValue)]
            }
        default:
            break
        }
        return nil
    }
}

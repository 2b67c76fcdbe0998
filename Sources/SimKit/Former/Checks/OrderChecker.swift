import WatchProto

/// Order: an ordered lane gives its records in the order in which they were accepted, across
/// restarts of either side.
struct OrderChecker: Checker {
    static let name = "order"

    /// By receiving side and lane: the place of the last record given in this life, and of the last
    /// that is durable.
    private var given = [[Int]](repeating: [Int](repeating: 0, count: Lane.count), count: 2)
    private var durable = [[Int]](repeating: [Int](repeating: 0, count: Lane.count), count: 2)

    private var backups: [[Int]?] = [nil, nil]

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .delivered(let record, _):
            let lane = record.id.lane
            guard lane.traits.order == .ordered, let facts = ledger[record.id] else { return nil }
            // A record that comes again is the duplicate checker's business.
            if facts.deliveredLife == ledger.lives[side] || facts.isOnReceiversDisk { return nil }
            // One that was under way when a restored backup undid its acceptance has no place.
            if facts.isForgiven { return nil }
            let last = given[side][Int(lane.rawValue)]
            given[side][Int(lane.rawValue)] = max(last, facts.sequence)
            guard facts.sequence < last else { return nil }
            return "\(record.id), accepted as number \(facts.sequence) of its lane,"
                + " was given after number \(last)"
        case .committed(.effect(let id, _, _)), .committed(.noted(let id, _, _)),
            .committed(.refusal(let id, _)):
            guard let facts = ledger[id], !facts.isForgiven else { return nil }
            let lane = Int(id.lane.rawValue)
            durable[side][lane] = max(durable[side][lane], facts.sequence)
        case .crashed:
            for lane in Lane.allCases where lane.traits.isDurable {
                given[side][Int(lane.rawValue)] = durable[side][Int(lane.rawValue)]
            }
        case .wiped:
            backups[side] = nil
            goBack(side)
        case .backedUp:
            backups[side] = durable[side]
        case .restored:
            goBack(side)
        default:
            break
        }
        return nil
    }

    /// What `side` was given since its backup it is given again, if at all. What it sent may hold
    /// records again that it had taken back since, and that have no place among the later ones;
    /// from now on they ascend again.
    private mutating func goBack(_ side: Int) {
        let none = [Int](repeating: 0, count: Lane.count)
        durable[side] = backups[side] ?? none
        given[side] = durable[side]
        if backups[1 - side] != nil { backups[1 - side] = none }
        durable[1 - side] = none
        given[1 - side] = none
    }
}

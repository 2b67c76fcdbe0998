import WatchProto

/// Bounds: what is under way is what was accepted and not settled, each once; and what is
/// transmitted stays in proportion to what there was to say.
struct BoundsChecker: Checker {
    static let name = "bounds"

    private var usefulBytes = [0, 0]

    /// Each payload byte, and some for each record's envelope and receipts, may cross this often:
    /// on a lossless carrier once per session that had to begin anew; on a lossy one a silent link
    /// gets the whole window again at every time-out, which is plain but bounded.
    static let losslessRetransmissionLimit = 20
    static let lossyRetransmissionLimit = 600
    static let envelopeBytes = 128
    /// Handshakes, probes and greetings of an open or reopening link, a second.
    static let idleBytesPerSecond = 4_096

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .accepted(_, let draft):
            count(draft.payload.count)
        case .complicationAccepted(_, let payload):
            count(payload.count)
        case .outstanding(let ids):
            return surplus(ids, side: side, ledger)
        case .ended(let ending):
            return excess(ending)
        default:
            break
        }
        return nil
    }

    /// Either side may have to speak of every record: offer it, or acknowledge it.
    private mutating func count(_ bytes: Int) {
        usefulBytes[0] += bytes + Self.envelopeBytes
        usefulBytes[1] += bytes + Self.envelopeBytes
    }

    private func surplus(_ ids: [RecordID], side: Int, _ ledger: Ledger) -> String? {
        var seen = Set<RecordID>()
        for id in ids {
            if !seen.insert(id).inserted { return "\(id) is under way twice" }
            guard let facts = ledger[id] else {
                if id.mayBeUnnamed { continue }
                return "\(id) is under way, but was never accepted"
            }
            if facts.outcome != nil, facts.outcomeLife == ledger.lives[side] {
                return "\(id) is under way after its outcome"
            }
        }
        return nil
    }

    private func excess(_ ending: Ending) -> String? {
        for (side, end) in ending.sides.enumerated() {
            let seconds = Int(end.runTime.components.seconds) + 1
            let times =
                ending.isLossy ? Self.lossyRetransmissionLimit : Self.losslessRetransmissionLimit
            let limit = times * usefulBytes[side] + Self.idleBytesPerSecond * seconds
            if end.transmittedBytes > limit {
                return "side \(side) transmitted \(end.transmittedBytes) bytes,"
                    + " with \(usefulBytes[side]) to say in \(seconds) s"
            }
        }
        return nil
    }
}

import WatchProto

/// Which value wins: of the values of a key that the two disks hold, the newest stays, in the order
/// in which its sender's application said them. No side is handed back an older one than its own,
/// and none is shown in the place of a newer one, whatever was wiped, restored or compared. (Not
/// for a sender whose clock was set back and whose disk was wiped or replaced, in whichever order.)
struct WinnerChecker: Checker {
    static let name = "winner"

    private var tracks = OrderedTable<Ledger.KeyName, Track>()
    /// Which word of its key an accepted record carries.
    private var words = OrderedTable<RecordID, Int>()
    /// When a record was first given, by receiving side, as far as its disk remembers a backup.
    private var orders: [OrderedTable<RecordID, Int>] = [OrderedTable(), OrderedTable()]
    /// The same, as its disk holds it: a crash undoes what was given and is not written.
    private var kept: [OrderedTable<RecordID, Int>] = [OrderedTable(), OrderedTable()]
    private var given = 0
    /// Which word of which key a record carries that its peer made by itself.
    private var again = OrderedTable<RecordID, (Ledger.KeyName, Int)>()
    private var backups: [Backup?] = [nil, nil]

    /// What a copy of one side's disk tells.
    struct Backup: Sendable {
        var tracks = OrderedTable<Ledger.KeyName, Track>()
        var orders = OrderedTable<RecordID, Int>()
    }

    /// Where in the row of its key's words a value may stand: one value may have been said twice.
    struct Span: Sendable {
        var low: Int
        var high: Int
    }

    /// Something the sender has for its own: a record of its, or what it took over.
    struct Own: Sendable {
        var span: Span
        var id: RecordID?
    }

    /// One key on its way from one side; `KeyName.side` is the sender.
    struct Track: Sendable {
        /// Fingerprints of the sender's words, oldest first, also of those that are forgotten.
        var said: [UInt64] = []
        /// The records that carried them; nil for one that none did.
        var records: [RecordID?] = []
        /// Words of a life that a wipe or a backup has undone: not said, as far as the sender
        /// knows.
        var undone: [Int] = []
        /// What its disk holds of them, oldest first; and its peer, in this life.
        var disk: [Own] = []
        var memory: [Own] = []
        /// A value handed back that its disk does not hold yet.
        var handedBack: UInt64?
        /// What the receiver's disk shows, and when that was given.
        var shown: Span?
        var shownOrder = 0
        /// Words that gave way to a later one, whatever a backup knows of it.
        var superseded: [Int] = []
        /// Words that the receiver refused when the peer by itself sent them again.
        var refused: [Int] = []

        func span(of value: UInt64) -> Span? {
            guard let low = said.firstIndex(of: value), let high = said.lastIndex(of: value)
            else { return nil }
            return Span(low: low, high: high)
        }
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .accepted(let id, let draft):
            guard let key = draft.key, id.lane.traits.order == .newestPerKey else { return nil }
            let value = Payloads.fingerprint(draft.kind, draft.payload)
            tracks.update(Ledger.KeyName(side: side, lane: id.lane, key: key), default: Track()) {
                words[id] = $0.said.count
                $0.memory.append(Own(span: $0.say(value, in: id), id: id))
            }
        case .complicationAccepted(let key, let payload):
            tracks.update(
                Ledger.KeyName(side: side, lane: .complication, key: key), default: Track()
            ) { _ = $0.say(ContentHash.of(payload)) }
        case .committed(.queued(let id)):
            guard let word = words[id], let key = ledger[id]?.draft?.key else { return nil }
            tracks.modify(Ledger.KeyName(side: side, lane: id.lane, key: key)) {
                // What a set says is written before its records: on a slow disk it may look like a
                // later word of the same value.
                $0.disk.removeAll { $0.id == nil && $0.span.low == word }
                $0.disk.append(Own(span: Span(low: word, high: word), id: id))
            }
        case .committed(.own(let lane, let key, let value)):
            tracks.update(Ledger.KeyName(side: side, lane: lane, key: key), default: Track()) {
                $0.hold(value)
            }
        case .event(.settled(let id, .superseded)):
            guard let word = words[id], let key = ledger[id]?.draft?.key else { return nil }
            tracks.modify(Ledger.KeyName(side: side, lane: id.lane, key: key)) {
                $0.superseded.append(word)
            }
        case .event(.handedBack(let lane, let key, let kind, let payload)):
            let name = Ledger.KeyName(side: side, lane: lane, key: key)
            let message = takeBack(name, Payloads.fingerprint(kind, payload), ledger)
            return ledger.isMisled(name.side) ? nil : message
        case .delivered(let record, let disposition):
            guard record.key != nil, orders[side][record.id] == nil else { return nil }
            given += 1
            orders[side][record.id] = given
            guard ledger[record.id]?.draft == nil, let key = record.key else { return nil }
            let name = Ledger.KeyName(side: 1 - side, lane: record.id.lane, key: key)
            let value = Payloads.fingerprint(record.kind, record.payload)
            again[record.id] = tracks[name]?.span(of: value).map { (name, $0.high) }
            if case .rejected = disposition { refuse(record.id) }
        case .decided(let id, .rejected):
            refuse(id)
        case .committed(.noted(let id, _, _)), .committed(.refusal(let id, _)):
            kept[side][id] = orders[side][id]
        case .committed(.effect(let id, let key?, let value)):
            kept[side][id] = orders[side][id]
            let name = Ledger.KeyName(side: 1 - side, lane: id.lane, key: key)
            let message = show(id, name, value)
            // Where nobody forgot anything, it is the newest checker's business.
            return ledger.hasForgotten && !ledger.isMisled(name.side) ? message : nil
        case .crashed:
            orders[side] = kept[side]
            tracks.modifyAll { name, track in
                guard name.side == side else { return }
                (track.memory, track.handedBack) = (track.disk, nil)
            }
        case .wiped:
            backups[side] = nil
            goBack(side, to: Backup())
        case .backedUp:
            backups[side] = Backup(tracks: tracks, orders: kept[side])
        case .restored:
            goBack(side, to: backups[side] ?? Backup())
        default:
            break
        }
        return nil
    }

    private mutating func refuse(_ id: RecordID) {
        guard let (name, word) = again[id] else { return }
        tracks.modify(name) { $0.refused.append(word) }
    }

    /// A value is its sender's again: it is newer than what that has for its own.
    private mutating func takeBack(
        _ name: Ledger.KeyName, _ value: UInt64, _ ledger: Ledger
    ) -> String? {
        var message: String?
        tracks.update(name, default: Track()) { track in
            guard let span = track.span(of: value) else {
                message = "\(name.text): a value was handed back that it never said"
                return
            }
            track.handedBack = value
            for own in [track.disk, track.memory].compactMap({ track.newest($0, ledger) })
            where span.high < own.low && !track.refused.contains(own.low) {
                message =
                    "\(name.text): word \(span.high) was handed back, its own is word \(own.low)"
            }
            track.memory.append(Own(span: span, id: nil))
        }
        return message
    }

    /// The receiver's disk holds a value: it is no older than the one in its place.
    private mutating func show(
        _ id: RecordID, _ name: Ledger.KeyName, _ value: UInt64
    ) -> String? {
        guard id.lane.traits.order == .newestPerKey else { return nil }
        let order = orders[1 - name.side][id] ?? 0
        let word = words[id].map { Span(low: $0, high: $0) }
        var message: String?
        tracks.update(name, default: Track()) { track in
            // The application leaves what it shows where it decides on an older value.
            guard order >= track.shownOrder else { return }
            guard let span = word ?? track.span(of: value) else { return }
            if let shown = track.shown, span.high < shown.low {
                message =
                    "\(name.text): \(id) shows word \(span.high) in the place of word \(shown.low)"
            }
            (track.shown, track.shownOrder) = (span, order)
        }
        return message
    }

    private mutating func goBack(_ side: Int, to former: Backup) {
        (orders[side], kept[side]) = (former.orders, former.orders)
        tracks.modifyAll { name, track in
            let then = former.tracks[name] ?? Track()
            if name.side == side {
                track.undone += then.said.count..<track.said.count
                (track.disk, track.memory, track.handedBack) = (then.disk, then.disk, nil)
            } else {
                (track.shown, track.shownOrder) = (then.shown, then.shownOrder)
            }
        }
    }
}

extension Ledger.KeyName {
    fileprivate var text: String {
        "\(lane), key \(key.rawValue) of \(WorldNames.side(side))"
    }
}

import WatchProto

/// Newest wins: of a key, an older value is never given after a newer one; equal complication
/// states are never given twice in a row. (Not where the sender's clock was set back and its disk
/// wiped or replaced.)
struct NewestChecker: Checker {
    static let name = "newest"

    private var tracks = OrderedTable<Ledger.KeyName, KeyTrack>()
    /// Which value of its key a record given to the receiver carried.
    private var places = OrderedTable<RecordID, Int>()
    /// Of which key, also where its peer sent it by itself.
    private var names = OrderedTable<RecordID, Ledger.KeyName>()

    /// The tracks at each side's last backup.
    private var backups: [OrderedTable<Ledger.KeyName, KeyTrack>?] = [nil, nil]

    /// The record refused last: a value refused was never shown.
    private var refused: RecordID?

    /// One key on its way from one side; `KeyName.side` is the sender.
    struct KeyTrack: Sendable {
        /// Fingerprints of the values the sender's application gave, equal neighbours once.
        var values: [UInt64] = []
        /// Which of them was given last to the receiver (−1: none); in this life and durably.
        var given = -1
        var durable = -1
        /// What was given before that, oldest first: it counts again when the application refuses
        /// what came after it. Several may be left pending, and be refused in any order.
        var former: [Int] = []
        /// What the sender's disk holds.
        var own: UInt64?

        /// Another value is given after the one at `place`.
        mutating func follow(_ place: Int) {
            former.append(place)
            if former.count > 16 { former.removeFirst() }
        }
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .accepted(let id, let draft):
            guard let key = draft.key else { return nil }
            offer(
                Ledger.KeyName(side: side, lane: id.lane, key: key),
                Payloads.fingerprint(draft.kind, draft.payload))
        case .complicationAccepted(let key, let payload):
            offer(
                Ledger.KeyName(side: side, lane: .complication, key: key),
                ContentHash.of(payload))
        case .delivered(let record, let disposition):
            if case .rejected = disposition { refused = record.id }
            let message = given(record, side: side, ledger)
            return ledger.isMisled(1 - side) ? nil : message
        case .decided(let id, .rejected):
            takeBack(id)
        case .committed(.own(let lane, let key, let value)):
            let name = Ledger.KeyName(side: side, lane: lane, key: key)
            tracks.update(name, default: KeyTrack()) { $0.own = value }
        case .committed(.effect(let id, let key?, _)):
            let name = Ledger.KeyName(side: 1 - side, lane: id.lane, key: key)
            tracks.update(name, default: KeyTrack()) { track in
                track.durable = max(track.durable, places[id] ?? -1)
            }
        case .crashed:
            tracks.modifyAll { name, track in
                if name.side != side {
                    track.given = min(track.given, track.durable)
                    track.former.removeAll { $0 > track.durable }
                }
                // The sender is back at what its disk holds, and may say so.
                if name.side == side, let own = track.own, track.values.last != own {
                    track.values.append(own)
                }
            }
        case .wiped:
            backups[side] = nil
            goBack(side, to: OrderedTable())
        case .backedUp:
            backups[side] = tracks
        case .restored:
            goBack(side, to: backups[side] ?? OrderedTable())
        default:
            break
        }
        return nil
    }

    /// What `side` said since its backup it no longer knows, and what it showed since is gone.
    private mutating func goBack(_ side: Int, to former: OrderedTable<Ledger.KeyName, KeyTrack>) {
        tracks.modifyAll { name, track in
            let then = former[name]
            if name.side == side {
                track.own = then?.own
            } else {
                track.given = then?.durable ?? -1
                track.durable = track.given
                track.former = then?.former ?? []
            }
        }
    }

    private mutating func offer(_ name: Ledger.KeyName, _ value: UInt64) {
        tracks.update(name, default: KeyTrack()) { track in
            if track.values.last != value { track.values.append(value) }
        }
    }

    /// A value left pending and then refused gives way to the one before it.
    private mutating func takeBack(_ id: RecordID) {
        guard let name = names[id], let place = places[id] else { return }
        tracks.modify(name) { track in
            if track.given == place {
                track.given = track.former.popLast() ?? -1
            } else if let slot = track.former.lastIndex(of: place) {
                track.former.remove(at: slot)
            }
        }
    }

    private mutating func given(
        _ record: InboundRecord, side: Int, _ ledger: Ledger
    ) -> String? {
        guard let key = record.key, record.id.lane.traits.order == .newestPerKey else { return nil }
        // A record that comes again is the duplicate checker's business.
        if let facts = ledger[record.id],
            facts.deliveredLife == ledger.lives[side] || facts.isOnReceiversDisk
        {
            return nil
        }
        let value = Payloads.fingerprint(record.kind, record.payload)
        let name = Ledger.KeyName(side: 1 - side, lane: record.id.lane, key: key)
        names[record.id] = name
        let isComplication = record.id.lane == .complication
        var found: Int?
        let message = tracks.modify(name) { track -> String? in
            let last = track.given
            // Equal neighbours are one value: given again, it is the one given last.
            if !isComplication, last >= 0, track.values[last] == value {
                if record.id != refused { track.follow(last) }
                found = last
                return nil
            }
            // The earliest place after the last one given: if even that fails, no order of the
            // accepted values explains what was given.
            let rest = track.values[(last + 1)...]
            if let place = rest.firstIndex(of: value) {
                if record.id != refused {
                    track.follow(last)
                    track.given = place
                }
                found = place
                return nil
            }
            guard let place = track.values.lastIndex(of: value) else { return nil }
            if place == last {
                return isComplication
                    ? "\(record.id) shows a state equal to the one shown before" : nil
            }
            return "\(record.id) shows value \(place) of its key after value \(last)"
        }
        places[record.id] = found ?? places[record.id]
        return message ?? nil
    }
}

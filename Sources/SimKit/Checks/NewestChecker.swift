import WatchProto

/// Newest wins: of a key, an older value is never delivered after a newer one in one history of the
/// receiver; equal complication states are never delivered twice in a row. (Nothing orders the
/// values of two devices that take turns.)
struct NewestChecker: Checker {
    static let name = "newest"

    private var tracks = OrderedTable<Ledger.KeyName, Track>()
    private var backups: [OrderedTable<Ledger.KeyName, Track>?] = [nil, nil]
    /// By record: its key, and the place of its value among the values of the key.
    private var given: [RecordID: (name: Ledger.KeyName, place: Int)] = [:]

    /// One key on its way from one side; `KeyName.side` is the sender.
    struct Track: Sendable {
        /// Fingerprints of the values that the sender's application gave, equal neighbours once.
        var values: [UInt64] = []
        /// Places of the values delivered, oldest first: in this process, and durably. A refused
        /// one is taken out.
        var shown: [Int] = []
        var durable: [Int] = []
        /// Places of values that the receiver left pending and has not decided on.
        var pending = Set<Int>()
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .accepted(let id, let draft):
            guard let key = draft.key else { return nil }
            let value = Payloads.fingerprint(draft.kind, draft.payload)
            tracks.update(
                Ledger.KeyName(side: side, channel: id.channel, key: key), default: Track()
            ) { if $0.values.last != value { $0.values.append(value) } }
        case .delivered(let record, let disposition):
            defer { if case .rejected = disposition { refuse(record.id) } }
            return judge(record, disposition, side: side, ledger)
        case .decided(let id, let word):
            guard let (name, place) = given[id] else { return nil }
            tracks.modify(name) { $0.pending.remove(place) }
            // It had taken the place of those that were pending before it.
            if case .rejected = word { refuse(id, withPending: true) }
        case .committed(.effect(let id, _, _)), .committed(.noted(let id, _, _)):
            guard let (name, place) = given[id] else { return nil }
            tracks.modify(name) { if !$0.durable.contains(place) { $0.durable.append(place) } }
        case .crashed:
            tracks.modifyAll { name, track in
                if name.side != side { track.shown = track.durable }
            }
        case .wiped:
            backups[side] = nil
            goBack(side, to: OrderedTable())
        case .backedUp:
            backups[side] = tracks
        case .restored:
            goBack(side, to: backups[side] ?? OrderedTable())
        case .exchanged:
            let other = backups[side] ?? OrderedTable()
            backups[side] = tracks
            goBack(side, to: other)
        default:
            break
        }
        return nil
    }

    private mutating func goBack(_ side: Int, to former: OrderedTable<Ledger.KeyName, Track>) {
        tracks.modifyAll { name, track in
            guard name.side != side else { return }
            track.durable = former[name]?.durable ?? []
            track.shown = track.durable
            track.pending = former[name]?.pending ?? []
        }
    }

    /// A refused value was never shown.
    private mutating func refuse(_ id: RecordID, withPending: Bool = false) {
        guard let (name, place) = given[id] else { return }
        tracks.modify(name) { track in
            let gone = withPending ? track.pending.filter { $0 < place } : []
            track.shown.removeAll { $0 == place || gone.contains($0) }
            track.durable.removeAll { $0 == place || gone.contains($0) }
        }
    }

    private mutating func judge(
        _ record: InboundRecord, _ disposition: Disposition, side: Int, _ ledger: Ledger
    ) -> String? {
        guard let key = record.key, record.id.channel.traits.order == .latestValue,
            ledger.timesExchanged[1 - side] == 0
        else { return nil }
        // A record that comes again is the duplicate checker's business.
        if let facts = ledger[record.id], facts.deliveredLife == ledger.lives[side] { return nil }
        if ledger.disks[side].hasTaken(record.id) { return nil }
        let value = Payloads.fingerprint(record.kind, record.payload)
        let name = Ledger.KeyName(side: 1 - side, channel: record.id.channel, key: key)
        let isComplication = record.id.channel.traits.skipsEqual
        var found: Int?
        let message = tracks.modify(name) { track -> String? in
            let last = track.shown.last ?? -1
            // Equal neighbours are one value: delivered again, it is the one delivered last.
            if !isComplication, last >= 0, track.values[last] == value {
                found = last
                return nil
            }
            // The earliest place after the last one: if even that fails, no order of the accepted
            // values explains the deliveries.
            if let place = track.values[(last + 1)...].firstIndex(of: value) {
                track.shown.append(place)
                found = place
                return nil
            }
            guard let place = track.values.lastIndex(of: value) else { return nil }
            if place == last {
                return isComplication && !ledger.hasForgotten
                    ? "\(record.id.text) shows a state equal to the one shown before" : nil
            }
            return "\(record.id.text) shows value \(place) of its key after value \(last)"
        }
        if let found {
            given[record.id] = (name, found)
            tracks.modify(name) { track in
                if disposition == .pending {
                    track.pending.insert(found)
                } else {
                    track.pending.remove(found)
                }
            }
        }
        return message ?? nil
    }
}

import WatchProtoCore

/// Newest wins: of a key, an older value is never delivered after a newer one in one history of the
/// receiver; a value equal to the one that was applied last is not delivered. (Nothing orders the
/// values of two devices that take turns.)
struct LastWriterChecker: Checker {
    static let name = "last-writer"

    private var tracks = OrderedTable<Ledger.KeyName, Track>()
    private var backups: [OrderedTable<Ledger.KeyName, Track>?] = [nil, nil]
    /// By record: its key, and the place of its value among the values of the key.
    private var given: [RecordID: (name: Ledger.KeyName, place: Int)] = [:]

    /// One key on its way from one side; `KeyName.side` is the sender.
    struct Track: Sendable {
        /// Fingerprints of the values that the sender's application gave, and of those that were
        /// its newest once more, equal neighbours once.
        private(set) var values: [UInt64] = []
        /// The newest record of each value.
        private(set) var records: [RecordID] = []
        /// The values delivered, as the receiver's process knows them, and as its disk does.
        var present = Shown()
        var durable = Shown()

        /// A value is the newest of its key.
        mutating func give(_ value: UInt64, _ record: RecordID) {
            if values.last == value {
                records[records.count - 1] = record
            } else {
                values.append(value)
                records.append(record)
            }
        }
    }

    /// The values that were delivered and not refused, oldest first: of each its record, its place,
    /// and whether the receiver left it pending and has not decided on it.
    struct Shown: Sendable {
        var values: [(id: RecordID, place: Int, isPending: Bool)] = []

        mutating func show(_ id: RecordID, _ place: Int, isPending: Bool) {
            if let slot = values.firstIndex(where: { $0.id == id }) {
                values[slot].isPending = isPending
            } else {
                values.append((id, place, isPending))
            }
        }

        /// A refused value was never shown. One that was pending had taken the place of those
        /// that were pending before it.
        mutating func refuse(_ id: RecordID) {
            guard let slot = values.firstIndex(where: { $0.id == id }) else { return }
            let later = values[(slot + 1)...]
            let earlier = values[..<slot].filter { !values[slot].isPending || !$0.isPending }
            values = earlier + later
        }
    }

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .accepted(let id, let draft):
            guard let key = draft.key else { return nil }
            let value = Payloads.fingerprint(draft.kind, draft.payload)
            tracks.update(
                Ledger.KeyName(side: side, channel: id.channel, key: key), default: Track()
            ) { $0.give(value, id) }
        case .renewed(let id, let key, let value):
            let name = Ledger.KeyName(side: side, channel: id.channel, key: key)
            giveAgain(value, id, name, ledger)
        case .delivered(let record, let disposition):
            return evaluate(record, disposition, side: side, ledger)
        case .decided(let id, let word):
            take(word, id, \.present)
        case .committed(.effect(let id, _, _)):
            take(.applied, id, \.durable)
        case .committed(.noted(let id, _, _)):
            take(.pending, id, \.durable)
        case .committed(.refusal(let id, let code)):
            take(.rejected(code: code), id, \.durable)
        case .crashed:
            tracks.modifyAll { name, track in
                if name.side != side { track.present = track.durable }
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

    /// A value is the newest of its key at its sender once more: the receiver shows none of the
    /// later ones, and the sender's disk has lost them.
    private mutating func giveAgain(
        _ value: UInt64, _ id: RecordID, _ name: Ledger.KeyName, _ ledger: Ledger
    ) {
        tracks.modify(name) { track in
            guard let place = track.values.lastIndex(of: value),
                place >= track.present.values.last?.place ?? 0,
                ledger.disks[name.side].queued.isDisjoint(
                    with: track.records[(place + 1)...])
            else { return }
            track.give(value, id)
        }
    }

    private mutating func goBack(_ side: Int, to former: OrderedTable<Ledger.KeyName, Track>) {
        tracks.modifyAll { name, track in
            guard name.side != side else { return }
            track.durable = former[name]?.durable ?? Shown()
            track.present = track.durable
        }
    }

    /// Takes the application's word on a record that it was given.
    private mutating func take(
        _ word: Disposition, _ id: RecordID, _ shown: WritableKeyPath<Track, Shown>
    ) {
        guard let (name, place) = given[id] else { return }
        tracks.modify(name) { track in
            if case .rejected = word {
                track[keyPath: shown].refuse(id)
            } else {
                track[keyPath: shown].show(id, place, isPending: word == .pending)
            }
        }
    }

    private mutating func evaluate(
        _ record: InboundRecord, _ disposition: Disposition, side: Int, _ ledger: Ledger
    ) -> String? {
        guard let key = record.key, record.id.channel.traits.order == .latestValue,
            ledger.timesExchanged[1 - side] == 0, !ledger.isOwnRemoval(record, sender: 1 - side)
        else { return nil }
        // A record that comes again is the duplicate checker's business.
        if let facts = ledger[record.id], facts.deliveredLife == ledger.lives[side] { return nil }
        if ledger.disks[side].hasTaken(record.id) { return nil }
        let value = Payloads.fingerprint(record.kind, record.payload)
        let name = Ledger.KeyName(side: 1 - side, channel: record.id.channel, key: key)
        var found: Int?
        let message = tracks.modify(name) { track -> String? in
            let shown = track.present.values.last
            let last = shown?.place ?? -1
            // Neither side remembers a removal for ever.
            let isKnown = shown?.isPending == false && value != 0 && !ledger.hasForgotten
            if last >= 0, track.values[last] == value, !isKnown {
                found = last
                return nil
            }
            // The earliest place after the last one: if even that fails, no order of the accepted
            // values explains the deliveries.
            if let place = track.values[(last + 1)...].firstIndex(of: value) {
                found = place
                return nil
            }
            guard let place = track.values.lastIndex(of: value) else { return nil }
            guard place != last else {
                return "\(record.id.text) shows a value equal to the one shown before"
            }
            return "\(record.id.text) shows value \(place) of its key after value \(last)"
        }
        if let found {
            given[record.id] = (name, found)
            take(disposition, record.id, \.present)
        }
        return message ?? nil
    }
}

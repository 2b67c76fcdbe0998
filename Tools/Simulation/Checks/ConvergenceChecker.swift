import WatchProtoCore

/// Convergence: in the end the receiver shows of each key what the sender holds, and the sender
/// holds no older value than the newest on its disk that was not cancelled, has not expired, was
/// not refused and gave way to no later one. A key is open where such an ended value is its newest.
/// It is open, too, where its newest is of an opening that the sender mended before it went back to
/// a copy from before that: `latest-value-channels.md` states that limit.
struct ConvergenceChecker: Checker {
    static let name = "convergence"

    private var tracks = OrderedTable<Ledger.KeyName, Track>()
    private var backups: [Backup?] = [nil, nil]
    /// When a record was delivered first, and its key and value: in this process of the receiver,
    /// and as its disk holds it.
    private var orders: [[RecordID: Delivery]] = [[:], [:]]
    private var kept: [[RecordID: Delivery]] = [[:], [:]]
    private var deliveries = 0
    /// The openings that gave their values new versions since each side was copied, and those of
    /// which that was undone.
    private var mended: [Set<EpochID>] = [[], []]
    private var undone = Set<EpochID>()

    private struct Delivery {
        var order: Int
        var name: Ledger.KeyName
        var value: UInt64
    }

    /// The contents of a copy of one side's disk.
    private struct Backup {
        var tracks = OrderedTable<Ledger.KeyName, Track>()
        var kept: [RecordID: Delivery] = [:]
    }

    /// One key on its way from one side; `KeyName.side` is the sender.
    private struct Track {
        /// Fingerprints of all values that the sender's application gave; 0 is a removal.
        var values: [UInt64] = []
        /// Their records.
        var records: [RecordID] = []
        /// The value that the receiver's disk shows, and when that was delivered.
        var shown: UInt64 = 0
        var shownOrder = 0
        /// Values that the receiver refused.
        var refused = Set<UInt64>()
        /// The value that the sender's peer holds at the end of the run.
        var held: (id: RecordID?, value: UInt64)?
    }

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .accepted(let id, let draft):
            guard let key = draft.key else { return nil }
            let value = Payloads.fingerprint(draft.kind, draft.payload)
            tracks.update(
                Ledger.KeyName(side: side, channel: id.channel, key: key), default: Track()
            ) {
                $0.records.append(id)
                $0.values.append(value)
            }
        case .delivered(let record, let disposition):
            deliver(record, to: side)
            if case .rejected = disposition { refuse(record.id, side) }
        case .decided(let id, .rejected):
            refuse(id, side)
        case .event(.renumbered(let id, let present)) where id.epoch == present.epoch:
            mended[side].insert(id.epoch)
        case .committed(.noted(let id, _, _)), .committed(.refusal(let id, _)):
            kept[side][id] = orders[side][id]
        case .committed(.effect(let id, _?, let value)):
            kept[side][id] = orders[side][id]
            show(value, of: id, side)
        case .crashed:
            orders[side] = kept[side]
        case .wiped:
            backups[side] = nil
            goBack(side, to: Backup())
        case .backedUp:
            mended[side] = []
            backups[side] = Backup(tracks: tracks, kept: kept[side])
        case .restored:
            undone.formUnion(mended[side])
            goBack(side, to: backups[side] ?? Backup())
        case .exchanged:
            let other = backups[side] ?? Backup()
            backups[side] = Backup(tracks: tracks, kept: kept[side])
            goBack(side, to: other)
        case .holds(let channel, let key, let id, let value):
            tracks.modify(Ledger.KeyName(side: side, channel: channel, key: key)) {
                $0.held = (id, value)
            }
        case .ended(let ending) where ending.isHealed && ending.isDrained:
            return divergence(ledger)
        default:
            break
        }
        return nil
    }

    private mutating func deliver(_ record: InboundRecord, to side: Int) {
        guard let key = record.key, orders[side][record.id] == nil else { return }
        deliveries += 1
        orders[side][record.id] = Delivery(
            order: deliveries,
            name: Ledger.KeyName(side: 1 - side, channel: record.id.channel, key: key),
            value: Payloads.fingerprint(record.kind, record.payload))
    }

    private mutating func refuse(_ id: RecordID, _ side: Int) {
        guard let delivery = orders[side][id] else { return }
        tracks.modify(delivery.name) { $0.refused.insert(delivery.value) }
    }

    /// The application leaves what it shows where it decides on an older value.
    private mutating func show(_ value: UInt64, of id: RecordID, _ side: Int) {
        guard let delivery = orders[side][id] else { return }
        tracks.modify(delivery.name) { track in
            guard delivery.order >= track.shownOrder else { return }
            (track.shown, track.shownOrder) = (value, delivery.order)
        }
    }

    private mutating func goBack(_ side: Int, to former: Backup) {
        (orders[side], kept[side]) = (former.kept, former.kept)
        tracks.modifyAll { name, track in
            guard name.side != side else { return }
            let then = former.tracks[name] ?? Track()
            (track.shown, track.shownOrder) = (then.shown, then.shownOrder)
        }
    }

    private func divergence(_ ledger: Ledger) -> String? {
        for (slot, track) in tracks.values.enumerated() {
            let name = tracks.keys[slot]
            guard let (id, value) = track.held else { continue }
            if isOpen(id, value, track, ledger) { continue }
            if let place = track.values.lastIndex(of: value) {
                let queued = track.records.indices.filter {
                    ledger.disks[name.side].queued.contains(track.records[$0])
                }
                let newest = queued.last { place in
                    let id = track.records[place]
                    if isEnded(id, ledger) { return false }
                    return place == queued.last || ledger[id]?.knownOutcome != .superseded
                }
                if let newest, place < newest, !wasMendedAlone(newest, of: track, ledger) {
                    return "\(name.text): the sender went back to value \(place) of \(newest)"
                }
            } else if value != 0 {
                return "\(name.text): the sender holds a value that was never given"
            }
            if track.shown != value {
                let shown = track.values.lastIndex(of: track.shown) ?? -1
                let held = track.values.lastIndex(of: value) ?? -1
                return "\(name.text): the receiver shows value \(shown), the sender holds \(held)"
            }
        }
        return nil
    }

    /// Whether a value is of an opening whose mending was undone, and the receiver took none of the
    /// key's values of that opening.
    private func wasMendedAlone(_ place: Int, of track: Track, _ ledger: Ledger) -> Bool {
        let epoch = track.records[place].epoch
        guard undone.contains(epoch) else { return false }
        return !track.records.contains { id in
            guard id.epoch == epoch, let facts = ledger[id] else { return false }
            let name = facts.renamed ?? id
            return ledger[name].map { ledger.tookEffect(name, $0) } ?? false
        }
    }

    private func isOpen(
        _ id: RecordID?, _ value: UInt64, _ track: Track, _ ledger: Ledger
    ) -> Bool {
        if track.refused.contains(value) { return true }
        // Where both went back, a key of which the receiver has nothing but a refusal was removed.
        if value == 0, track.shown == 0, !track.refused.isEmpty, !ledger.timesBack.contains(0) {
            return true
        }
        // A side that has forgotten a removal names no record.
        return (id ?? track.records.last).map { isEnded($0, ledger) } ?? false
    }

    /// Whether a value was cancelled, has expired or was refused, under its last name. A value that
    /// the receiver's disk refused is over, even if the sender's disk has forgotten that.
    private func isEnded(_ id: RecordID, _ ledger: Ledger) -> Bool {
        guard let facts = ledger[id] else { return false }
        if let renamed = facts.renamed { return isEnded(renamed, ledger) }
        if ledger.disks[1 - facts.sender].refusals[id] != nil { return true }
        switch facts.knownOutcome {
        case .cancelled, .expired, .rejected: return true
        default: return false
        }
    }
}

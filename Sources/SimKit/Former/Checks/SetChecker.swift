import WatchProto

/// Whole sets: in the end the receiver shows of each key what the sender holds: removed keys are
/// gone, and nothing else is. What becomes of a key is open where its newest value was cancelled or
/// let expire, or one that would be shown was refused, until the next one.
struct SetChecker: Checker {
    static let name = "whole-set"

    private var tracks = OrderedTable<Ledger.KeyName, Track>()
    /// When each record of a key was given first, and of which key it is: those that a peer sends
    /// again by itself were never accepted. By receiving side, as far as its disk remembers: a
    /// record given to a wiped side is the newest that it knows.
    private var places: [OrderedTable<RecordID, Place>] = [OrderedTable(), OrderedTable()]
    /// The same, as its disk holds it: of what a crash undid, its giving is undone as well, and the
    /// record given again is the newest then.
    private var kept: [OrderedTable<RecordID, Place>] = [OrderedTable(), OrderedTable()]
    private var given = 0
    private var backups: [Backup?] = [nil, nil]
    private var refused = Set<RecordID>()

    struct Place: Sendable {
        var order: Int
        var key: RecordKey
    }

    /// What a copy of one side's disk tells.
    struct Backup: Sendable {
        var tracks = OrderedTable<Ledger.KeyName, Track>()
        var places = OrderedTable<RecordID, Place>()
    }

    /// One key on its way from one side; `KeyName.side` is the sender.
    struct Track: Sendable {
        /// What the disks hold, as fingerprints; 0 for nothing.
        var own: UInt64 = 0
        var shown: UInt64 = 0
        /// The place of what is shown, among all that was given.
        var shownPlace = 0
        /// The newest record of the key on its sender's disk, and its place in its lane; nil where
        /// another value was handed back since.
        var newestID: RecordID?
        var newest = 0
        var isOpen = false
        /// The record whose effect is shown.
        var effect: RecordID?
        /// Nothing is open any more.
        var isNewestShown: Bool { effect != nil && effect == newestID }
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .committed(.queued(let id)):
            // A value that nothing stands against: what became of older ones matters no more.
            guard let facts = ledger[id], let draft = facts.draft else { return nil }
            note(facts.sender, id, draft.key) { track in
                guard facts.sequence >= track.newest else { return }
                (track.newest, track.newestID) = (facts.sequence, id)
                track.isOpen = draft.expiresAt != nil || facts.isCancelAsked
            }
        case .cancelAsked(let id):
            guard let facts = ledger[id] else { return nil }
            note(facts.sender, id, facts.draft?.key) { track in
                if facts.sequence >= track.newest { track.isOpen = true }
            }
        case .delivered(let record, let word):
            guard let key = record.key else { return nil }
            if places[side][record.id] == nil {
                given += 1
                places[side][record.id] = Place(order: given, key: key)
            }
            if case .rejected = word { refuse(record.id, receiver: side) }
        case .decided(let id, .rejected):
            refuse(id, receiver: side)
        case .event(.settled(let id, .cancelled)), .event(.settled(let id, .expired)),
            .event(.settled(let id, .rejected)):
            // Its sender knows now, also where a backup had made it forget that it asked, or that
            // what came after it was shown.
            note(side, id, ledger[id]?.draft?.key) { track in
                if track.newestID == id { track.isOpen = true }
            }
        case .event(.handedBack(let lane, let key, _, _)):
            let name = Ledger.KeyName(side: side, lane: lane, key: key)
            tracks.update(name, default: Track()) { $0.newestID = nil }
        case .committed(.own(let lane, let key, let value)):
            let name = Ledger.KeyName(side: side, lane: lane, key: key)
            tracks.update(name, default: Track()) { $0.own = value }
        case .committed(.noted(let id, _, _)), .committed(.refusal(let id, _)):
            kept[side][id] = places[side][id]
        case .committed(.effect(let id, let key, let value)):
            kept[side][id] = places[side][id]
            // The application leaves what it shows where it decides on an older value.
            let place = places[side][id]?.order ?? 0
            note(1 - side, id, key) { track in
                guard place >= track.shownPlace else { return }
                (track.shown, track.shownPlace) = (value, place)
                track.effect = id
            }
        case .crashed:
            places[side] = kept[side]
        case .wiped:
            backups[side] = nil
            goBack(side, to: Backup())
        case .backedUp:
            backups[side] = Backup(tracks: tracks, places: kept[side])
        case .restored:
            goBack(side, to: backups[side] ?? Backup())
        case .ended(let ending) where ending.isHealed && ending.isDrained:
            return divergence()
        default:
            break
        }
        return nil
    }

    private mutating func note(
        _ sender: Int, _ id: RecordID, _ key: RecordKey?, _ change: (inout Track) -> Void
    ) {
        guard let key, id.lane.traits.order == .newestPerKey else { return }
        tracks.update(
            Ledger.KeyName(side: sender, lane: id.lane, key: key), default: Track(), change)
    }

    /// A value was refused; that matters unless a newer one is shown.
    private mutating func refuse(_ id: RecordID, receiver: Int) {
        guard let place = places[receiver][id] else { return }
        refused.insert(id)
        note(1 - receiver, id, place.key) { track in
            if place.order >= track.shownPlace { track.isOpen = true }
        }
    }

    /// What `side` said or showed since its backup is gone. In the end both sides agree all the
    /// same: the newer value wins, whichever side holds it.
    private mutating func goBack(_ side: Int, to former: Backup) {
        let refused = refused
        (places[side], kept[side]) = (former.places, former.places)
        tracks.modifyAll { name, track in
            let then = former.tracks[name] ?? Track()
            track.isOpen = track.isOpen || then.isOpen
            if name.side == side {
                track.own = then.own
                (track.newest, track.newestID) = (then.newest, then.newestID)
                if let id = then.newestID, refused.contains(id) { track.isOpen = true }
            } else {
                (track.shown, track.effect) = (then.shown, then.effect)
                track.shownPlace = then.shownPlace
            }
        }
    }

    private func divergence() -> String? {
        for (slot, track) in tracks.values.enumerated()
        where track.shown != track.own && (!track.isOpen || track.isNewestShown) {
            let name = tracks.keys[slot]
            let what =
                track.own == 0
                ? "the sender holds nothing, the receiver goes on showing a value"
                : track.shown == 0
                    ? "the sender holds a value, the receiver shows nothing"
                    : "the receiver shows another value than the sender holds"
            return "\(name.lane), key \(name.key.rawValue) of \(WorldNames.side(name.side)):"
                + " \(what)"
        }
        return nil
    }
}

/// What the receiver holds of this side's newest values, compared with what this side believes it
/// holds: the two differ once either side was wiped or restored from a backup.
extension Outbox {
    /// A value the counterpart holds, and the record of this side that brought it.
    struct TheirValue: Sendable {
        var id: RecordID
        var kind: ContentKind
        var payload: [UInt8]
    }

    /// What a comparison of one key came to.
    enum Reconciled: Sendable {
        /// Nothing to do: equal, or a newer value is under way.
        case settled
        /// The counterpart holds an older value, or none.
        case sendAgain(RecordDraft)
        /// The counterpart holds a newer one; it is this side's again.
        case adopted(TheirValue)
        /// It is more than this side can ever have sent.
        case refused
    }

    /// What the counterpart holds is in doubt: deltas are formed anew, from whole values.
    mutating func resetBases(_ lane: Lane) {
        lanes[Int(lane.rawValue)].keys.modifyAll { _, state in
            state.base = nil
            state.marked = nil
        }
    }

    /// The keys of which the counterpart holds another value than this side believes, or only one
    /// of the two holds one.
    func differingKeys(_ lane: Lane, _ told: [HeldFrame.Entry]) -> [RecordKey] {
        let keys = lanes[Int(lane.rawValue)].keys
        var fingerprints = OrderedTable<RecordKey, UInt32>()
        for entry in told { fingerprints[entry.key] = entry.fingerprintLow }
        var differing = told.map { $0.key }.filter { keys[$0] == nil }
        for (key, state) in zip(keys.keys, keys.values) where state.live.isEmpty {
            let ours = state.held.flatMap { held in
                held.kind.removesKey
                    ? nil
                    : UInt32(
                        truncatingIfNeeded: SetDigest.fingerprint(key, held.kind, held.payload))
            }
            if ours != fingerprints[key] { differing.append(key) }
        }
        return differing
    }

    /// Settles one key: the newer value wins, whichever side holds it.
    mutating func reconcile(_ lane: Lane, _ key: RecordKey, _ theirs: TheirValue?) -> Reconciled {
        let index = Int(lane.rawValue)
        let former = lanes[index].keys[key]
        guard former?.live.isEmpty ?? true else { return .settled }
        if let theirs, lineage.isLost(theirs.id.epoch) { noteLost(theirs.id.epoch) }
        let ours = former?.held
        let isOlder = ours.map { lineage.isNewer(theirs?.id ?? $0.id, than: $0.id) } ?? true
        if let theirs, isOlder, former?.isSaidAgain != true {
            // Who knows nothing of a key needs no removal of it.
            if former == nil, theirs.kind.removesKey { return .settled }
            guard canAdopt(index, key, theirs) else { return .refused }
            setHeld(index, key, theirs)
            entries.append(
                .adopted(
                    JournalImage.OwnValue(
                        lane: lane, key: key, id: theirs.id, kind: theirs.kind,
                        payload: theirs.payload)))
            let isSame = ours?.kind == theirs.kind && ours?.payload == theirs.payload
            return isSame ? .settled : .adopted(theirs)
        }
        guard let ours else { return .settled }
        if let theirs {
            guard theirs.kind != ours.kind || theirs.payload != ours.payload else {
                return .settled
            }
            lanes[index].setBytes = nil
            setHeld(index, key, theirs)
        } else {
            lanes[index].heldDigest.remove(key, ours.kind, ours.payload)
            lanes[index].keys.modify(key) { $0.held = nil }
            // What holds nothing needs no removal.
            if ours.kind.removesKey { return .settled }
        }
        return .sendAgain(
            RecordDraft(lane: lane, kind: ours.kind, key: key, payload: ours.payload))
    }

    /// The application says a value again that is on its way, or thought to be held. Should the
    /// counterpart hold another one, of a record that a crash undid, this is the newer one all the
    /// same.
    mutating func noteSaidAgain(_ lane: Lane, _ key: RecordKey, _ payload: [UInt8]) {
        let opening = epochs[epochs.count - 1].id
        lanes[Int(lane.rawValue)].keys.modify(key) { state in
            // What is gathered is none of these: a record follows.
            guard state.newestPayload == payload else { return }
            state.isSaidAgain = state.newestID.epoch != opening
        }
    }

    /// Whether a value the counterpart hands back fits into what a receiver holds of this side.
    private mutating func canAdopt(
        _ index: Int, _ key: RecordKey, _ theirs: TheirValue
    ) -> Bool {
        guard lanes[index].keys[key] != nil || lanes[index].keys.count < limits.keys else {
            return false
        }
        return lanes[index].hasRoom(for: theirs.payload, of: key, inSets: limits.setsHeld)
    }

    /// What was to be sent again could not be accepted now: a later comparison finds it again.
    mutating func putBack(_ lane: Lane, _ key: RecordKey, _ former: OutboundLane.KeyState?) {
        let index = Int(lane.rawValue)
        if let held = lanes[index].keys[key]?.held {
            lanes[index].heldDigest.remove(key, held.kind, held.payload)
        }
        if let held = former?.held {
            lanes[index].heldDigest.insert(key, held.kind, held.payload)
        }
        lanes[index].keys[key] = former
        lanes[index].setBytes = nil
        lanes[index].needsAudit = true
    }

    private mutating func setHeld(_ index: Int, _ key: RecordKey, _ theirs: TheirValue) {
        if let held = lanes[index].keys[key]?.held {
            lanes[index].heldDigest.remove(key, held.kind, held.payload)
        }
        lanes[index].heldDigest.insert(key, theirs.kind, theirs.payload)
        var state = OutboundLane.KeyState(
            newestID: theirs.id, newestKind: theirs.kind, newestPayload: theirs.payload)
        state.handle = lanes[index].keys[key]?.handle
        state.isHandleKnown = lanes[index].keys[key]?.isHandleKnown ?? false
        state.held = OutboundLane.Held(
            id: theirs.id, kind: theirs.kind, payload: theirs.payload)
        lanes[index].keys[key] = state
    }

    /// The counterpart knows an epoch of this side that this side does not: it was undone, by a
    /// crash or a restored backup, before this opening. Its stamp says when it was opened, unless a
    /// clock was set back since: then it ranks behind all that the counterpart had confirmed. It
    /// ranks behind the one that the counterpart lists before it, as its list is in the order of
    /// time: a backup may hold a record open that was confirmed since.
    mutating func noteLost(_ id: EpochID, listedAfter listed: EpochID? = nil) {
        // Honest ones are no more than a journal remembers; values of others are the oldest.
        guard lostHere.count < bounds.epochs else { return }
        let told = listed.flatMap { lineage.place(of: $0) }.map { $0 + 1 } ?? 0
        let current = lineage.place(of: epochs[epochs.count - 1].id) ?? lineage.epochs.count
        var place = lineage.placeByStamp(of: id)
        if !isStampRight(of: id) {
            let lost = lostHere.last.flatMap { lineage.place(of: $0) }
            place = lost ?? confirmedAtBegin.flatMap { lineage.place(of: $0) }.map { $0 + 1 } ?? 0
        }
        place = min(max(place, told), current)
        let after = place > 0 ? lineage.epochs[place - 1] : nil
        lineage.insertLost(id, after: after, bound: bounds.epochs)
        lostHere.append(id)
        entries.append(.epochLost(id, after: after))
    }

    /// Whether this opening, which came after a lost one, has the higher stamp, from its clock.
    private func isStampRight(of lost: EpochID) -> Bool {
        let own = epochs[epochs.count - 1].id
        return lost.stamp < own.stamp && !own.wasClockBehind
    }

    /// The counterpart had seen the end of this epoch before a backup was restored: what was lost
    /// by that came later. (Not than this opening: what ended in it gave way to a value of its
    /// own.)
    mutating func noteEnded(_ id: EpochID) {
        guard id != epochs[epochs.count - 1].id, let place = lineage.place(of: id) else { return }
        let before = lineage.epochs[..<place]
        var after = id
        for lost in lostHere where before.contains(lost) && !isStampRight(of: lost) {
            lineage.insertLost(lost, after: after, bound: bounds.epochs)
            entries.append(.epochLost(lost, after: after))
            after = lost
        }
    }

    /// What was committed there and is not any more is offered again. What a greeting does not say
    /// (numbers above a gap) may be offered twice; the receiver knows it.
    mutating func forgetStages(_ greeting: Greeting) {
        var hasFallenBack = false
        let knownEpochs = greeting.epochsKnownBefore
        let firstListed = epochs.firstIndex { epoch in
            knownEpochs.contains { $0.id == epoch.id }
        }
        for epoch in epochs.indices {
            let known = knownEpochs.first { $0.id == epochs[epoch].id }
            // A greeting that had no room left out the oldest that its sender knows.
            let mayBeCut = firstListed.map { epoch < $0 } ?? false
            for index in lanes.indices where lanes[index].traits.isDurable {
                let bound = known?.receivedThrough[index] ?? 1
                // It lacks the first it does not speak of, and had that: it has lost the rest, too.
                // Otherwise those above may be behind a gap, and still there.
                let hasLost =
                    known == nil
                    ? !mayBeCut : lanes[index].segments[epoch][bound]?.isHeldThere ?? false
                lanes[index].segments[epoch].modifyAll { number, item in
                    guard number >= bound else { return }
                    item.stage = min(item.stage, .sent)
                    if item.isEndInDoubt {
                        item.heldOutcome = nil
                        hasFallenBack = true
                    }
                    guard hasLost, item.isHeldThere else { return }
                    item.isHeldThere = false
                    hasFallenBack = true
                }
                lanes[index].segments[epoch].noteHoles(from: bound)
                lanes[index].noteFloor(epoch)
            }
        }
        if hasFallenBack { gatherWaiting() }
    }
}

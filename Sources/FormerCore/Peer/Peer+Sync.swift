/// Whole sets: what the counterpart lacks is sent, what it has is not, what it has too much is
/// removed.
extension Peer {
    /// Makes the counterpart hold exactly `values` in a newest-per-key lane, sending only what it
    /// lacks; nothing at all when it holds this very set, or what it lacks is on its way there.
    /// Values of other kinds than the set's are left alone. A value that only the counterpart
    /// holds, since a crash or a restored backup undid it here, is handed back, and not removed.
    /// What is accepted for a key while the set waits to be compared counts more than the set,
    /// unless it ends meanwhile without having been applied.
    ///
    /// - Parameters:
    ///   - lane: the lane that holds the set; one of another order is refused.
    ///   - values: the whole set, one value per key; empty to remove all.
    ///   - kinds: the kinds of values that belong to the set: what the counterpart holds of these
    ///     and is not among `values` is removed.
    ///   - removalKind: the kind of the empty record that removes a key.
    ///   - now: the present moment.
    /// - Throws: ``SendRefusal`` when there is no room for all of it; nothing has changed then.
    ///   Where it has to be compared first, ``PeerEvent/synchronizeRefused(_:_:)`` says so later.
    public mutating func synchronize(
        _ lane: Lane, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        at now: Instant
    ) throws(SendRefusal) -> SyncResult {
        advance(to: now)
        guard lane.traits.order == .newestPerKey else { throw .keyMismatch }
        guard !isJournalFailed else { throw .journalFailed }
        for value in values where value.payload.count > lane.traits.recordByteLimit {
            throw .tooLarge(bytes: value.payload.count, limit: lane.traits.recordByteLimit)
        }
        let index = Int(lane.rawValue)
        var wanted = SetComparison.Wanted(
            values: values, kinds: kinds, removalKind: removalKind,
            since: outbox.epochs[outbox.epochs.count - 1].next[index])
        if let former = comparison.wanted[index] {
            // What the counterpart holds is not known yet; it may have told some of it.
            wanted.listing = former.listing
            comparison.wanted[index] = wanted
            return .comparing
        }
        guard outbox.lanes[index].keys.isEmpty else { return try acceptDifference(lane, wanted) }
        comparison.wanted[index] = wanted
        // From here on the set says what the counterpart is to hold: nothing of it is handed back.
        audit.lanes[index] = nil
        guard counterpart != nil else { return .comparing }
        return try startComparison(lane) ?? .comparing
    }

    /// - Parameter told: the kinds of values that only the counterpart knows.
    private mutating func acceptDifference(
        _ lane: Lane, _ wanted: SetComparison.Wanted,
        told: OrderedTable<RecordKey, ContentKind> = OrderedTable()
    ) throws(SendRefusal) -> SyncResult {
        let keys = outbox.lanes[Int(lane.rawValue)].keys
        let opening = currentEpoch
        let drafts = SetSync.drafts(
            lane: lane, wanted: wanted,
            newest: { key in keys[key].map { ($0.newestKind, $0.newestPayload) } },
            keys: zip(keys.keys, keys.values).map { key, state in
                (key, told[key] ?? state.newestKind)
            },
            isOvertaken: { key in
                guard let id = keys[key]?.newestID, id.epoch == opening else { return false }
                return id.number.rawValue >= wanted.since
            })
        guard !drafts.isEmpty else {
            let kinds = wanted.kinds + [wanted.removalKind]
            let isUnderWay = keys.values.contains { state in
                !state.live.isEmpty && kinds.contains(state.newestKind)
            }
            return .notModified(isHeld: !isUnderWay)
        }
        let ordered = outbox.inOrderOfGrowth(drafts, lane)
        if let refusal = outbox.refusal(of: ordered, lane) { throw refusal }
        var ids: [RecordID] = []
        for draft in ordered { ids.append(try accept(draft)) }
        return .queued(ids)
    }

    /// Compares by the digest of the greeting where that is enough; nil when it has to ask.
    private mutating func startComparison(_ lane: Lane) throws(SendRefusal) -> SyncResult? {
        let index = Int(lane.rawValue)
        guard let counterpart, let wanted = comparison.wanted[index] else { return nil }
        let held = counterpart.heldDigests[index]
        if held == SetSync.digest(wanted.values).rawValue {
            // Only what is under way since before the set may differ from it.
            comparison.wanted[index] = nil
            outbox.adopt(lane, wanted.values)
            return try acceptDifference(lane, wanted)
        }
        if held == 0 {
            comparison.wanted[index] = nil
            return try acceptDifference(lane, wanted)
        }
        comparison.ask(lane)
        afterInput()
        return nil
    }

    /// A session has begun: sets that wait are compared.
    mutating func resumeComparisons() {
        comparison.beginSession()
        for lane in Lane.allCases where comparison.wanted[Int(lane.rawValue)] != nil {
            do throws(SendRefusal) {
                if let result = try startComparison(lane) { tell(result, lane) }
            } catch {
                events.append(.synchronizeRefused(lane, error))
            }
        }
    }

    /// Tells what came of a set that had to wait.
    private mutating func tell(_ result: SyncResult, _ lane: Lane) {
        if result != .comparing { events.append(.synchronized(lane, result)) }
    }

    /// The counterpart told what it holds; once that is all, the difference is accepted.
    mutating func receive(_ frame: HeldFrame) {
        let index = Int(frame.lane.rawValue)
        guard let told = comparison.receive(frame), let wanted = comparison.wanted[index] else {
            return
        }
        comparison.wanted[index] = nil
        var fingerprints = OrderedTable<RecordKey, UInt32>()
        var kinds = OrderedTable<RecordKey, ContentKind>()
        for entry in told {
            fingerprints[entry.key] = entry.fingerprintLow
            kinds[entry.key] = entry.kind
        }
        let same = wanted.values.filter { value in
            fingerprints[value.key]
                == UInt32(
                    truncatingIfNeeded: SetDigest.fingerprint(
                        value.key, value.kind, value.payload))
        }
        let (former, entries) = (outbox.lanes[index], outbox.entries.count)
        outbox.adopt(frame.lane, same)
        outbox.adoptUnknown(frame.lane, keys: told.map { $0.key })
        // What the counterpart holds beside the set, this side has forgotten: it is handed back.
        if told.contains(where: { !wanted.kinds.contains($0.kind) }) {
            outbox.lanes[index].needsAudit = true
        }
        do throws(SendRefusal) {
            tell(try acceptDifference(frame.lane, wanted, told: kinds), frame.lane)
        } catch {
            // As before: the next set is to be compared with all that the counterpart holds.
            outbox.lanes[index] = former
            outbox.entries.removeLast(outbox.entries.count - entries)
            events.append(.synchronizeRefused(frame.lane, error))
        }
    }

    // MARK: Frames

    /// Whether questions or answers about sets wait.
    var hasComparisonFrames: Bool {
        !comparison.queriesDue.isEmpty || !comparison.answersDue.isEmpty
    }

    mutating func writeComparisons(
        to writer: inout WireWriter, _ references: inout [FrameReference], capacity: Int
    ) {
        while let lane = comparison.queriesDue.first, writer.count + 2 <= capacity {
            comparison.queriesDue.removeFirst()
            HeldQueryFrame(lane: lane).write(to: &writer)
            references.append(.heldQuery(lane))
        }
        while let due = comparison.answersDue.first {
            let held = due.entries ?? inbox.heldEntries(due.lane)
            let room = capacity - writer.count - HeldFrame.overheadBytes
            let count = min(held.count - min(due.start, held.count), room / HeldFrame.Entry.bytes)
            guard count > 0 || (held.isEmpty && room > 0) else {
                return
            }
            HeldFrame(
                lane: due.lane, total: held.count, start: due.start,
                entries: Array(held[due.start..<due.start + count])
            ).write(to: &writer)
            references.append(.held(due.lane))
            if due.start + count >= held.count {
                comparison.answered()
            } else {
                comparison.answersDue[0].entries = held
                comparison.answersDue[0].start = due.start + count
            }
        }
    }
}

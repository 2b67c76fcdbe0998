/// The result of synchronizing a whole set.
package enum SyncResult: Hashable, Sendable {
    /// Nothing is sent: the newest value of each key is the set's. Where `isHeld`, the counterpart
    /// is known to hold this very set; else some of it is still on its way there.
    case notModified(isHeld: Bool)
    /// Values accepted: new or changed ones, and removals.
    case queued([RecordID])
}

extension LatestValueSender {
    /// Makes the counterpart hold exactly `values` among the values of these kinds, sending only
    /// what it lacks. Where a journal was lost, values that the counterpart holds just so are found
    /// when a session opens and are not sent; those that only it holds are recovered, not removed.
    ///
    /// - Parameters:
    ///   - channel: a latest-value channel.
    ///   - set: the whole set, one value a key; empty to remove all.
    ///   - setKinds: the kinds of values that belong to the set; others are left alone.
    ///   - removalKind: the kind of the empty value that removes a key.
    ///   - clock: the wall clock, for the time of acceptance.
    /// - Throws: why not all of it is accepted; nothing has changed then.
    package mutating func synchronize(
        _ channel: Channel, _ set: [SyncValue], kinds setKinds: [ContentKind],
        removalKind: ContentKind, clock: WallTime
    ) throws(SendRefusal) -> SyncResult {
        guard channel.traits.order == .latestValue else { throw .channelMismatch }
        let drafts = try difference(channel, set, setKinds, removalKind, clock)
        guard !drafts.isEmpty else {
            let isUnderWay = zip(values.table.keys, values.table.values).contains { name, value in
                name.channel == channel && value.progress.isUnsettled
                    && (setKinds.contains(value.newest.kind) || value.newest.kind == removalKind)
            }
            return .notModified(isHeld: !isUnderWay)
        }
        // Drafts that make room come first, so that the set never takes more than before or after.
        let ordered = drafts.enumerated().sorted { left, right in
            (left.element.growth, left.offset) < (right.element.growth, right.offset)
        }
        let growth = drafts.reduce(0) { $0 + $1.growth }
        let limit = channel.traits.setByteLimit
        guard growth <= 0 || values.bytes[Int(channel.rawValue)] + growth <= limit else {
            throw .setTooLarge(limit: limit)
        }
        let added = drafts.reduce(0) { $0 + (values[$1.name] == nil ? 1 : 0) }
        guard added == 0 || values.table.count + added <= limits.keys else {
            throw .tooManyKeys(limit: limits.keys)
        }
        return .queued(ordered.map { enqueue($0.element.draft, $0.element.name, clock) })
    }

    private struct Change {
        var name: ValueName
        var draft: RecordDraft
        var growth: Int
    }

    private func difference(
        _ channel: Channel, _ set: [SyncValue], _ setKinds: [ContentKind],
        _ removalKind: ContentKind, _ clock: WallTime
    ) throws(SendRefusal) -> [Change] {
        var changes = OrderedTable<ValueName, Change?>()
        for value in set {
            let name = ValueName(channel: channel, key: value.key)
            let draft = RecordDraft(
                channel: channel, kind: value.kind, key: value.key, payload: value.payload)
            if let refusal = refusal(of: draft, name, clock) { throw refusal }
            let isKnown = values[name].map { isSame($0, draft) } ?? false
            let growth = values.charge(draft.kind, draft.payload.count) - values.charge(of: name)
            changes[name] = .some(isKnown ? nil : Change(name: name, draft: draft, growth: growth))
        }
        for (name, value) in zip(values.table.keys, values.table.values)
        where name.channel == channel && changes[name] == nil
            && setKinds.contains(value.newest.kind) && !kinds.isRemoval(value.newest.kind)
        {
            let draft = RecordDraft(
                channel: channel, kind: removalKind, key: name.key, payload: [])
            let growth = values.charge(removalKind, 0) - values.charge(of: name)
            changes[name] = .some(Change(name: name, draft: draft, growth: growth))
        }
        return changes.values.compactMap { $0 }
    }
}

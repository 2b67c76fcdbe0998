/// The newest value of a key of this side, and what is known of it on the other side.
struct OwnValue: Sendable, Equatable {
    /// The progress of the newest value at the counterpart.
    enum Progress: Sendable, Hashable {
        case queued
        case committed
        case applied
        /// Rejected, cancelled or expired: it is not offered again.
        case ended(Outcome)

        /// Whether the counterpart may still have something to say of it.
        var isUnsettled: Bool { self == .queued || self == .committed }
    }

    var newest: OutboundRecord
    var progress = Progress.queued
    /// The version of the key that the counterpart's journal is known to hold; 0 for none. Of an
    /// adopted value it is the one found there, which is not that of its name here.
    var seen: UInt64 = 0

    var version: UInt64 { newest.id.number.rawValue }
    /// Whether it was rejected, cancelled or expired.
    var isEnded: Bool { if case .ended = progress { true } else { false } }
    /// The version that the counterpart holds once it has all that is sent.
    var versionThere: UInt64 { progress.isUnsettled ? version : seen }
    /// The version below which the counterpart holds nothing that this side does not know. Of a key
    /// that was adopted as absent it is the value's own, which is above all that was held there.
    var versionKnown: UInt64 { progress == .applied && seen == 0 ? version : seen }
    /// The value as the counterpart has committed it; nil where it has not.
    var committed: OutboundRecord? {
        guard progress == .committed || progress == .applied, seen > 0 else { return nil }
        return seen == version ? newest : newest.renumbered(seen)
    }
}

/// This side's values, as its journal entries tell them.
struct OwnValues: Sendable {
    let kinds: RecordKinds
    private(set) var table = OrderedTable<ValueName, OwnValue>()
    /// The key of each newest value, by version.
    private var names = OrderedTable<UInt64, ValueName>()
    /// The removal watermark: of an absent key it is only known that it was removed at or below
    /// this version.
    private(set) var watermark: UInt64 = 0
    /// The highest version of all.
    private(set) var highest: UInt64 = 0
    /// Bytes that the values take, by the code of their channel; each key counts.
    private(set) var bytes = Array(repeating: 0, count: Channel.count)
    /// Keys whose newest value is a removal that the counterpart has applied.
    private(set) var forgettable = 0
    /// Keys whose newest value is unsettled; and those of them that the counterpart has not got.
    private(set) var unsettled = 0
    private(set) var queued = 0

    init(kinds: RecordKinds) { self.kinds = kinds }

    subscript(name: ValueName) -> OwnValue? { table[name] }

    /// The key of which this is the newest value.
    func name(of id: RecordID) -> ValueName? {
        guard let name = names[id.number.rawValue], table[name]?.newest.id == id else { return nil }
        return name
    }

    /// The key whose newest value has this version.
    func name(ofVersion version: UInt64) -> ValueName? { names[version] }

    /// The version that counts for a key, absent or not.
    func version(of name: ValueName) -> UInt64 { table[name]?.version ?? watermark }

    /// Bytes that a value counts for; nothing for a removal.
    func charge(_ kind: ContentKind, _ payload: Int) -> Int {
        payload + (kinds.isRemoval(kind) ? 0 : Channel.keyBytes)
    }

    func charge(of name: ValueName) -> Int {
        table[name].map { charge($0.newest.kind, $0.newest.payload.count) } ?? 0
    }

    /// The digest of what the counterpart holds, if it got all that was sent up to `version`.
    func digest(through version: UInt64 = .max) -> UInt64 {
        var digest = VersionDigest()
        for (name, value) in zip(table.keys, table.values) {
            let held = value.versionThere <= version ? value.versionThere : value.seen
            if held > 0 { digest.add(name, version: held) }
        }
        return digest.rawValue
    }

    /// The digest of what the counterpart holds of these keys; nil where it has yet to settle one.
    func settledDigest(of names: ArraySlice<ValueName>) -> UInt64? {
        var digest = VersionDigest()
        for name in names {
            guard let value = table[name] else { continue }
            if value.progress.isUnsettled { return nil }
            if value.versionThere > 0 { digest.add(name, version: value.versionThere) }
        }
        return digest.rawValue
    }

    // MARK: Folding

    /// Takes in one journal entry; those of other rooms change nothing.
    mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .queued(let record): put(record, .queued)
        case .value(let record, let outcome, let seen):
            let progress = outcome.map { $0 == .applied ? OwnValue.Progress.applied : .ended($0) }
            put(record, progress ?? .queued, seen)
        case .committedThere(let id): setProgress(of: id, .committed)
        case .settled(let id, let outcome):
            if outcome == .applied {
                setProgress(of: id, .applied)
            } else if outcome != .superseded {
                setProgress(of: id, .ended(outcome))
            }
        case .removalWatermark(let version):
            watermark = max(watermark, version)
            highest = max(highest, version)
            let forgotten = zip(table.keys, table.values).filter { _, value in
                value.version <= version && isForgettable(value)
            }
            for (name, _) in forgotten { change(name, to: nil) }
        default: break
        }
    }

    /// Gives the entries that make these values, one after the other.
    func forEachEntry<Failure: Error>(
        _ body: (JournalEntry) throws(Failure) -> Void
    ) throws(Failure) {
        if watermark > 0 { try body(.removalWatermark(watermark)) }
        for value in table.values {
            var outcome: Outcome?
            switch value.progress {
            case .queued, .committed: break
            case .applied: outcome = .applied
            case .ended(let how): outcome = how
            }
            try body(.value(value.newest, outcome, seen: value.seen))
            if value.progress == .committed { try body(.committedThere(value.newest.id)) }
        }
    }

    private mutating func put(
        _ record: OutboundRecord, _ progress: OwnValue.Progress, _ seen: UInt64? = nil
    ) {
        guard let key = record.key, record.id.channel.traits.order == .latestValue else { return }
        let name = ValueName(channel: record.id.channel, key: key)
        var value = table[name] ?? OwnValue(newest: record)
        value.newest = record
        value.progress = progress
        if let seen { value.seen = seen }
        highest = max(highest, record.id.number.rawValue)
        change(name, to: value)
    }

    private mutating func setProgress(of id: RecordID, _ progress: OwnValue.Progress) {
        guard let name = name(of: id), var value = table[name] else { return }
        value.progress = progress
        switch progress {
        case .ended(.rejected(code: Outcome.noRoomCode)), .ended(.cancelled), .ended(.expired),
            .queued:
            break
        default: value.seen = max(value.seen, value.version)
        }
        change(name, to: value)
    }

    private func isForgettable(_ value: OwnValue) -> Bool {
        value.progress == .applied && kinds.isRemoval(value.newest.kind)
    }

    private mutating func change(_ name: ValueName, to value: OwnValue?) {
        if let former = table[name] {
            names[former.version] = nil
            count(former, name.channel, -1)
        }
        if let value {
            names[value.version] = name
            count(value, name.channel, 1)
        }
        table[name] = value
    }

    private mutating func count(_ value: OwnValue, _ channel: Channel, _ sign: Int) {
        bytes[Int(channel.rawValue)] +=
            sign * charge(value.newest.kind, value.newest.payload.count)
        if isForgettable(value) { forgettable += sign }
        if value.progress.isUnsettled { unsettled += sign }
        if value.progress == .queued { queued += sign }
    }
}

extension OutboundRecord {
    /// The draft from which the record was accepted.
    var draft: RecordDraft {
        RecordDraft(
            channel: id.channel, kind: kind, key: key, payload: payload, expiresAt: expiresAt,
            idempotencyKey: idempotencyKey, expectsReply: expectsReply, inReplyTo: inReplyTo)
    }

    /// The same value with another version.
    func renumbered(_ version: UInt64) -> OutboundRecord {
        let id = RecordID(epoch: id.epoch, channel: id.channel, number: RecordNumber(version))
        return OutboundRecord(id: id, draft: draft, acceptedAt: acceptedAt)
    }
}

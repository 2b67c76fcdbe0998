/// The state that is held for one key of the counterpart. A watch holds thousands of them, so what
/// few have stands apart.
struct ReceivedValue: Sendable, Equatable {
    /// A version that the application has rejected.
    private final class Rejected: Sendable, Equatable {
        let id: RecordID
        let disposition: Disposition

        init(_ id: RecordID, _ disposition: Disposition) {
            self.id = id
            self.disposition = disposition
        }

        static func == (left: Rejected, right: Rejected) -> Bool {
            left.id == right.id && left.disposition == right.disposition
        }
    }

    /// The value that the application has applied; nil for none.
    private(set) var held: InboundRecord?
    /// The newest value on which the application has not decided; nil for none.
    private(set) var candidate: InboundRecord?
    /// The highest version that the application was given, if it has rejected it.
    private var rejected: Rejected?

    /// Makes the state of a key of which the application was given one version.
    init(_ record: InboundRecord, _ disposition: Disposition) { give(record, disposition) }

    /// The highest version that the application was given.
    var id: RecordID {
        guard let id = rejected?.id ?? (candidate ?? held)?.id else {
            preconditionFailure("a key that is held has a version")
        }
        return id
    }
    /// The application's decision on that version.
    var disposition: Disposition {
        rejected?.disposition ?? (candidate == nil ? .applied : .pending)
    }

    var version: UInt64 { id.number.rawValue }
    /// The newest value there is.
    var value: InboundRecord? { candidate ?? held }

    /// The application was given a newer version.
    mutating func give(_ record: InboundRecord, _ disposition: Disposition) {
        switch disposition {
        case .applied: (held, candidate, rejected) = (record, nil, nil)
        case .pending: (candidate, rejected) = (record, nil)
        case .rejected: rejected = Rejected(record.id, disposition)
        }
    }

    /// The application has decided on the candidate.
    mutating func decide(_ disposition: Disposition) {
        guard let decided = candidate else { return }
        candidate = nil
        switch disposition {
        case .applied: held = decided
        case .rejected: rejected = rejected ?? Rejected(decided.id, disposition)
        case .pending: candidate = decided
        }
    }
}

/// The counterpart's values, as this side's journal entries tell them.
struct ReceivedValues: Sendable {
    let kinds: RecordKinds
    private(set) var table = OrderedTable<ValueName, ReceivedValue>()
    /// Values on which the application has not decided.
    private(set) var candidates = OrderedTable<RecordID, ValueName>()
    /// The removal watermark: an absent key was removed at or below this version.
    private(set) var watermark: UInt64 = 0
    /// The highest version ever taken, and its epoch.
    private(set) var top: VersionMark?
    /// The watermark and the top.
    var marks: DurableValues.Marks { (watermark, top) }
    /// Bytes that the values take, by the code of their channel; each key counts.
    private(set) var bytes = Array(repeating: 0, count: Channel.count)
    let mutants: LatestMutants

    init(kinds: RecordKinds, mutants: LatestMutants = []) {
        self.kinds = kinds
        self.mutants = mutants
    }

    subscript(name: ValueName) -> ReceivedValue? { table[name] }

    /// The version that counts for a key, absent or not.
    func version(of name: ValueName) -> UInt64 { table[name]?.version ?? watermark }

    var digest: UInt64 { Self.digest(table.keys) { table[$0]?.version } }

    /// The digest of keys with their versions; nil for one that is absent.
    static func digest(_ names: [ValueName], _ version: (ValueName) -> UInt64?) -> UInt64 {
        var digest = VersionDigest()
        for name in names {
            if let version = version(name) { digest.add(name, version: version) }
        }
        return digest.rawValue
    }

    func charge(of name: ValueName) -> Int { table[name].map { charge($0) } ?? 0 }

    func charge(_ record: InboundRecord?) -> Int {
        guard let record else { return 0 }
        return record.payload.count + (kinds.isRemoval(record.kind) ? 0 : Channel.keyBytes)
    }

    private func charge(_ value: ReceivedValue) -> Int {
        charge(value.held) + charge(value.candidate)
    }

    /// Whether a key is held as removed and nothing else.
    private func isRemoved(_ value: ReceivedValue) -> Bool {
        guard value.candidate == nil, value.disposition == .applied, let held = value.held else {
            return false
        }
        return kinds.isRemoval(held.kind)
    }

    // MARK: Folding

    /// Takes in one journal entry; those of other rooms change nothing. Gives the keys that
    /// changed, each with its former value.
    @discardableResult
    mutating func apply(_ entry: JournalEntry) -> [Former] {
        switch entry {
        case .received(let record, let disposition, _): return take(record, disposition)
        case .decided(let id, let disposition): return decide(id, disposition)
        case .counterpartRemovalWatermark(let version, let epoch):
            return raiseWatermark(version, epoch)
        case .topMoved(let epoch): top?.epoch = epoch
        default: break
        }
        return []
    }

    /// Gives the entries that make these values, one after the other: all of them at once take as
    /// much memory as the values.
    func forEachEntry<Failure: Error>(
        _ body: (JournalEntry) throws(Failure) -> Void
    ) throws(Failure) {
        guard let top else { return }
        if watermark > 0 { try body(.counterpartRemovalWatermark(watermark, top.epoch)) }
        let time = WallTime(milliseconds: 0)
        for (name, value) in zip(table.keys, table.values) {
            if let held = value.held { try body(.received(held, .applied, at: time)) }
            if let candidate = value.candidate {
                try body(.received(candidate, .pending, at: time))
            }
            guard case .rejected = value.disposition else { continue }
            // Of a rejected version only the number is remembered.
            let rejected = InboundRecord(
                id: value.id, kind: .opaque, key: name.key, payload: [])
            try body(.received(rejected, value.disposition, at: time))
        }
        try body(.topMoved(top.epoch))
    }

    private mutating func take(
        _ record: InboundRecord, _ disposition: Disposition
    ) -> [Former] {
        guard let key = record.key, record.id.channel.traits.order == .latestValue else {
            return []
        }
        let name = ValueName(channel: record.id.channel, key: key)
        var value = table[name] ?? ReceivedValue(record, disposition)
        value.give(record, disposition)
        if record.id.number.rawValue > top?.version ?? 0 {
            top = VersionMark(epoch: record.id.epoch, version: record.id.number.rawValue)
        }
        return [change(name, to: value)]
    }

    private mutating func decide(_ id: RecordID, _ disposition: Disposition) -> [Former] {
        guard let name = candidates[id], var value = table[name], disposition != .pending else {
            return []
        }
        value.decide(disposition)
        return [change(name, to: value)]
    }

    /// Whether a watermark is higher than the one held, or lets removals be forgotten.
    func isNews(watermark told: UInt64) -> Bool {
        told > watermark
            || (told > 0 && told == watermark
                && table.values.contains { $0.version <= told && isRemoved($0) })
    }

    private mutating func raiseWatermark(_ version: UInt64, _ epoch: EpochID) -> [Former] {
        if !mutants.contains(.noWatermark) { watermark = max(watermark, version) }
        if version > top?.version ?? 0, !mutants.contains(.watermarkNotTop) {
            top = VersionMark(epoch: epoch, version: version)
        }
        let forgotten = zip(table.keys, table.values).filter { _, value in
            value.version <= version && isRemoved(value)
        }
        return forgotten.map { name, _ in change(name, to: nil) }
    }

    private mutating func change(_ name: ValueName, to value: ReceivedValue?) -> Former {
        let channel = Int(name.channel.rawValue)
        let former = table[name]
        if let former {
            bytes[channel] -= charge(former)
            if let candidate = former.candidate { candidates.remove(candidate.id) }
        }
        if let value {
            bytes[channel] += charge(value)
            if let candidate = value.candidate { candidates[candidate.id] = name }
        }
        table[name] = value
        return Former(name: name, value: former)
    }

    /// A key that an entry changed, and its value before; nil where it was absent.
    struct Former: Sendable {
        var name: ValueName
        var value: ReceivedValue?
    }
}

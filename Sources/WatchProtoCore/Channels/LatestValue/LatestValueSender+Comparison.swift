/// The comparison of the counterpart's values with this side's. Values lost here are adopted;
/// values lost at the counterpart are sent again.
extension LatestValueSender {
    /// A comparison under way.
    struct Comparison: Sendable {
        /// Own epochs of which the counterpart says whether it knows them; nil until it has.
        var epochs = OrderedTable<EpochID, Bool?>()
        /// The listing whose pieces come in.
        var listing: UInt64?
        var total = 0
        var floor: UInt64 = 0
        var entries = OrderedTable<Int, HeldFrame.Entry>()
        /// The listing by key, once it is whole.
        var held: OrderedTable<ValueName, HeldFrame.Entry>?
        /// Values still to be asked for, and those asked for with what has come of them.
        var wanted: [ValueName] = []
        var asked = OrderedTable<ValueName, RecoveredValue?>()
        /// Keys whose value there is lost here, and the one here lost there.
        var conflicts = OrderedTable<ValueName, RecoveredValue?>()

        /// The number of values that are asked for at once.
        static let window = 16

        func isAsked(_ query: ValueQueryFrame) -> Bool {
            guard let partial = asked[query.name] else { return false }
            return (partial?.payload.count ?? 0) == query.offset
        }

        /// Whether all is told that the versions are mended by.
        var isReadyToMend: Bool {
            held != nil && conflicts.values.allSatisfy { $0 != nil }
                && epochs.values.allSatisfy { $0 != nil }
        }
    }

    mutating func beginComparison(askingEpochs: Bool) {
        guard session?.comparison == nil else { return }
        var comparison = Comparison()
        if askingEpochs {
            for value in values.table.values where comparison.epochs[value.newest.id.epoch] == nil {
                comparison.epochs[value.newest.id.epoch] = .some(nil)
                session?.epochsDue.append(value.newest.id.epoch)
            }
        }
        session?.comparison = comparison
        session?.queryDue.insert(.versions)
    }

    // MARK: Digest and epochs

    /// The counterpart states the digest of what it holds, and which epochs it knows. The packet's
    /// author is at fault for every error.
    public mutating func receive(_ frame: HeldDigestFrame) throws(WireError) {
        for epoch in frame.epochs where session?.comparison?.epochs[epoch.id] != nil {
            session?.comparison?.epochs[epoch.id] = .some(epoch.isKnown)
        }
        if session?.verdict == .lost { try mendIfReady() }
        guard hearsStatements, frame.epochs.isEmpty else { return }
        if frame.digest == values.digest, session?.floorRemovals.isEmpty == true {
            matched()
        } else if values.unsettled == 0 {
            beginComparison(askingEpochs: false)
        }
    }

    /// The counterpart holds durably what this side has: removals need not be kept any more.
    private mutating func matched() {
        session?.isMatched = true
        guard values.removals > 0 else { return }
        emit(.removalFloor(values.highest), .floor)
        for name in flights.keys where values[name] == nil { flights.remove(name) }
    }

    // MARK: Listing

    /// A piece of the listing of what the counterpart holds. The packet's author is at fault for
    /// every error.
    public mutating func receive(_ frame: HeldFrame) throws(WireError) {
        for entry in frame.entries { try checkTold(entry.version) }
        try checkTold(frame.floor)
        guard var comparison = session?.comparison, comparison.held == nil else { return }
        if comparison.listing != frame.listing {
            if let former = comparison.listing, former > frame.listing { return }
            comparison.listing = frame.listing
            comparison.total = frame.total
            comparison.floor = frame.floor
            comparison.entries.removeAll()
        }
        guard comparison.total == frame.total, comparison.floor == frame.floor else {
            throw WireError(
                .notCanonical, at: 0, expected: "the total of the listing's other pieces",
                found: UInt64(frame.total))
        }
        for (place, entry) in frame.entries.enumerated() {
            comparison.entries[frame.start + place] = entry
        }
        if comparison.entries.count == comparison.total {
            var held = OrderedTable<ValueName, HeldFrame.Entry>()
            for entry in comparison.entries.values { held[entry.name] = entry }
            comparison.held = held
            comparison.entries.removeAll()
        }
        session?.comparison = comparison
        guard comparison.held != nil else { return }
        if session?.verdict == .lost {
            findConflicts()
            if mutants.contains(.adoptUnjudged) { try reconcile() }
            try mendIfReady()
        } else {
            try reconcile()
        }
    }

    /// Goes through the listing: values newer there are adopted, values missing there are sent.
    mutating func reconcile() throws(WireError) {
        guard let comparison = session?.comparison, let held = comparison.held else { return }
        for entry in held.values { try reconcile(entry) }
        for name in values.table.keys where held[name] == nil { reissue(name, comparison.floor) }
        askForValues()
        finishComparison()
    }

    private mutating func reconcile(_ entry: HeldFrame.Entry) throws(WireError) {
        let name = entry.name
        guard entry.version > values.version(of: name) else {
            guard let value = values[name] else {
                // Removed here, and forgotten; a removal there goes with the floor.
                let isKnown = session?.floorRemovals.contains(name) ?? true
                if !entry.isRemoval, !isKnown { session?.floorRemovals.append(name) }
                return
            }
            if entry.version == value.version {
                take(entry, as: value)
            } else {
                missing(name, value)
            }
            return
        }
        guard let fingerprint = entry.fingerprint else {
            // A value that was rejected there and is lost here: what is here gets a higher version.
            lastVersion = max(lastVersion, entry.version)
            reserve(through: lastVersion)
            reissue(name)
            return
        }
        if let own = values[name]?.newest,
            VersionDigest.fingerprint(own.kind, own.payload) == fingerprint
        {
            try adopt(
                RecoveredValue(
                    name: name, version: entry.version, kind: own.kind, payload: own.payload))
        } else {
            session?.comparison?.wanted.append(name)
        }
    }

    /// The listing is a statement, too: it says what became of a value.
    private mutating func take(_ entry: HeldFrame.Entry, as value: OwnValue) {
        guard value.progress.isUnsettled else { return }
        let id = value.newest.id
        switch entry.disposition {
        case .applied: emit(.settled(id, .applied), .settled(id, .applied))
        case .pending:
            if value.progress == .queued { emit(.committedThere(id), .committedThere(id)) }
        case .rejected(let code):
            emit(.settled(id, .rejected(code: code)), .settled(id, .rejected(code: code)))
        }
        answered(entry.name, value.version)
    }

    /// The counterpart lacks a value that it was sent, or never got.
    private mutating func missing(_ name: ValueName, _ value: OwnValue) {
        if case .ended = value.progress { return }
        change(name) { flight in
            flight.base = nil
            flight.answeredVersion = 0
        }
        makeDue(name)
    }

    /// The counterpart has nothing of a key. Below its floor it would take nothing of that version.
    private mutating func reissue(_ name: ValueName, _ floor: UInt64) {
        guard let value = values[name] else { return }
        if floor > value.version, floor > values.floor, let kind = kinds.firstRemoval {
            let removal = RecoveredValue(name: name, version: floor, kind: kind, payload: [])
            adopt(checked: removal)
        } else if floor >= value.version, !kinds.isRemoval(value.newest.kind) {
            reissue(name)
        } else {
            missing(name, value)
        }
    }

    private mutating func reissue(_ name: ValueName) {
        guard let record = values[name]?.newest else { return }
        enqueue(record.draft, name, record.acceptedAt)
    }

    // MARK: Values

    mutating func askForValues() {
        while let asked = session?.comparison?.asked.count, asked < Comparison.window,
            let name = session?.comparison?.wanted.popLast()
        {
            session?.comparison?.asked[name] = .some(nil)
            session?.valueQueriesDue.append(ValueQueryFrame(name, offset: 0))
        }
    }

    /// A piece of a value that was asked for. The packet's author is at fault for every error.
    public mutating func receive(_ frame: HeldValueFrame) throws(WireError) {
        try checkTold(frame.version)
        guard let asked = session?.comparison?.asked[frame.name] else { return }
        guard let piece = frame.piece else {
            try fetched(frame.name, nil)
            return
        }
        var value =
            asked
            ?? RecoveredValue(
                name: frame.name, version: frame.version, kind: piece.kind, payload: [])
        if value.version != frame.version {
            value = RecoveredValue(
                name: frame.name, version: frame.version, kind: piece.kind, payload: [])
        }
        let isNext = piece.offset == value.payload.count
        if isNext { value.payload += piece.bytes }
        guard value.payload.count < piece.totalBytes else {
            try fetched(frame.name, value)
            return
        }
        session?.comparison?.asked[frame.name] = .some(value)
        let query = ValueQueryFrame(frame.name, offset: value.payload.count)
        let isDue = session?.valueQueriesDue.contains(query) ?? true
        guard !isDue, isNext || piece.offset == 0 else { return }
        session?.valueQueriesDue.append(query)
    }

    private mutating func fetched(
        _ name: ValueName, _ value: RecoveredValue?
    ) throws(WireError) {
        session?.comparison?.asked[name] = nil
        if session?.comparison?.conflicts[name] != nil {
            if let value {
                session?.comparison?.conflicts[name] = .some(value)
            } else {
                session?.comparison?.conflicts.remove(name)
            }
        }
        if let value, hearsStatements, value.version > values.version(of: name) {
            try adopt(value)
        }
        askForValues()
        if session?.verdict == .lost { try mendIfReady() } else { finishComparison() }
    }

    /// Takes a value over as if this opening had written it.
    private mutating func adopt(_ value: RecoveredValue) throws(WireError) {
        let growth =
            values.charge(value.kind, value.payload.count) - values.charge(of: value.name)
        let bytes = values.bytes[Int(value.name.channel.rawValue)] + growth
        guard growth <= 0 || bytes <= limits.setsHeld * value.name.channel.traits.setByteLimit,
            values[value.name] != nil || values.table.count < HeldFrame.keyLimit(limits)
        else {
            throw WireError(
                .outOfRange, at: 0, expected: "no more values than two sets of the channel hold",
                found: UInt64(value.payload.count))
        }
        adopt(checked: value)
    }

    mutating func adopt(checked value: RecoveredValue) {
        let id = RecordID(
            epoch: present, channel: value.name.channel, number: RecordNumber(value.version))
        let former = values[value.name]?.newest
        let isNews = former?.kind != value.kind || former?.payload != value.payload
        let replaces = former.flatMap { outcomes[$0.id] == nil ? $0.id : nil }
        let record = OutboundRecord(
            id: id,
            draft: RecordDraft(
                channel: value.name.channel, kind: value.kind, key: value.name.key,
                payload: value.payload),
            acceptedAt: WallTime(milliseconds: 0))
        lastVersion = max(lastVersion, value.version)
        if !mutants.contains(.adoptUnreserved) { reserve(through: value.version) }
        hasGivenVersion = true
        session?.isMatched = false
        emit(
            .value(record, .applied, seen: value.version),
            .adopted(record, replaces: replaces, isNews: isNews))
        change(value.name) { flight in
            flight.base = record
            flight.isDue = false
            flight.isDurable = true
            flight.reported = .committed
            flight.reached = .committed
            flight.leftVersion = value.version
        }
    }

    /// Ends the comparison once nothing of it is wanted any more.
    private mutating func finishComparison() {
        guard let comparison = session?.comparison, let held = comparison.held,
            comparison.wanted.isEmpty, comparison.asked.isEmpty
        else { return }
        session?.comparison = nil
        if matches(held) { matched() }
    }

    /// Whether the listing says just what this side has: each of its keys with its version, and of
    /// those it lacks none but removals at or below the floor.
    private func matches(_ held: OrderedTable<ValueName, HeldFrame.Entry>) -> Bool {
        for (name, value) in zip(values.table.keys, values.table.values) {
            var version = value.version
            if case .ended = value.progress { version = value.seen }
            guard held[name]?.version ?? 0 == version else { return false }
        }
        return held.values.allSatisfy { entry in
            values[entry.name] != nil || (entry.isRemoval && entry.version <= values.floor)
        }
    }
}

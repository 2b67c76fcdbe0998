/// The comparison of the counterpart's values with this side's. Values lost here are adopted;
/// values lost at the counterpart are sent again.
extension LatestValueSender {
    /// A comparison under way.
    struct Comparison: Sendable {
        /// Own epochs of which the counterpart says whether it knows them; nil until it has.
        var epochs = OrderedTable<EpochID, Bool?>()
        /// The search for what differs, and how many came before it.
        var search: RangeSearch
        var earlierSearches = 0
        /// The entries that the search listed, by key, once it is done.
        var held: OrderedTable<ValueName, HeldFrame.Entry>?
        /// Values still to be asked for, and those asked for with what has come of them.
        var wanted = OrderedTable<ValueName, Bool>()
        var asked = OrderedTable<ValueName, RecoveredValue?>()
        /// Keys whose value there is lost here, and the one here lost there.
        var conflicts = OrderedTable<ValueName, RecoveredValue?>()

        /// Keys whose value, lost here, the last session was fetching when it ended.
        var interrupted = OrderedTable<ValueName, Bool>()

        /// The number of values that are asked for at once.
        static let window = 16
        /// Searches that one comparison makes, at most.
        static let searchLimit = 3

        /// Whether a value that is lost here is still to come.
        func awaits(_ name: ValueName) -> Bool {
            wanted[name] != nil || asked[name] != nil || held == nil && interrupted[name] != nil
        }

        /// The keys whose value is still to come.
        var awaited: OrderedTable<ValueName, Bool> {
            var names = held == nil ? interrupted : OrderedTable<ValueName, Bool>()
            for name in wanted.keys + asked.keys { names[name] = true }
            return names
        }

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
        var comparison = Comparison(search: newSearch())
        comparison.interrupted = interrupted ?? comparison.interrupted
        if askingEpochs {
            for value in values.table.values where comparison.epochs[value.newest.id.epoch] == nil {
                comparison.epochs[value.newest.id.epoch] = .some(nil)
                session?.epochsDue.append(value.newest.id.epoch)
            }
        }
        session?.comparison = comparison
        askForRanges()
    }

    private mutating func newSearch() -> RangeSearch {
        let listing = (session?.listings ?? 0) + 1
        session?.listings = listing
        session?.rangesDue = []
        return RangeSearch(listing: listing, values.table.keys, limits)
    }

    private mutating func askForRanges() {
        while let question = session?.comparison?.search.next() {
            session?.rangesDue.append(question)
        }
    }

    // MARK: Digest and epochs

    /// The counterpart states the digest of what it holds, and which epochs it knows. The packet's
    /// author is at fault for every error.
    mutating func receive(_ frame: HeldDigestFrame) throws(WireError) {
        for epoch in frame.epochs where session?.comparison?.epochs[epoch.id] != nil {
            session?.comparison?.epochs[epoch.id] = .some(epoch.isKnown)
        }
        if session?.verdict == .lost { try mendIfReady() }
        guard hearsStatements, frame.epochs.isEmpty else { return }
        if frame.digest == values.digest() {
            matched()
        } else if values.queued == 0 {
            beginComparison(askingEpochs: false)
        }
    }

    /// The counterpart holds durably what this side has.
    private mutating func matched() {
        session?.isMatched = true
        forgetRemovals()
    }

    /// While both hold the same, removals that the counterpart has applied need not be kept.
    mutating func forgetRemovals() {
        guard session?.isMatched == true, values.forgettable > 0 else { return }
        // The counterpart's top rises to the watermark, which is then a version of this opening.
        emit(.numbered(present, .context, last: values.highest), .none)
        emit(.removalWatermark(values.highest), .watermark)
        for name in transmissions.keys where values[name] == nil { transmissions.remove(name) }
    }

    // MARK: Listing

    /// Digests of what the counterpart holds in the parts of a range. The packet's author is at
    /// fault for every error.
    mutating func receive(_ frame: HeldRangesFrame) throws(WireError) {
        guard session?.comparison?.held == nil else { return }
        try session?.comparison?.search.receive(frame, values)
        try goOnSearching()
    }

    /// A piece of the listing of what the counterpart holds in a range. The packet's author is at
    /// fault for every error.
    mutating func receive(_ frame: HeldFrame) throws(WireError) {
        for entry in frame.entries { try checkTold(entry.version) }
        try checkTold(frame.watermark)
        guard session?.comparison?.held == nil else { return }
        try session?.comparison?.search.receive(frame)
        try goOnSearching()
    }

    /// Asks for further ranges; once all that differ are listed, goes through the listing.
    private mutating func goOnSearching() throws(WireError) {
        if let search = session?.comparison?.search {
            // A question that counted as lost may have been answered meanwhile.
            session?.rangesDue.removeAll { !search.awaits($0, of: search.listing) }
        }
        askForRanges()
        guard let comparison = session?.comparison, comparison.search.isDone else { return }
        guard
            comparison.search.isWhole
                || comparison.earlierSearches + 1 >= Comparison.searchLimit
        else {
            let search = newSearch()
            session?.comparison?.search = search
            session?.comparison?.earlierSearches += 1
            return askForRanges()
        }
        session?.comparison?.held = comparison.search.entries
        if session?.verdict == .lost {
            if mutants.contains(.adoptUnjudged) { try reconcile() }
            try mendIfReady()
        } else {
            try reconcile()
        }
    }

    /// Goes through the listing: values newer there are adopted, values missing there are sent.
    mutating func reconcile() throws(WireError) {
        guard let comparison = session?.comparison, let held = comparison.held else { return }
        let watermark = comparison.search.watermark
        lastVersion = max(lastVersion, watermark)
        for entry in held.values { lastVersion = max(lastVersion, entry.version) }
        for entry in held.values { reconcile(entry) }
        for name in comparison.search.listedNames
        where held[name] == nil && !isOlderThanAnswer(name, 0) {
            absent(name, watermark)
        }
        if !comparison.interrupted.isEmpty { requeueDue() }
        askForValues()
        finishComparison()
    }

    private mutating func reconcile(_ entry: HeldFrame.Entry) {
        let name = entry.name
        if isOlderThanAnswer(name, entry.version) { return }
        guard let value = values[name] else {
            guard entry.fingerprint != nil else { return }
            if entry.version > values.watermark {
                session?.comparison?.wanted[name] = true
            } else if !entry.isRemoval {
                removeOnceMore(name)
            }
            return
        }
        if session?.comparison?.interrupted[name] != nil,
            differs(entry.version, entry.fingerprint, value)
        {
            session?.comparison?.wanted[name] = true
        } else if entry.version == value.versionThere {
            take(entry, as: value)
        } else if value.isEnded, entry.version <= value.version {
            markSeen(value, entry.version)
        } else if entry.version < max(value.versionThere, value.versionKnown) {
            missing(name, value)
        } else if entry.isApplied(as: value) {
            adopt(name, value.newest.kind, value.newest.payload, heldAs: entry.version)
        } else if entry.fingerprint == nil {
            absent(name, session?.comparison?.search.watermark ?? 0, refused: entry.version)
        } else if entry.fingerprint == value.fingerprint {
            // The application there refused a later one, or has not decided: it is asked anew.
            renew(name)
        } else {
            session?.comparison?.wanted[name] = true
        }
    }

    /// Whether the counterpart has settled the newest value of a key in this session, and the
    /// listing, which it took down before, has a lower version of it or none.
    private func isOlderThanAnswer(_ name: ValueName, _ version: UInt64) -> Bool {
        guard let value = values[name], value.progress != .queued else { return false }
        return version < value.version && transmissions[name]?.answeredVersion == value.version
    }

    /// The listing is a statement, too: it says what became of a value.
    private mutating func take(_ entry: HeldFrame.Entry, as value: OwnValue) {
        guard value.progress.isUnsettled else { return }
        switch entry.disposition {
        case .applied, .pending:
            committedThere(entry.name, value, isApplied: entry.disposition == .applied)
        case .rejected(let code):
            let id = value.newest.id
            emit(.settled(id, .rejected(code: code)), .settled(id, .rejected(code: code)))
        }
        // A decision since, told while a version was lost here, was not heard: it is asked for.
        if entry.disposition == .pending, session?.verdict == .mending {
            return makeDue(entry.name)
        }
        answered(entry.name, value.version)
    }

    /// The counterpart keeps the value before one that ended here.
    private mutating func markSeen(_ value: OwnValue, _ version: UInt64) {
        guard case .ended(let outcome) = value.progress else { return }
        emit(.value(value.newest, outcome, seen: version), .none)
    }

    /// The counterpart lacks a value that it was sent, or never got.
    private mutating func missing(_ name: ValueName, _ value: OwnValue) {
        // An adopted value has never left: its name is not what the counterpart knows it by.
        if value.progress == .applied, value.seen != value.version { return renew(name) }
        change(name) { transmission in
            transmission.base = nil
            transmission.answeredVersion = 0
            transmission.isLost = value.progress == .applied
        }
        makeDue(name)
    }

    /// The counterpart has nothing of a key, of which it may have `refused` a version. Where its
    /// watermark is not below the value, and above the one here, it was removed, or never left.
    private mutating func absent(_ name: ValueName, _ watermark: UInt64, refused: UInt64 = 0) {
        guard let value = values[name], max(value.versionThere, refused) > 0 else { return }
        if value.isEnded { return markSeen(value, refused) }
        let isRemoval = kinds.isRemoval(value.newest.kind)
        if watermark >= value.version, isRemoval || watermark > values.watermark,
            let kind = isRemoval ? value.newest.kind : kinds.firstRemoval
        {
            adopt(name, kind, [], heldAs: refused)
        } else if refused > 0 {
            // The application there is asked anew.
            renew(name)
        } else {
            missing(name, value)
        }
    }

    /// Gives a value a new name, under which it is sent.
    mutating func renew(_ name: ValueName) {
        guard let record = values[name]?.newest else { return }
        enqueue(record.draft, name, record.acceptedAt, isRenewal: true)
    }

    /// The counterpart holds a key that was removed here, and forgotten.
    private mutating func removeOnceMore(_ name: ValueName) {
        guard let kind = kinds.firstRemoval else { return }
        let draft = RecordDraft(channel: name.channel, kind: kind, key: name.key, payload: [])
        // Nobody waits for it: it is never overdue.
        enqueue(draft, name, WallTime(milliseconds: .max))
    }

    // MARK: Values

    mutating func askForValues() {
        while let asked = session?.comparison?.asked.count, asked < Comparison.window,
            let name = session?.comparison?.wanted.keys.last
        {
            session?.comparison?.wanted.remove(name)
            session?.comparison?.asked[name] = .some(nil)
            session?.valueQueriesDue.append(ValueQueryFrame(name: name, offset: 0))
        }
    }

    /// A piece of a value that was asked for. The packet's author is at fault for every error.
    mutating func receive(_ frame: HeldValueFrame) throws(WireError) {
        try checkTold(frame.version)
        guard let asked = session?.comparison?.asked[frame.name] else { return }
        guard let piece = frame.piece else {
            try fetched(frame.name, nil)
            return
        }
        // Another value may have taken the place of the one asked for: its pieces begin anew.
        let isOther = asked?.version != frame.version
        let none = RecoveredValue(
            name: frame.name, version: frame.version, kind: piece.kind, payload: [])
        var value = isOther ? none : asked ?? none
        let isNext = piece.offset == value.payload.count
        guard isNext || isOther else { return }
        if isNext { value.payload += piece.bytes }
        guard value.payload.count < piece.totalBytes else {
            try fetched(frame.name, value)
            return
        }
        session?.comparison?.asked[frame.name] = .some(value)
        let query = ValueQueryFrame(name: frame.name, offset: value.payload.count)
        if session?.valueQueriesDue.contains(query) == false {
            session?.valueQueriesDue.append(query)
        }
    }

    private mutating func fetched(
        _ name: ValueName, _ value: RecoveredValue?
    ) throws(WireError) {
        session?.comparison?.asked[name] = nil
        if let value {
            if session?.comparison?.conflicts[name] != nil {
                session?.comparison?.conflicts[name] = .some(value)
            }
            if hearsStatements { try adopt(value) }
        } else {
            // The application there has refused it, and nothing is held any more.
            session?.comparison?.conflicts.remove(name)
            _ = session?.comparison?.held?.modify(name) { $0.fingerprint = nil }
            if hearsStatements, let entry = session?.comparison?.held?[name] { reconcile(entry) }
        }
        if transmissions[name]?.isDue == true { makeDue(name) }
        askForValues()
        if session?.verdict == .lost { try mendIfReady() } else { finishComparison() }
    }

    private mutating func adopt(_ value: RecoveredValue) throws(WireError) {
        let (name, former) = (value.name, values[value.name])
        let entry = session?.comparison?.held?[name]
        let known = former.map { max($0.versionThere, $0.versionKnown) } ?? values.watermark
        guard value.version > known else {
            guard let former, let entry else { return }
            if entry.version > former.version {
                // The application there refused a later value.
                former.isEnded ? markSeen(former, entry.version) : renew(name)
            } else if differs(value.version, value.fingerprint, former) {
                // One accepted since the listing came replaces it.
                events.append(.conflict(ours: former.newest, theirs: value))
            }
            return
        }
        let growth = values.charge(value.kind, value.payload.count) - values.charge(of: name)
        let bytes = values.bytes[Int(name.channel.rawValue)] + growth
        guard growth <= 0 || bytes <= limits.setsHeld * name.channel.traits.setByteLimit,
            former != nil || values.table.count < HeldFrame.keyLimit(limits)
        else {
            throw WireError(
                .outOfRange, at: 0, expected: "no more values than two sets of the channel hold",
                found: UInt64(value.payload.count))
        }
        let version = max(value.version, entry?.version ?? 0)
        lastVersion = max(lastVersion, version)
        adopt(
            name, value.kind, value.payload, heldAs: version,
            isSettled: entry?.disposition == .applied)
    }

    /// Takes over what the counterpart holds, under a new name, which is not sent unless the
    /// application there has not decided. A value of the same content is applied; another one gives
    /// way. Version 0 stands for a key that is absent there.
    mutating func adopt(
        _ name: ValueName, _ kind: ContentKind, _ payload: [UInt8], heldAs version: UInt64,
        isSettled: Bool = true
    ) {
        let former = values[name].map { $0.newest }
        let isSame = former?.kind == kind && former?.payload == payload
        var replaced = values[name]?.progress.isUnsettled == true ? former?.id : nil
        if isSame, let id = replaced {
            emit(.settled(id, .applied), .settled(id, .applied))
            replaced = nil
        }
        let record = OutboundRecord(
            id: newName(name.channel),
            draft: RecordDraft(channel: name.channel, kind: kind, key: name.key, payload: payload),
            acceptedAt: WallTime(milliseconds: 0))
        session?.isMatched = false
        emit(
            .value(record, isSettled ? .applied : nil, seen: version),
            .adopted(replaces: replaced))
        // Before its commit: the application's writes go into the transaction of the recovery.
        if !isSame { events.append(.recovered(record)) }
        transmissions.update(name, default: Transmission(values[name])) { transmission in
            transmission.base = values[name]?.committed
            transmission.isDue = false
            transmission.isLost = false
            transmission.isDurable = true
            transmission.reported = .committed
            transmission.reached = .committed
            transmission.leftVersion = record.id.number.rawValue
        }
        if !isSettled { makeDue(name) }
    }

    /// Ends the comparison once nothing of it is wanted any more.
    private mutating func finishComparison() {
        guard let comparison = session?.comparison, let held = comparison.held,
            comparison.wanted.isEmpty, comparison.asked.isEmpty
        else { return }
        session?.comparison = nil
        if comparison.search.isWhole, matches(held, comparison.search.digest) { matched() }
    }

    /// Whether what is held there, of this digest, is just what this side has, but for keys that it
    /// lacks and that are removed there at or below the watermark, or refused.
    private func matches(
        _ held: OrderedTable<ValueName, HeldFrame.Entry>, _ digest: UInt64
    ) -> Bool {
        var forgotten = VersionDigest()
        for entry in held.values
        where values[entry.name] == nil
            && (entry.fingerprint == nil || entry.isRemoval && entry.version <= values.watermark)
        {
            forgotten.add(entry.name, version: entry.version)
        }
        return values.digest() == digest &- forgotten.rawValue
    }
}

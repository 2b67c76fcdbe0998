extension LatestValueSender {
    /// The journal's state of this side's values.
    package struct Image: Sendable {
        var values: OwnValues
        var outcomes = RecordRuns<Outcome>()

        /// Makes the image of an empty journal. `kinds` tells which values are removals.
        package init(kinds: RecordKinds) { values = OwnValues(kinds: kinds) }

        /// Takes in one entry; those of other rooms change nothing.
        package mutating func apply(_ entry: JournalEntry) {
            switch entry {
            case .queued(let record), .value(let record, _, _): noteReplaced(by: record)
            case .ended(let first, let count, let outcome, _):
                guard first.channel.traits.order == .latestValue else { break }
                var id = first
                for _ in 0..<count {
                    outcomes.remember(id, outcome)
                    id.number.rawValue += 1
                }
            case .settled(let id, let outcome):
                if id.channel.traits.order == .latestValue { outcomes.remember(id, outcome) }
            default: break
            }
            values.apply(entry)
        }

        /// Gives the entries that make this image, one after the other.
        func forEachEntry<Failure: Error>(
            _ body: (JournalEntry) throws(Failure) -> Void
        ) throws(Failure) {
            try values.forEachEntry(body)
            for run in outcomes.runs {
                try body(.ended(run.first, count: run.count, run.value, isLostSince: false))
            }
        }

        private mutating func noteReplaced(by record: OutboundRecord) {
            guard let key = record.key,
                let former = values[ValueName(channel: record.id.channel, key: key)],
                former.progress.isUnsettled, former.newest.id != record.id
            else { return }
            outcomes.remember(former.newest.id, .superseded)
        }
    }

    /// Takes the entries since the last call; ``batchFormed(_:)`` follows.
    package mutating func takeEntries() -> [JournalEntry] {
        defer { entries.removeAll() }
        return entries
    }

    /// Whether entries wait to be taken.
    package var hasEntries: Bool { !entries.isEmpty }

    /// The entries that were taken belong to batch `batch`.
    package mutating func batchFormed(_ batch: UInt64) { commits.batchFormed(batch) }

    /// The journal holds the batches up to `batch`.
    package mutating func committed(through batch: UInt64) {
        for action in commits.takeCommitted(through: batch) { committed(action) }
    }

    private mutating func committed(_ action: Action) {
        switch action {
        case .accepted(let id, let name, let former, let isRenewal):
            if isRenewal, let former { events.append(.renumbered(former, as: id)) }
            if let former { supersede(former) }
            guard values[name]?.newest.id == id else { return }
            var isDue = false
            change(name) { transmission in
                transmission.isDurable = true
                isDue = transmission.isDue
            }
            report(name)
            if isDue { makeDue(name) }
        case .settled(let id, let outcome): settle(id, outcome)
        case .reserved(let end):
            durableReservationEnd = max(durableReservationEnd, end)
            requeueDue()
        case .adopted(let former):
            if let former { supersede(former) }
        case .mended(let conflicts):
            events += conflicts
            mendsUnderWay -= 1
            guard mendsUnderWay == 0, session?.verdict == .mending else { return }
            session?.verdict = .mended
            session?.owesVerdict = true
            requeueDue()
        case .watermark: session?.toldWatermark = 0
        case .none: break
        }
    }

    /// A newer value is durable: the one before it is over, unless it has ended before.
    private mutating func supersede(_ id: RecordID) {
        replaced.remove(id)
        if outcomes[id] == nil { settle(id, .superseded) }
    }

    private mutating func settle(_ id: RecordID, _ outcome: Outcome) {
        outcomes.remember(id, outcome)
        events.append(.settled(id, outcome))
    }

    /// Tells the application how far the newest value of a key has come.
    mutating func report(_ name: ValueName) {
        guard let id = values[name]?.newest.id else { return }
        var news: [Stage] = []
        change(name) { transmission in
            guard transmission.isDurable else { return }
            if transmission.reported == nil { news.append(.queued) }
            if transmission.reached > (transmission.reported ?? .queued) {
                news.append(transmission.reached)
            }
            transmission.reported = transmission.reached
        }
        for stage in news { events.append(.progress(id, stage)) }
    }
}

extension RecordRuns where Value == Outcome {
    /// Remembers how a value ended; forgets one of the oldest at the bound.
    mutating func remember(_ id: RecordID, _ outcome: Outcome) {
        set(id, outcome)
        while count > LatestValueSender.outcomeLimit { removeOldest() }
    }
}

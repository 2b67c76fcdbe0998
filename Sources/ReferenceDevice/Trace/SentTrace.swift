internal import WatchProto

/// The outcome of each record that this side sent, with the moment of every stage.
struct SentTrace {
    /// One record, or one update that was equal to the value before it. Moments are nanoseconds of
    /// CLOCK_MONOTONIC, 0 when not reached.
    struct Entry {
        var id: RecordID?
        var origin: SendOrigin
        var acceptedNs: UInt64
        /// When this side's journal held it.
        var durableNs: UInt64 = 0
        var stages: InlineArray<5, UInt64> = InlineArray(repeating: 0)
        var settled: String?
        var settledNs: UInt64 = 0
        var repliedNs: UInt64 = 0
    }

    private(set) var entries: [Entry] = []
    /// How far the load has come.
    var load = LoadCount()
    private(set) var untraced: UInt64 = 0
    private var index: [RecordID: Int] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    private mutating func add(_ entry: Entry) -> Int? {
        load.add(entry.origin)
        guard entries.count < limit else {
            untraced += 1
            return nil
        }
        entries.append(entry)
        return entries.count - 1
    }

    /// A record was accepted, or stands for one that was: an equal value, or the same act.
    mutating func accepted(
        _ id: RecordID, _ origin: SendOrigin, isEqual: Bool, at now: Instant
    ) {
        let place = add(Entry(id: id, origin: origin, acceptedNs: now.nanoseconds))
        guard isEqual else {
            index[id] = place
            return
        }
        if let place {
            entries[place].id = nil
            settle(place, "equal", at: now)
        }
    }

    /// An act of a load failed, and there is no record of it.
    mutating func failed(_ origin: SendOrigin, at now: Instant) {
        guard let place = add(Entry(origin: origin, acceptedNs: now.nanoseconds)) else { return }
        settle(place, "failed", at: now)
    }

    /// A record came further.
    mutating func progress(_ id: RecordID, _ stage: Stage, at now: Instant) {
        guard let place = index[id] else { return }
        let slot = Int(stage.rawValue)
        if entries[place].stages[slot] == 0 { entries[place].stages[slot] = now.nanoseconds }
    }

    mutating func settled(_ id: RecordID, _ outcome: Outcome, at now: Instant) {
        guard let place = index[id], entries[place].settled == nil else { return }
        if outcome == .applied, entries[place].stages[4] == 0 {
            entries[place].stages[4] = now.nanoseconds
        }
        settle(place, outcome.controlName, at: now)
    }

    /// A value has another name from now on.
    mutating func renumbered(_ id: RecordID, as new: RecordID) {
        guard let place = index.removeValue(forKey: id) else { return }
        entries[place].id = new
        index[new] = place
    }

    /// This side's journal holds a record.
    mutating func durable(_ id: RecordID, at now: Instant) {
        if let place = index[id] { entries[place].durableNs = now.nanoseconds }
    }

    private mutating func settle(_ place: Int, _ outcome: String, at now: Instant) {
        entries[place].settled = outcome
        entries[place].settledNs = now.nanoseconds
        load.settle(
            entries[place].origin, isApplied: outcome == Outcome.applied.controlName,
            atNanoseconds: now.nanoseconds)
    }

    /// The counterpart answered the newest interactive message with this number.
    mutating func replied(to number: RecordNumber, at now: Instant) {
        let place = entries.lastIndex {
            $0.id?.channel == .interactive && $0.id?.number == number
        }
        if let place, entries[place].repliedNs == 0 { entries[place].repliedNs = now.nanoseconds }
    }
}

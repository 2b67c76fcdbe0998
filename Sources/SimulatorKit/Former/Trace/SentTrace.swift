internal import ControlKit
internal import WatchProto

/// What became of each record that this side sent, with the moment of every stage.
struct SentTrace {
    /// One record, or one complication update that never became a record of its own. Moments are
    /// nanoseconds of CLOCK_MONOTONIC, 0 when not reached.
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
    /// Complication updates that were gathered and have no identity yet, oldest first.
    private var gathered: [Int] = []
    private let limit: Int
    /// Whether a journal tells when records are durable.
    private let followsDurability: Bool

    init(limit: Int, followsDurability: Bool = false) {
        self.limit = limit
        self.followsDurability = followsDurability
    }

    private mutating func add(_ entry: Entry) -> Int? {
        load.add(entry.origin)
        guard entries.count < limit else {
            untraced += 1
            return nil
        }
        entries.append(entry)
        return entries.count - 1
    }

    /// A record was accepted.
    mutating func accepted(_ id: RecordID, _ origin: SendOrigin, at now: Instant) {
        index[id] = add(Entry(id: id, origin: origin, acceptedNs: now.nanoseconds))
    }

    /// A complication update was decided on.
    mutating func decided(
        _ update: ComplicationUpdate, _ origin: SendOrigin, at now: Instant
    ) {
        switch update {
        case .queued(let id):
            supersedeGathered(at: now)
            accepted(id, origin, at: now)
        case .gathered:
            if let place = add(Entry(origin: origin, acceptedNs: now.nanoseconds)) {
                gathered.append(place)
            }
        case .equal:
            // Equal to the last one gathered, which stays; or to what is on its way, which makes
            // those gathered needless.
            if let last = gathered.last, entries[last].origin.content != origin.content {
                supersedeGathered(at: now)
            }
            if let place = add(Entry(origin: origin, acceptedNs: now.nanoseconds)) {
                settle(place, "equal", at: now)
            }
        }
    }

    private mutating func supersedeGathered(at now: Instant) {
        for place in gathered { settle(place, "superseded", at: now) }
        gathered = []
    }

    /// A record was given to the journal, or came further. One of the complication lane that nobody
    /// accepted by name is what was gathered: the last update gets its identity, the others are
    /// superseded. A journal that takes its time tells first, before more is gathered.
    mutating func began(_ id: RecordID, at now: Instant) {
        if index[id] == nil, id.channel == .complication, let last = gathered.popLast() {
            supersedeGathered(at: now)
            entries[last].id = id
            index[id] = last
        }
    }

    /// A record came further.
    mutating func progress(_ id: RecordID, _ stage: Stage, at now: Instant) {
        began(id, at: now)
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
        // The counterpart's receipt may come before this side's own commit.
        let isWhole = entries[place].durableNs > 0 || !id.channel.traits.isDurable
        if isWhole || !followsDurability { index[id] = nil }
    }

    /// This side's journal holds a record.
    mutating func durable(_ id: RecordID, at now: Instant) {
        guard let place = index[id] else { return }
        entries[place].durableNs = now.nanoseconds
        if entries[place].settled != nil { index[id] = nil }
    }

    private mutating func settle(_ place: Int, _ outcome: String, at now: Instant) {
        entries[place].settled = outcome
        entries[place].settledNs = now.nanoseconds
        load.settle(
            entries[place].origin, isApplied: outcome == Outcome.applied.controlName,
            atNanoseconds: now.nanoseconds)
    }

    /// The counterpart answered an interactive message.
    mutating func replied(to number: RecordNumber, epoch: EpochID, at now: Instant) {
        let id = RecordID(epoch: epoch, channel: .interactive, number: number)
        // The answer may come before or after the receipt that settles the message.
        let place = index[id] ?? entries.lastIndex { $0.id == id }
        if let place, entries[place].repliedNs == 0 { entries[place].repliedNs = now.nanoseconds }
    }
}

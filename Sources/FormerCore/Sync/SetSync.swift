/// What came of synchronizing a whole set.
public enum SyncResult: Hashable, Sendable {
    /// Nothing is sent: the value of each key that was accepted last is the set's. Where `isHeld`,
    /// the counterpart is known to hold this very set; else some of it is still on its way there.
    case notModified(isHeld: Bool)
    /// Records accepted for delivery: values new or changed, and removals.
    case queued([RecordID])
    /// This side does not remember what the counterpart holds: it is asked first, now or when a
    /// session opens. ``PeerEvent/synchronized(_:_:)`` tells what came of it. Until then
    /// nothing is accepted: after a restart, synchronize again.
    case comparing

    /// The records that were accepted for the set; none unless it lacked something.
    public var queued: [RecordID] {
        if case .queued(let ids) = self { ids } else { [] }
    }
}

/// Compares a whole set of values with what the counterpart holds or is being sent.
struct SetSync: Sendable {
    /// What has to be sent so that the counterpart holds the set: nothing for what it has or is
    /// being sent already, a removal for each key that is not among them, and nothing for keys of
    /// which something was accepted while the set waited.
    static func drafts(
        lane: Lane, wanted set: SetComparison.Wanted,
        newest: (RecordKey) -> (kind: ContentKind, payload: [UInt8])?,
        keys: [(key: RecordKey, kind: ContentKind)], isOvertaken: (RecordKey) -> Bool
    ) -> [RecordDraft] {
        var drafts: [RecordDraft] = []
        var wanted = OrderedTable<RecordKey, Bool>()
        for value in set.values {
            wanted[value.key] = true
            if isOvertaken(value.key) { continue }
            if let known = newest(value.key), known.kind == value.kind,
                known.payload == value.payload
            {
                continue
            }
            drafts.append(
                RecordDraft(lane: lane, kind: value.kind, key: value.key, payload: value.payload))
        }
        for (key, kind) in keys where wanted[key] == nil && !isOvertaken(key) {
            // Other kinds in the lane (an application context, say) are not of this set.
            if set.kinds.contains(kind) {
                drafts.append(
                    RecordDraft(lane: lane, kind: set.removalKind, key: key, payload: []))
            }
        }
        return drafts
    }

    /// The fingerprint of a set.
    static func digest(_ values: [SyncValue]) -> SetDigest {
        var digest = SetDigest()
        for value in values { digest.insert(value.key, value.kind, value.payload) }
        return digest
    }
}

/// What this side asks, and answers, about sets that one of the two does not remember.
struct SetComparison: Sendable {
    /// A set to be made the counterpart's.
    struct Wanted: Sendable {
        var values: [SyncValue]
        /// The kinds of values that belong to the set.
        var kinds: [ContentKind]
        var removalKind: ContentKind
        /// The number that the next record of the lane would have got when the set was given.
        var since: UInt64
        /// What the counterpart told so far.
        var listing = HeldListing()
    }

    /// Sets waiting to be compared, per lane.
    var wanted: [Wanted?] = Array(repeating: nil, count: Lane.count)
    /// Questions to ask.
    var queriesDue: [Lane] = []
    /// Answers to give, one for each lane.
    var answersDue: [HeldAnswer] = []

    /// Forgets what only one session knew.
    mutating func beginSession() {
        queriesDue = []
        answersDue = []
        for lane in wanted.indices { wanted[lane]?.listing = HeldListing() }
    }

    mutating func ask(_ lane: Lane) {
        if !queriesDue.contains(lane) { queriesDue.append(lane) }
    }

    /// Answers, once or, where an answer is being told, once again: however often somebody asks,
    /// what is held is listed no more often than it is told.
    mutating func answer(_ lane: Lane) {
        if let place = answersDue.firstIndex(where: { $0.lane == lane }) {
            answersDue[place].isAskedAgain = answersDue[place].entries != nil
        } else {
            answersDue.append(HeldAnswer(lane: lane))
        }
    }

    /// The first answer was told.
    mutating func answered() {
        let answer = answersDue.removeFirst()
        if answer.isAskedAgain { answersDue.append(HeldAnswer(lane: answer.lane)) }
    }

    /// Takes a part of the counterpart's answer; gives all of it once it is whole.
    mutating func receive(_ frame: HeldFrame) -> [HeldFrame.Entry]? {
        let index = Int(frame.lane.rawValue)
        return wanted[index]?.listing.take(frame)
    }
}

/// Finds out, key by key, where the counterpart's values of a lane differ from what this side
/// believes it holds: first a listing by fingerprint, then the values that differ.
struct SetAudit: Sendable {
    /// A value on its way, piece by piece.
    struct Partial: Sendable {
        var id: RecordID?
        var kind: ContentKind
        var bytes: [UInt8]
    }

    /// How far the audit of one lane is.
    struct LaneAudit: Sendable {
        /// Whether the listing was asked for.
        var isAsked = false
        /// What was listed so far.
        var listing = HeldListing()
        /// Keys whose values are still to be asked for.
        var keys: [RecordKey] = []
        /// Values asked for.
        var asked = OrderedTable<RecordKey, Partial?>()
    }

    struct Query: Hashable, Sendable {
        var lane: Lane
        var key: RecordKey
        var offset: Int
    }

    /// How many values are asked for at once.
    static let window = 16
    /// How many questions wait for an answer at most; an honest counterpart never asks more.
    static let answerLimit = 2 * window * Lane.count

    /// Lanes under audit.
    var lanes: [LaneAudit?] = Array(repeating: nil, count: Lane.count)
    var queriesDue: [Query] = []
    var answersDue: [Query] = []

    /// Forgets what only one session knew.
    mutating func beginSession() { self = SetAudit() }

    /// Asks for this piece of a value, if it is still wanted.
    mutating func ask(_ query: Query) {
        guard lanes[Int(query.lane.rawValue)]?.asked[query.key] != nil,
            !queriesDue.contains(query)
        else { return }
        queriesDue.append(query)
    }

    /// Answers a question.
    mutating func answer(_ query: Query) {
        guard answersDue.count < Self.answerLimit, !answersDue.contains(query) else { return }
        answersDue.append(query)
    }

    /// Takes a part of the listing; gives all of it once it is whole.
    mutating func receive(_ frame: HeldFrame) -> [HeldFrame.Entry]? {
        let index = Int(frame.lane.rawValue)
        guard let audit = lanes[index], audit.isAsked, audit.keys.isEmpty, audit.asked.isEmpty
        else { return nil }
        return lanes[index]?.listing.take(frame)
    }

    /// These keys differ: their values are asked for, some at a time.
    mutating func begin(_ lane: Lane, _ keys: [RecordKey]) {
        lanes[Int(lane.rawValue)]?.listing = HeldListing()
        lanes[Int(lane.rawValue)]?.keys = keys.reversed()
        askMore(lane)
    }

    private mutating func askMore(_ lane: Lane) {
        let index = Int(lane.rawValue)
        guard var audit = lanes[index] else { return }
        while audit.asked.count < Self.window, let key = audit.keys.popLast() {
            audit.asked[key] = .some(nil)
            queriesDue.append(Query(lane: lane, key: key, offset: 0))
        }
        lanes[index] = audit.asked.isEmpty ? nil : audit
    }

    /// Takes a piece of a value; says true once the value is whole, with what it is (nil for none).
    mutating func receive(_ frame: ValueFrame) -> (isWhole: Bool, value: Partial?) {
        let index = Int(frame.lane.rawValue)
        guard let asked = lanes[index]?.asked[frame.key] else { return (false, nil) }
        let id = frame.epoch.map {
            RecordID(epoch: $0, lane: frame.lane, number: RecordNumber(frame.number))
        }
        var partial = asked ?? Partial(id: id, kind: frame.kind, bytes: [])
        if partial.id != id { partial = Partial(id: id, kind: frame.kind, bytes: []) }
        if frame.offset == partial.bytes.count { partial.bytes += frame.bytes }
        guard partial.bytes.count >= frame.totalBytes else {
            lanes[index]?.asked[frame.key] = .some(partial)
            ask(Query(lane: frame.lane, key: frame.key, offset: partial.bytes.count))
            return (false, nil)
        }
        lanes[index]?.asked[frame.key] = nil
        askMore(frame.lane)
        return (true, id == nil ? nil : partial)
    }
}

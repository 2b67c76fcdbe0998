/// Gathers complication updates: the first at once, those that follow while it is under way joined
/// into one, equal ones never.
///
/// The gathered value leaves when the one under way is confirmed, when `batchTime` has passed, or
/// when `batchCount` updates have been joined, whichever is first. On a fast link the confirmation
/// comes within microseconds and hardly anything is held back; on a slow one it cannot flood. The
/// table is in the article *State machines*; a test holds it against this code.
public struct ComplicationBatcher: Sendable {
    /// What to do with an update.
    public enum Decision: Hashable, Sendable {
        /// Queue it now.
        case send
        /// It waits with others; nothing to do yet.
        case gathered
        /// The face shows this already.
        case equal
    }

    private struct Gathered: Sendable {
        var payload: [UInt8]
        var count: Int
        var deadline: Instant
    }

    private struct KeyState: Sendable {
        /// The last value queued that did not expire and was not cancelled or refused.
        var lastQueued: [UInt8]?
        /// Whether a queued value awaits its confirmation.
        var isUnderWay = false
        var gathered: Gathered?
    }

    /// How long what is gathered from now on is held at most.
    public var batchTime: Duration
    private let batchCount: Int
    private var keys = OrderedTable<RecordKey, KeyState>()

    /// Joins at most `batchCount` updates and holds them for at most `batchTime`.
    public init(batchTime: Duration, batchCount: Int) {
        self.batchTime = batchTime
        self.batchCount = batchCount
    }

    /// Takes up again, after a restart, from what the journal knows of a key: an application that
    /// shows its state again repeats nothing.
    public mutating func restore(_ key: RecordKey, lastQueued: [UInt8], isUnderWay: Bool) {
        keys[key] = KeyState(lastQueued: lastQueued, isUnderWay: isUnderWay, gathered: nil)
    }

    /// Decides on an update.
    public mutating func update(
        _ key: RecordKey, _ payload: [UInt8], at now: Instant
    ) -> Decision {
        keys.update(key, default: KeyState()) { state in
            if let gathered = state.gathered {
                if gathered.payload == payload { return .equal }
                if state.lastQueued == payload {
                    // Back to what is on its way: nothing is left to say.
                    state.gathered = nil
                    return .equal
                }
                if gathered.count + 1 >= batchCount {
                    state.gathered = nil
                    return .send
                }
                state.gathered = Gathered(
                    payload: payload, count: gathered.count + 1, deadline: gathered.deadline)
                return .gathered
            }
            if state.lastQueued == payload { return .equal }
            guard state.isUnderWay else { return .send }
            state.gathered = Gathered(
                payload: payload, count: 1, deadline: now.advanced(by: batchTime))
            return .gathered
        }
    }

    /// A value of `key` was queued.
    public mutating func queued(_ key: RecordKey, _ payload: [UInt8]) {
        keys.update(key, default: KeyState()) { state in
            state.lastQueued = payload
            state.isUnderWay = true
            state.gathered = nil
        }
    }

    /// The last value queued arrived, or ended otherwise; says what is to be queued next.
    public mutating func confirmed(_ key: RecordKey, _ payload: [UInt8], counts: Bool) -> [UInt8]? {
        keys.modify(key) { state in
            guard state.lastQueued == payload else { return nil }
            state.isUnderWay = false
            if !counts { state.lastQueued = nil }
            defer { state.gathered = nil }
            return state.gathered?.payload
        } ?? nil
    }

    /// The values whose gathering is over at `now`.
    public mutating func due(at now: Instant) -> [(RecordKey, [UInt8])] {
        var due: [(RecordKey, [UInt8])] = []
        keys.modifyAll { key, state in
            guard let gathered = state.gathered, gathered.deadline <= now else { return }
            due.append((key, gathered.payload))
            state.gathered = nil
        }
        return due
    }

    /// When the next gathering is over.
    public var nextDeadline: Instant? {
        var earliest: Instant?
        for state in keys.values {
            guard let deadline = state.gathered?.deadline else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
    }
}

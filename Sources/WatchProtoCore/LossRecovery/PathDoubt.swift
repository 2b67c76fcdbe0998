/// The doubt whether a path brings anything to the counterpart.
///
/// If it loses all packets of this direction, handshakes of the other direction begin one session
/// after the other here, and each would send all of its early data. So after three sessions in a
/// row in which the counterpart was heard and nothing was acknowledged, each further one sends half
/// as much before an answer comes.
struct PathDoubt: Sendable {
    private var unansweredSessions = 0
    private var isAnswered = false

    /// A session begins.
    mutating func beginSession() { isAnswered = false }

    /// A session ends in which the counterpart was heard.
    mutating func endSession() { if !isAnswered { unansweredSessions += 1 } }

    /// An acknowledgement has come.
    mutating func end() {
        isAnswered = true
        unansweredSessions = 0
    }

    /// The bytes that may be in flight, where without a doubt it would be `limit`.
    func reduced(_ limit: Int, least: Int) -> Int {
        guard unansweredSessions > 2 else { return limit }
        return max(limit >> min(32, unansweredSessions - 2), min(limit, least))
    }
}

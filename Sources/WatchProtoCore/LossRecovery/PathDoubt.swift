/// The doubt whether this side's records arrive before the counterpart has confirmed a session.
///
/// Where a path brings nothing to the counterpart, or the counterpart refuses each session (a copy
/// of a device meets the original), one session after the other begins, and each would send its
/// early data, and what a responder sends ahead, once more. So after three sessions in a row in
/// which the counterpart was heard and none was confirmed, records wait until one is.
struct PathDoubt: Sendable {
    private var unconfirmedSessions = 0
    private var isConfirmed = false

    /// Whether records wait until a session is confirmed.
    var isDoubted: Bool { unconfirmedSessions >= Self.enough }

    /// A session begins.
    mutating func beginSession() { isConfirmed = false }

    /// Both sides act on the session.
    mutating func confirm() {
        isConfirmed = true
        unconfirmedSessions = 0
    }

    /// A session ends, or another one takes its place.
    mutating func endSession(wasHeard: Bool) {
        guard wasHeard, !isConfirmed else { return }
        unconfirmedSessions = min(unconfirmedSessions + 1, Self.enough)
    }

    private static let enough = 3
}

/// The sessions in a row in which the counterpart was heard and that were not confirmed.
///
/// A path may bring nothing to the counterpart, or the counterpart may refuse each session, as the
/// original refuses a copy of a device. One session after the other begins then, and each would
/// send the same records again before it is confirmed. So after three of them, records that are not
/// urgent leave before the confirmation in every fourth session alone. They must leave in some:
/// links that live for less than a round trip and a half confirm no session.
struct UnconfirmedSessions: Sendable {
    private var count = 0
    private var isConfirmed = false

    /// Whether records that are not urgent wait until the session is confirmed.
    var recordsWait: Bool { (Self.enough..<Self.enough + 3).contains(count) }

    /// A session begins.
    mutating func beginSession() { isConfirmed = false }

    /// Both sides act on the session.
    mutating func confirm() {
        isConfirmed = true
        count = 0
    }

    /// A session ends, or another one takes its place.
    mutating func endSession(wasHeard: Bool) {
        guard wasHeard, !isConfirmed else { return }
        count = count < Self.enough + 3 ? count + 1 : Self.enough
    }

    private static let enough = 3
}

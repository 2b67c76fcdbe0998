/// Which notices are told to the application: each distinct one once a minute, and only a few.
///
/// Nobody vouches for a notice, and it changes no state: whoever can write on the link could do no
/// more with it than fill a log, and not even that.
struct NoticeGate: Hashable, Sendable {
    /// How long a notice that was told is not told again.
    static let interval: Duration = .seconds(60)
    /// Distinct notices that are told within ``interval``.
    static let limit = 8

    private struct Told: Hashable, Sendable {
        var notice: NoticePacket
        var at: Instant
    }

    private var told: [Told] = []

    /// Whether to tell of a notice that came at `now`.
    mutating func admits(_ notice: NoticePacket, at now: Instant) -> Bool {
        told.removeAll { $0.at.duration(to: now) >= Self.interval }
        guard told.count < Self.limit, !told.contains(where: { $0.notice == notice }) else {
            return false
        }
        told.append(Told(notice: notice, at: now))
        return true
    }
}

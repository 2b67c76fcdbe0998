/// Which advisory packets are reported to the application: each distinct one once a minute, and at
/// most eight a minute.
///
/// Anybody can send an advisory, and it changes no state.
package struct AdvisoryGate: Hashable, Sendable {
    /// The time for which a reported advisory is not reported again.
    package static let interval: Duration = .seconds(60)
    /// Distinct advisories that are reported within ``interval``.
    package static let limit = 8

    private struct Reported: Hashable, Sendable {
        var advisory: AdvisoryPacket
        var at: Instant
    }

    private var reported: [Reported] = []

    package init() {}

    /// Whether to report an advisory that came at `now`.
    package mutating func admits(_ advisory: AdvisoryPacket, at now: Instant) -> Bool {
        reported.removeAll { $0.at.duration(to: now) >= Self.interval }
        guard reported.count < Self.limit, !reported.contains(where: { $0.advisory == advisory })
        else { return false }
        reported.append(Reported(advisory: advisory, at: now))
        return true
    }
}

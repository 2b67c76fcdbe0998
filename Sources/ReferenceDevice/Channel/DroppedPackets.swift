internal import WatchProto
internal import WatchProtoTransport

/// When to report dropped packets: their sender learns nothing, the user of this program does.
struct DroppedPackets {
    private let begin: Instant
    private var told: UInt64 = 0
    private var first: Instant?

    /// Counts from `begin` on, the start of the process.
    init(since begin: Instant) { self.begin = begin }

    /// A line for the first and then for every doubling, so that a flood stays readable, and at the
    /// end for those that came since; nil where there is nothing new to say.
    ///
    /// - Parameters:
    ///   - count: packets that the session has dropped; a new session begins at 0.
    ///   - link: where they came from, as an address.
    mutating func line(
        _ count: UInt64, link: String, isLast: Bool, at now: Instant
    ) -> String? {
        if count < told { told = 0 }
        guard count > told, isLast || count >= 2 * told else { return nil }
        told = count
        first = first ?? now
        let tenths = begin.duration(to: first ?? now).nanosecondsClamped / 100_000_000
        let what = count == 1 ? "1 packet" : "\(count) packets"
        return "\(what) dropped, not authentic or of another session, since "
            + "\(tenths / 10).\(tenths % 10) s (link \(link))"
            + (isLast ? "" : "; the session continues")
    }
}

extension ControlLoop {
    /// Says on standard error how many packets were dropped, where that is news.
    func tellDropped(_ simulator: Simulator, isLast: Bool = false) {
        let count = simulator.session.peerCounters.packetsDropped
        let line = dropped.line(
            count, link: simulator.link.description, isLast: isLast, at: SystemClock.now)
        if let line { StandardError.write("\(name): \(line)") }
    }
}

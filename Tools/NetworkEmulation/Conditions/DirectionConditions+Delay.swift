package import Simulation
import WatchProtoCore

/// How long packets take in one direction, as a user would measure it.
extension DirectionConditions {
    /// The delay of packets of 200 bytes that leave every 20 ms, from the moment each was sent:
    /// propagation, line, jitter, and waits behind an earlier packet. Blackouts and losses are left
    /// out.
    ///
    /// - Returns: the median and the 99th percentile of those that arrive; nil where none does.
    package func delays(_ reading: LinkProfile.Reading) -> (p50: Duration, p99: Duration)? {
        var calm = self
        calm.blackout = nil
        var model = LinkModel(
            calm.options(.lossyDatagram, reading: reading, since: .zero, around: .zero), seed: 1)
        let packet = [UInt8](repeating: 0, count: 200)
        var found: [Duration] = []
        for number in 0..<2000 {
            let sent = Instant.zero.advanced(by: .milliseconds(20) * number)
            let offer = model.offer(packet, at: sent)
            if let arrival = offer.arrivals.first { found.append(sent.duration(to: arrival.at)) }
        }
        guard !found.isEmpty else { return nil }
        found.sort()
        return (found[found.count / 2], found[min(found.count - 1, found.count * 99 / 100)])
    }

    /// A warning about an effect that the figures hide; nil where they hide none.
    package var caution: String? {
        guard options.jitter > .zero, options.jitterShape == .heavyTailed, !options.jitterReorders
        else { return nil }
        return
            "heavy-tailed jitter without reordering: each slow packet holds up all behind it, so "
            + "most are late; jitter-reorders=yes lets them overtake"
    }
}

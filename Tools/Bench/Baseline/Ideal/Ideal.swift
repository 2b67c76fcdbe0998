package import Simulation
package import WatchProtoCore

/// Limits that no protocol can beat, found by arithmetic or by a line without a protocol: none of
/// this asks a peer anything.
package enum Ideal {
    /// The theoretical limit for `bytes` on a direction with `options`: serialization of all of
    /// them, then propagation. The wait for a connection interval is not in it.
    package static func limit(bytes: Int, _ options: LinkOptions) -> Duration {
        options.delay + serialization(bytes: bytes, options)
    }

    /// Time that `bytes` take on the line: bytes · 8 / rate, rounded up to a nanosecond; none
    /// where the direction has no rate.
    package static func serialization(bytes: Int, _ options: LinkOptions) -> Duration {
        guard let rate = options.rateBitsPerSecond, rate > 0 else { return .zero }
        let nanoseconds = (UInt128(bytes) * 8_000_000_000 + UInt128(rate) - 1) / UInt128(rate)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// How long one datagram of `bytes` takes that is offered to a copy of `link` at `now` and
    /// never lost; nil where nothing arrives. Delay, rate, interval and stalls are the link's own,
    /// and packets that wait in its queue go first.
    ///
    /// - Returns: the latency, and whether it had to wait for a line that was busy.
    package static func datagram(
        bytes: Int, through link: LinkModel, at now: Instant
    ) -> (latency: Duration, waited: Bool)? {
        var link = link
        link.options.outages = []
        link.options.corruption = 0
        link.options.truncation = 0
        // A copy may be in the middle of a run of losses, which no chance ends: what takes a packet
        // from a carrier without losses holds it back, and here for no time.
        link.options.loss = 0
        link.options.lossBurstPackets = 1
        link.options.kind = .reliableDatagram
        link.options.recoveryTime = .zero
        let offer = link.offer([UInt8](repeating: 0, count: max(1, bytes)), at: now)
        guard let arrival = offer.arrivals.first else { return nil }
        return (now.duration(to: arrival.at), offer.fate.marks.contains(.queued))
    }

    /// The ideal retransmission scheme for packets of `sizes` that wait at `now`: they leave back
    /// to back, and the sender knows of each lost or damaged one at the moment its last bit has
    /// left, without any word from the other side, and puts it on the line next.
    ///
    /// The packets meet the same draws of loss as the first ones that anybody else offers to
    /// `link`, of which this takes a copy.
    ///
    /// - Returns: when the last of them has arrived, how many packets and bytes left, and whether
    ///   the line was busy at `now`; nil where one never arrives.
    package static func scheme(
        sizes: [Int], through link: LinkModel, at now: Instant
    ) -> (time: Duration, packets: Int, bytes: Int, waited: Bool)? {
        var link = link
        var moment = now
        var last = now
        var (packets, bytes) = (0, 0)
        var waited = false
        for size in sizes {
            let packet = [UInt8](repeating: 0, count: max(1, size))
            while true {
                guard packets < 100 * (sizes.count + 100) else { return nil }
                let offer = link.offer(packet, at: moment)
                packets += 1
                bytes += size
                if packets == 1 { waited = offer.fate.marks.contains(.queued) }
                // In an outage the packet has left all the same, for nowhere.
                guard let left = offer.fate.departedAt ?? link.nextDeparture else { return nil }
                // Just before the line is free: one that is never idle waits for no interval.
                moment = max(moment, left.advanced(by: .nanoseconds(-1)))
                let isWhole = offer.fate.marks.isDisjoint(with: [.corrupted, .truncated])
                if isWhole, let arrival = offer.arrivals.first {
                    last = max(last, arrival.at)
                    break
                }
            }
        }
        return (now.duration(to: last), packets, bytes, waited)
    }
}

package import WatchProtoCore

/// One direction of a link: given a packet and a moment, says what arrives and when.
///
/// Pure and fully seeded. The same code serves virtual time in the world and real time in the rig:
/// it holds no clock and no timer, only the moment at which its line is free again. Moments given
/// to it never run backwards. A packet's way is: queue, line (rate, interval, clogs, outages),
/// loss, delay and jitter, order, copies, damage.
package struct LinkModel: Sendable {
    /// The conditions; they may be changed at any time and count for what is offered afterwards. A
    /// run of losses ends where what loses packets is another.
    package var options: LinkOptions {
        didSet {
            if options.loss != oldValue.loss
                || options.lossBurstPackets != oldValue.lossBurstPackets
            {
                burstPacketsLeft = 0
            }
        }
    }
    /// The counts of everything that the link did so far.
    package private(set) var counters = LinkCounters()

    private let draws: LinkDraws
    private var nextNumber: UInt64 = 0
    private var lineFreeAt = Instant.zero
    private var cloggedUntil = Instant.zero
    private var lastArrivalAt = Instant.zero
    private var burstPacketsLeft = 0
    private var waiting = LinkQueue()
    private var stallNumber: UInt64 = 0
    private var chunkNumber: UInt64 = 0

    /// Makes a direction with its own random streams.
    package init(_ options: LinkOptions, seed: UInt64) {
        self.options = options
        draws = LinkDraws(seed: LinkDraws.mixed(seed ^ 0x6C69_6E6B))
    }

    /// Bytes waiting for the line, or leaving on it.
    package var queuedBytes: Int { waiting.bytes }

    /// When the next packet in the queue will have left, so that a refused sender may try again;
    /// nil when nothing is queued.
    package var nextDeparture: Instant? { waiting.firstDeparture }

    /// Offers a packet (or, on a stream, a write) at `now`.
    package mutating func offer(_ packet: [UInt8], at now: Instant) -> LinkOffer {
        waiting.removeDeparted(by: now)
        counters.offeredPackets += 1
        var fate = PacketFate(number: nextNumber, offeredAt: now)
        guard !packet.isEmpty else { return LinkOffer(takenBytes: 0, fate: fate, arrivals: []) }
        let taken = room(for: packet.count)
        guard taken > 0 else {
            if options.kind.isLossy {
                fate.lossCause = .queueFull
                nextNumber += 1
                return finished(packet.count, fate, [])
            }
            fate.marks.insert(.refused)
            return finished(0, fate, [])
        }
        nextNumber += 1
        var bytes = packet
        if taken < packet.count {
            bytes = [UInt8](packet[..<taken])
            fate.marks.insert(.refused)
        }
        guard let departure = departure(of: taken, at: now, &fate) else {
            return finished(taken, fate, [])
        }
        fate.departedAt = departure
        let isLost = losesPacket(&fate)
        if isLost, options.kind.isLossy { return finished(taken, fate, []) }
        let arrival = arrival(from: departure, &fate)
        let out = arrivals(of: bytes, at: arrival, &fate)
        return finished(taken, fate, out)
    }

    /// Takes back the packets that have not left by `now`, for a host that offers them anew in
    /// other conditions: the line is free at once, and they count as never offered.
    ///
    /// - Parameters:
    ///   - packets: how many of those waiting will be offered again; the others were lost.
    ///   - bytes: their bytes.
    ///   - arrivals: how many arrivals were announced of them.
    ///   - last: the latest arrival that stays announced; zero for none.
    ///   - now: the moment of the withdrawal.
    package mutating func withdraw(
        packets: Int, bytes: Int, arrivals: Int, lastArrival last: Instant, at now: Instant
    ) {
        waiting = LinkQueue()
        lineFreeAt = min(lineFreeAt, now)
        cloggedUntil = min(cloggedUntil, now)
        lastArrivalAt = min(lastArrivalAt, last)
        counters.withdraw(
            packets: UInt64(packets), bytes: UInt64(bytes), arrivals: UInt64(arrivals))
    }

    private mutating func finished(
        _ taken: Int, _ fate: PacketFate, _ arrivals: [LinkArrival]
    ) -> LinkOffer {
        counters.takenBytes += UInt64(taken)
        counters.count(fate, arrivals: arrivals.count)
        return LinkOffer(takenBytes: taken, fate: fate, arrivals: arrivals)
    }
}

// MARK: The line

extension LinkModel {
    /// How many of `count` bytes the queue takes now.
    private func room(for count: Int) -> Int {
        guard waiting.count > 0 else { return count }
        guard waiting.count < options.queuePackets else { return 0 }
        let free = max(0, options.queueBytes - waiting.bytes)
        if case .stream = options.kind { return min(free, count) }
        return free >= count ? count : 0
    }

    /// Puts `count` bytes on the line and says when the last of them has left; nil when never.
    private mutating func departure(
        of count: Int, at now: Instant, _ fate: inout PacketFate
    ) -> Instant? {
        if options.rateBitsPerSecond == 0 {
            if options.kind.isLossy {
                fate.lossCause = .noRate
            } else {
                waiting.append(departsAt: .distantFuture, bytes: count)
            }
            return nil
        }
        var start = now
        if lineFreeAt > now {
            start = lineFreeAt
            fate.marks.insert(.queued)
        } else {
            start = occasion(from: now, &fate)
        }
        if draws.chance(options.clogging, .clog, fate.number) {
            let length = draws.wait(upTo: options.longestClog, .clogLength, fate.number)
            cloggedUntil = max(cloggedUntil, start.advanced(by: length))
        }
        if cloggedUntil > start {
            start = cloggedUntil
            fate.marks.insert(.clogged)
        }
        var departure = start.advanced(by: serialization(of: count))
        if let end = outageEnd(covering: departure) {
            if options.kind.isLossy {
                fate.lossCause = .outage
            } else {
                fate.marks.insert(.waited)
                departure = end.advanced(by: serialization(of: count))
            }
        }
        lineFreeAt = departure
        waiting.append(departsAt: departure, bytes: count)
        return fate.lossCause == nil ? departure : nil
    }

    /// Time on the line: bytes · 8 / rate, rounded up to a nanosecond.
    private func serialization(of count: Int) -> Duration {
        guard let rate = options.rateBitsPerSecond, rate > 0 else { return .zero }
        let (high, low) = UInt64(count).multipliedFullWidth(by: 8_000_000_000)
        guard high < rate else { return .nanoseconds(Int64.max) }
        let (quotient, remainder) = rate.dividingFullWidth((high, low))
        return .nanoseconds(Int64(clamping: quotient + (remainder > 0 ? 1 : 0)))
    }

    /// The first moment from `now` on at which an idle line begins to send.
    private mutating func occasion(from now: Instant, _ fate: inout PacketFate) -> Instant {
        let interval = UInt64(max(0, options.sendInterval.nanosecondsClamped))
        guard interval > 0 else { return now }
        var slot = now.nanoseconds / interval + (now.nanoseconds % interval > 0 ? 1 : 0)
        // Bounded, so that a chance of 1 is a long stall and not an endless loop.
        for _ in 0..<1_000 {
            stallNumber += 1
            guard draws.chance(options.stalling, .stall, stallNumber) else { break }
            fate.marks.insert(.stalled)
            slot += 1
        }
        return Instant(nanoseconds: slot &* interval)
    }

    /// The end of the outages that cover `moment`; nil when none does.
    private func outageEnd(covering moment: Instant) -> Instant? {
        var end = moment
        var isCovered = false
        var isSettled = false
        while !isSettled {
            isSettled = true
            for outage in options.outages where outage.start <= end && end < outage.end {
                end = outage.end
                isCovered = true
                isSettled = false
            }
        }
        return isCovered ? end : nil
    }
}

// MARK: The air

extension LinkModel {
    /// Whether this packet is lost: alone, or within a burst.
    private mutating func losesPacket(_ fate: inout PacketFate) -> Bool {
        if burstPacketsLeft > 0 {
            burstPacketsLeft -= 1
            mark(&fate, .burst)
            return true
        }
        guard draws.chance(burstStart, .loss, fate.number) else { return false }
        let longest = UInt64(max(1, options.lossBurstPackets))
        burstPacketsLeft = Int(draws.uniform(upTo: longest - 1, .lossBurst, fate.number))
        mark(&fate, .loss)
        return true
    }

    private func mark(_ fate: inout PacketFate, _ cause: PacketFate.LossCause) {
        if options.kind.isLossy { fate.lossCause = cause } else { fate.marks.insert(.recovered) }
    }

    /// The chance that a burst starts, such that the long-run share of lost packets is `loss` = p:
    /// with a mean burst of b packets, s·b / (1 − s + s·b) = p gives s = p / (b·(1 − p) + p).
    private var burstStart: Double {
        let p = min(max(options.loss, 0), 1)
        let meanBurst = (Double(max(1, options.lossBurstPackets)) + 1) / 2
        return p / (meanBurst * (1 - p) + p)
    }

    /// When a packet that left at `departure` arrives.
    private mutating func arrival(from departure: Instant, _ fate: inout PacketFate) -> Instant {
        var arrival = departure.advanced(by: options.delay).advanced(by: jitter(fate.number))
        if fate.marks.contains(.recovered) { arrival = arrival.advanced(by: options.recoveryTime) }
        let mayOvertake = options.kind.isLossy
        if mayOvertake, draws.chance(options.reordering, .reordering, fate.number) {
            fate.marks.insert(.reordered)
            return arrival.advanced(
                by: draws.wait(upTo: options.reorderDelay, .reorderDelay, fate.number))
        }
        if !mayOvertake || !options.jitterReorders { arrival = max(arrival, lastArrivalAt) }
        lastArrivalAt = max(arrival, lastArrivalAt)
        return arrival
    }

    private func jitter(_ number: UInt64) -> Duration {
        guard options.jitter > .zero else { return .zero }
        switch options.jitterShape {
        case .uniform:
            return draws.wait(upTo: options.jitter, .jitter, number)
        case .triangular:
            return draws.wait(upTo: options.jitter, .jitter, number)
                + draws.wait(upTo: options.jitter, .jitterMore, number)
        case .heavyTailed:
            let u = draws.unit(.jitter, number)
            let factor = min(20, u / (1 - u))
            let scale = Double(options.jitter.nanosecondsClamped)
            return .nanoseconds(Int64(scale * factor))
        }
    }

    /// The arrivals of `bytes` from `arrival` on: chunks, copies, damage.
    private mutating func arrivals(
        of bytes: [UInt8], at arrival: Instant, _ fate: inout PacketFate
    ) -> [LinkArrival] {
        var bytes = bytes
        if draws.chance(options.corruption, .corruption, fate.number) {
            fate.marks.insert(.corrupted)
            flipBits(of: &bytes, fate.number)
        }
        if case .stream(let chunking) = options.kind {
            return chunks(of: bytes, at: arrival, chunking)
        }
        if draws.chance(options.truncation, .truncation, fate.number) {
            fate.marks.insert(.truncated)
            let kept = draws.uniform(
                upTo: UInt64(bytes.count - 1), .truncatedLength, fate.number)
            bytes.removeLast(bytes.count - Int(kept))
        }
        var arrivals = [LinkArrival(at: arrival, bytes: bytes)]
        if options.kind.isLossy, draws.chance(options.duplication, .duplication, fate.number) {
            fate.marks.insert(.duplicated)
            let wait = draws.wait(upTo: options.duplicateDelay, .duplicateDelay, fate.number)
            arrivals.append(LinkArrival(at: arrival.advanced(by: wait), bytes: bytes))
        }
        return arrivals
    }

    private func flipBits(of bytes: inout [UInt8], _ number: UInt64) {
        let draw = draws.bits(.corruptedBits, number)
        let flips = Int(draw % 3) + 1
        for flip in 0..<flips {
            let place = LinkDraws.mixed(draw &+ UInt64(flip)) % UInt64(bytes.count * 8)
            bytes[Int(place / 8)] ^= 1 << UInt8(place % 8)
        }
    }

    private mutating func chunks(
        of bytes: [UInt8], at arrival: Instant, _ chunking: Chunking
    ) -> [LinkArrival] {
        switch chunking {
        case .whole:
            return [LinkArrival(at: arrival, bytes: bytes)]
        case .bytes:
            return bytes.map { LinkArrival(at: arrival, bytes: [$0]) }
        case .random(let largest):
            var chunks: [LinkArrival] = []
            var index = 0
            while index < bytes.count {
                chunkNumber += 1
                let size = 1 + draws.uniform(upTo: UInt64(max(1, largest) - 1), .chunk, chunkNumber)
                let end = min(bytes.count, index + Int(size))
                chunks.append(LinkArrival(at: arrival, bytes: [UInt8](bytes[index..<end])))
                index = end
            }
            return chunks
        case .coalesced(let window):
            let span = UInt64(max(1, window.nanosecondsClamped))
            let slot = arrival.nanoseconds / span + (arrival.nanoseconds % span > 0 ? 1 : 0)
            return [LinkArrival(at: Instant(nanoseconds: slot &* span), bytes: bytes)]
        }
    }
}

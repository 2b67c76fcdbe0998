/// The packets of the counterpart that arrived: what is acknowledged, and what parity may need.
struct Arrivals: Sendable {
    private var received = NumberRanges()
    private var largestReceivedAt: Instant = .zero
    /// From when arrivals are told: a clock since the start of the device is nobody else's matter.
    private var firstArrivalAt: Instant?
    private var unacknowledgedArrivals = 0
    private var acksMade: UInt64 = 0
    private var decoder = ParityDecoder()

    /// Packets of ours wait for the line, and are too small to take an acknowledgement along
    /// without a loss: it waits for its time, however many packets it tells of.
    var isLineBusy = false
    /// When an acknowledgement must leave even if nothing else does.
    private(set) var ackDeadline: Instant?
    /// Packets that arrived a second time.
    private(set) var repeatedPackets: UInt64 = 0
    /// Packets put together from parity.
    private(set) var restoredPackets: UInt64 = 0

    /// Notes that packet `number` arrived; false when it did before.
    mutating func note(
        _ number: UInt64, elicitsAck: Bool, _ limits: Limits, at now: Instant
    ) -> Bool {
        if let oldest = received.first, number < oldest, received.ranges.count >= limits.ackRanges {
            // Too old to tell apart from a repetition; whatever it held is sent again.
            repeatedPackets += 1
            return false
        }
        guard received.insert(number) else {
            repeatedPackets += 1
            // The acknowledgement may be what was lost. One is never answered by another: where a
            // carrier repeats everything that would not end.
            if elicitsAck { ackDeadline = now }
            return false
        }
        received.keepNewest(limits.ackRanges)
        firstArrivalAt = firstArrivalAt ?? now
        if received.last == number { largestReceivedAt = now }
        if elicitsAck {
            unacknowledgedArrivals += 1
            let isDue = unacknowledgedArrivals >= 2 && !isLineBusy
            let deadline = isDue ? now : now.advanced(by: Repair.longestAckDelay)
            ackDeadline = min(ackDeadline ?? deadline, deadline)
        }
        return true
    }

    /// Keeps what packet `number` carried, in case parity needs it.
    mutating func keep(_ number: UInt64, _ frames: [UInt8]) { decoder.arrived(number, frames) }

    /// Takes a parity that came in packet `number`.
    mutating func take(_ parity: ParityFrame, in number: UInt64) {
        guard parity.first + UInt64(parity.count) <= number else { return }
        _ = decoder.arrived(parity, received: received)
    }

    /// Packets that can be put together now.
    mutating func takeRestored() -> [(number: UInt64, frames: [UInt8])] {
        guard decoder.isWaiting else { return [] }
        let restored = decoder.restored(received: received)
        restoredPackets += UInt64(restored.count)
        return restored
    }

    /// The largest packet number received.
    var largest: UInt64? { received.last }

    /// The acknowledgement to put in the next packet, if one is owed, and when its largest packet
    /// arrived.
    mutating func makeAck(at now: Instant) -> (AckFrame, ArrivalFrame)? {
        guard ackDeadline != nil, !received.isEmpty else { return nil }
        ackDeadline = nil
        unacknowledgedArrivals = 0
        let delay = largestReceivedAt.duration(to: now).nanosecondsClamped / 1_000
        acksMade += 1
        var told = received
        if !acksMade.isMultiple(of: Self.acksPerWhole) { told.keepNewest(Self.usualRanges) }
        let since = (firstArrivalAt ?? now).duration(to: largestReceivedAt).nanosecondsClamped
        return (
            AckFrame(packets: told, delayMicroseconds: UInt64(max(0, delay))),
            ArrivalFrame(
                microseconds: UInt64(max(0, since)) / 1000,
                restoredPackets: restoredPackets)
        )
    }

    /// Ranges in an acknowledgement: each is told several times, and all of them now and then.
    private static let usualRanges = 8
    private static let acksPerWhole: UInt64 = 8
}

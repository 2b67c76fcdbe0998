/// The packets of the counterpart that arrived: those to acknowledge, and those that FEC may need.
struct ReceivedPackets: Sendable {
    private var received = NumberRanges()
    private var largestReceivedAt: Instant = .zero
    /// The moment from which arrivals are reported. The clock itself is nobody else's matter.
    private var firstArrivalAt: Instant?
    private var unacknowledged = 0
    private var acksMade: UInt64 = 0
    private var decoder = RepairDecoder()

    /// Packets wait for the line that are too small to carry an acknowledgement without a loss. The
    /// acknowledgement then waits for its time, however many packets it covers.
    var isLineBusy = false
    /// When an acknowledgement must leave even if nothing else does.
    private(set) var ackDeadline: Instant?
    /// Whether an acknowledgement must leave now.
    func isAckDue(at now: Instant) -> Bool { ackDeadline.map { $0 <= now } ?? false }
    /// Packets that arrived a second time.
    private(set) var duplicatePackets: UInt64 = 0
    /// Packets recovered from repair packets.
    private(set) var recoveredPackets: UInt64 = 0

    /// Records that packet `number` arrived; false where it had arrived before.
    mutating func insert(
        _ number: UInt64, elicitsAck: Bool, _ limits: Limits, at now: Instant
    ) -> Bool {
        if let oldest = received.first, number < oldest, received.ranges.count >= limits.ackRanges {
            // Too old to distinguish from a duplicate; its frames are retransmitted.
            duplicatePackets += 1
            return false
        }
        guard received.insert(number) else {
            duplicatePackets += 1
            // The acknowledgement may have been lost. An acknowledgement never elicits another one:
            // on a carrier that duplicates everything that would not end.
            if elicitsAck { ackDeadline = now }
            return false
        }
        received.keepNewest(limits.ackRanges)
        firstArrivalAt = firstArrivalAt ?? now
        if received.last == number { largestReceivedAt = now }
        if elicitsAck {
            unacknowledged += 1
            let isDue = unacknowledged >= 2 && !isLineBusy
            let deadline = isDue ? now : now.advanced(by: Self.longestAckDelay)
            ackDeadline = min(ackDeadline ?? deadline, deadline)
        }
        return true
    }

    /// Stores the frames of packet `number` for FEC.
    mutating func store(_ number: UInt64, _ frames: [UInt8]) { decoder.arrived(number, frames) }

    /// Takes a repair packet that came in packet `number`. One that covers this packet or later
    /// ones is ignored.
    mutating func take(_ repair: RepairFrame, in number: UInt64) {
        guard repair.first + UInt64(repair.count) <= number else { return }
        _ = decoder.arrived(repair, received: received)
    }

    /// The packets that can be recovered now. The peer treats each as arrived; repair packets
    /// within them are ignored.
    mutating func takeRecovered() -> [RepairDecoder.Recovered] {
        guard decoder.isWaiting else { return [] }
        let recovered = decoder.recovered(received: received)
        recoveredPackets += UInt64(recovered.count)
        return recovered
    }

    /// The acknowledgement to put into the next packet, if one is owed, and when its largest packet
    /// arrived.
    mutating func makeAck(at now: Instant) -> (AckFrame, ArrivalFrame)? {
        guard ackDeadline != nil, !received.isEmpty else { return nil }
        ackDeadline = nil
        unacknowledged = 0
        let delay = UInt64(max(0, largestReceivedAt.duration(to: now).nanosecondsClamped)) / 1000
        acksMade += 1
        var packets = received
        if !acksMade.isMultiple(of: Self.acksPerWhole) { packets.keepNewest(Self.usualRanges) }
        let since = (firstArrivalAt ?? now).duration(to: largestReceivedAt).nanosecondsClamped
        return (
            AckFrame(packets: packets, delayMicroseconds: min(delay, AckFrame.longestDelay)),
            ArrivalFrame(
                microseconds: min(UInt64(max(0, since)) / 1000, ArrivalFrame.largestNumber),
                recoveredPackets: min(recoveredPackets, ArrivalFrame.largestNumber))
        )
    }

    /// The longest time for which an acknowledgement may wait for another packet.
    static let longestAckDelay: Duration = .milliseconds(20)
    /// Ranges in an acknowledgement. Each range is sent several times; each eighth acknowledgement
    /// has all of them.
    private static let usualRanges = 8
    private static let acksPerWhole: UInt64 = 8
}

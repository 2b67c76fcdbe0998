/// A shape of traffic that does not depend on what is said: as long as a session lasts, one packet
/// leaves at each moment of a grid, all of one length (S-20 to S-27).
///
/// Frames wait for the next moment, and both sides wake at each. The beginning and the end of a
/// session stay visible, and so do the addresses of packets.
package struct ConstantShape: Hashable, Sendable {
    /// The time from one packet to the next, from 20 to 500 ms.
    package let interval: Duration
    /// The length of the frames of each packet with their padding, in bytes. On a carrier of
    /// smaller packets it is the length of those.
    package let frameBytes: Int

    /// The bounds of ``interval``: below, wake-ups cost more than they hide; above, time-outs of
    /// loss recovery come before answers.
    package static let intervals: ClosedRange<Duration> = .milliseconds(20)...(.milliseconds(500))
    /// The frames of the default: with one byte of padding, 256 bytes.
    package static let defaultFrameBytes = 255
    /// The fewest bytes of the frames of a packet, with their padding.
    package static let leastFrameBytes = 128
    /// The longest time by which a packet is late at random, so that the work of its side does not
    /// show in its moment (S-20).
    package static let longestLateness = Duration.milliseconds(2)

    /// Makes a shape.
    ///
    /// - Parameters:
    ///   - interval: the time between two packets; the nearest bound for one out of bounds.
    ///   - frameBytes: the length of the frames of a packet, at least 128 bytes.
    package init(every interval: Duration, frameBytes: Int = defaultFrameBytes) {
        self.interval = min(
            max(interval, Self.intervals.lowerBound), Self.intervals.upperBound)
        self.frameBytes = max(frameBytes, Self.leastFrameBytes)
    }

    /// The rate of the frames, in bytes a second.
    var bytesPerSecond: Double {
        Double(frameBytes) * 1e9 / Double(interval.nanosecondsClamped)
    }
}

/// The grid of one session. Each packet but the first is late by a time of its own, which moves no
/// moment of the grid.
struct ShapeGrid: Sendable {
    /// The next moment of the grid; nil before the first packet.
    private var moment: Instant?
    /// When the next packet leaves; nil for now.
    private(set) var next: Instant?

    /// Whether a packet leaves now.
    func isDue(at now: Instant) -> Bool { next.map { $0 <= now } ?? true }

    /// Takes the moment that has come, and advances to the first one after `now`: moments that were
    /// missed bring no packets. The first call begins the grid.
    ///
    /// - Parameters:
    ///   - interval: the time between two moments.
    ///   - now: the present time, at which a packet is due.
    ///   - random: 64 random bits, which give the lateness of the next packet.
    mutating func advance(_ interval: Duration, at now: Instant, random: UInt64) {
        let former = moment ?? now
        let missed = former.duration(to: now).nanosecondsClamped / interval.nanosecondsClamped
        let coming = former.advanced(by: interval * Int(missed + 1))
        let longest = UInt64(ConstantShape.longestLateness.nanosecondsClamped)
        let lateness = random.multipliedFullWidth(by: longest + 1).high
        moment = coming
        next = coming.advanced(by: .nanoseconds(Int64(lateness)))
    }
}

/// The evidence in the packets of one session on whether the counterpart has a shape (S-27).
struct CounterpartShape: Sendable {
    /// The length of the frames in its first packet, with their padding; nil before that.
    private var frameBytes: Int?
    private var isMissing = false

    /// Takes a packet of the counterpart with so many bytes of frames and their padding.
    ///
    /// - Returns: whether this packet is the first one that no shape allows.
    mutating func isFirstUnlike(_ bytes: Int) -> Bool {
        let usual = frameBytes ?? bytes
        frameBytes = usual
        guard !isMissing, bytes != usual || bytes < ConstantShape.leastFrameBytes else {
            return false
        }
        isMissing = true
        return true
    }
}

extension Peer {
    /// Reports the first packet of a session that shows that the counterpart has no shape.
    mutating func checkShape(ofPacketWith bytes: Int) {
        guard configuration.shape != nil,
            session?.counterpartShape.isFirstUnlike(bytes) == true
        else { return }
        events.append(.shapeIsOneSided)
    }

    /// Makes the packets that may leave now. With a constant shape that is one at each moment; it
    /// is nothing but padding where nothing waits.
    mutating func makeDuePacket() {
        guard let shape = configuration.shape else {
            _ = makePacket()
            return
        }
        // An address that no packet has shown yet is sent less than a packet of the shape may need.
        guard connection.canSeal, connection.unprovenRoom == nil,
            session?.grid.isDue(at: time.now) == true
        else { return }
        let random = connection.random()
        session?.grid.advance(shape.interval, at: time.now, random: random)
        if makePacket() == nil { sealPacket([], [], isBulk: false) }
    }

    /// The length of the frames of each packet with their padding; nil without a constant shape.
    var shapedBytes: Int? {
        configuration.shape.map { shape in
            let padding = connection.security.traits.sealing.leastPaddingBytes
            return min(shape.frameBytes, max(0, connection.plaintextLimit - padding))
        }
    }
}

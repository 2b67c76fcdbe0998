/// A shape of traffic that does not depend on what is said: as long as a session lasts, one packet
/// leaves at each moment of a grid, all of one length (S-20 to S-22).
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

    /// Makes a shape.
    ///
    /// - Parameters:
    ///   - interval: the time between two packets; the nearest bound for one out of bounds.
    ///   - frameBytes: the length of the frames of a packet, at least 128 bytes.
    package init(every interval: Duration, frameBytes: Int = defaultFrameBytes) {
        self.interval = min(
            max(interval, Self.intervals.lowerBound), Self.intervals.upperBound)
        self.frameBytes = max(frameBytes, 128)
    }
}

/// The grid of one session: the moment of its next packet.
struct ShapeGrid: Sendable {
    private(set) var next: Instant?

    /// Takes the moment that has come, and advances to the first one after `now`: moments that were
    /// missed bring no packets. The first call begins the grid.
    ///
    /// - Returns: false where none has come.
    mutating func take(_ interval: Duration, at now: Instant) -> Bool {
        guard let next else {
            self.next = now.advanced(by: interval)
            return true
        }
        guard next <= now else { return false }
        let missed = next.duration(to: now).nanosecondsClamped / interval.nanosecondsClamped
        self.next = next.advanced(by: interval * Int(missed + 1))
        return true
    }
}

extension Peer {
    /// Makes the packets that may leave now. With a constant shape that is one at each moment; it
    /// is nothing but padding where nothing waits.
    mutating func makeDuePacket() {
        guard let shape = configuration.shape else {
            _ = makePacket()
            return
        }
        // An address that no packet has shown yet is sent less than a packet of the shape may need.
        guard connection.canSeal, session != nil, connection.unprovenRoom == nil,
            session?.grid.take(shape.interval, at: time.now) == true
        else { return }
        if makePacket() == nil { sealPacket([], [], isBulk: false) }
    }

    /// The length of the frames of each packet with their padding; nil without a constant shape.
    var shapedBytes: Int? {
        configuration.shape.map { shape in
            let padding = Connection<Security>.Sealer.leastPaddingBytes
            return min(shape.frameBytes, max(0, connection.plaintextLimit - padding))
        }
    }
}

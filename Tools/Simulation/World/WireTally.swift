import WatchProtoCore

/// Counts the bytes and packets that one side gave to its carrier, and their fates.
package struct WireTally: Hashable, Sendable {
    /// Bytes that the carrier took.
    package var bytes = 0
    /// Packets, or writes, that it took.
    package var packets = 0
    /// The largest of them, in bytes.
    package var largestBytes = 0
    /// Bytes that did not reach the other side's peer unharmed.
    package var lostBytes = 0
    /// Packets, or writes, that did not.
    package var lostPackets = 0
    /// Bytes that came so late, or after so many later ones, that they may be taken for lost.
    package var lateBytes = 0
    /// Packets, or writes, that came so late.
    package var latePackets = 0
    /// Packets, or pieces of a stream, of the other side that reached this side's peer.
    package var arrivals = 0
    /// How often a carrier was opened for this side.
    package var openings = 0
    /// How often its peer was woken by a timer of its own.
    package var wakes = 0

    /// Nothing yet.
    package init() {}

    mutating func take(_ count: Int) {
        bytes += count
        packets += 1
        largestBytes = max(largestBytes, count)
    }

    mutating func lose(_ count: Int) {
        lostBytes += count
        lostPackets += 1
    }

    mutating func delay(_ count: Int) {
        lateBytes += count
        latePackets += 1
    }
}

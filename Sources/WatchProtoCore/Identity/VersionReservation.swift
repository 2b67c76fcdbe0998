/// Versions of values are given out from durably reserved blocks, so that a value may leave before
/// its own commit (Models/IDENTITY.md, section 6, *Reservation*).
package struct VersionReservation: Hashable, Sendable {
    /// Versions of one block.
    package static let block: UInt64 = 1024

    /// The highest version given out, in this opening or an earlier one.
    package private(set) var last: UInt64
    /// The end of the reservation as entries say it, durable or not.
    package private(set) var end: UInt64
    /// The end of the reservation in the journal; 0 before the opening is durable.
    package private(set) var durableEnd: UInt64 = 0
    private var inFlight: [Formed] = []
    private let size: UInt64

    /// The reservation as a batch on its way to the journal says it.
    private struct Formed: Hashable, Sendable {
        var batch: UInt64
        var end: UInt64
    }

    /// Goes on above `former`, the end of the last reservation, with blocks of `block` versions.
    package init(above former: UInt64, block: UInt64 = Self.block) {
        last = min(former, RecordNumber.largest)
        size = max(1, block)
        end = Self.sum(last, size)
    }

    /// The next version; nil where all are used up. Half a block is reserved ahead, so that no
    /// value waits for a reservation.
    package mutating func take() -> UInt64? {
        guard last < RecordNumber.largest else { return nil }
        last += 1
        if end - min(end, last) < size / 2 || end < last { end = Self.sum(last, size) }
        return last
    }

    /// Goes on above `version`. The reservation covers it.
    package mutating func raise(to version: UInt64) {
        last = max(last, min(version, RecordNumber.largest))
        if end < last { end = Self.sum(last, size) }
    }

    /// The batch holds the reservation up to ``end``.
    package mutating func batchFormed(_ batch: UInt64) {
        let told = inFlight.last?.end ?? durableEnd
        if end > told { inFlight.append(Formed(batch: batch, end: end)) }
    }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        var count = 0
        while count < inFlight.count, inFlight[count].batch <= batch {
            durableEnd = inFlight[count].end
            count += 1
        }
        inFlight.removeFirst(count)
    }

    private static func sum(_ version: UInt64, _ count: UInt64) -> UInt64 {
        // Both are below 2^63.
        min(RecordNumber.largest, version + min(count, RecordNumber.largest))
    }
}

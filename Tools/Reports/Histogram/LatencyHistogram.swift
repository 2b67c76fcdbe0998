/// Counts latencies from 1 ns to 1 h in slots no wider than a thousandth of their value.
///
/// Log-linear, after Tene's HdrHistogram: values below 2,048 have a slot each; above, every
/// doubling has 1,024 slots. Recording is a few instructions and never allocates; histograms of
/// several runs add up without loss. The slots are those of an HdrHistogram from 1 ns to 1 h with
/// three significant digits.
package struct LatencyHistogram: Hashable, Sendable {
    /// The largest value told apart: one hour. Longer ones count as this and in ``clampedCount``.
    package static let largestNanoseconds: UInt64 = 3_600_000_000_000

    private static let linearBits: UInt64 = 11
    private static let slotCount = slot(of: largestNanoseconds) + 1

    private var slots: [UInt64]
    /// How many values were recorded.
    package private(set) var count: UInt64 = 0
    /// How many of them were longer than an hour.
    package private(set) var clampedCount: UInt64 = 0
    /// The sum of all values recorded, exact, in nanoseconds; a sum that 64 bits do not hold counts
    /// as the largest they do.
    package private(set) var sumNanoseconds: UInt64 = 0
    /// The smallest value recorded, exact, in nanoseconds; nil when empty.
    package private(set) var minimumNanoseconds: UInt64?
    /// The largest value recorded, exact, in nanoseconds; nil when empty.
    package private(set) var maximumNanoseconds: UInt64?

    /// Makes an empty histogram (about 270 kB).
    package init() {
        slots = Array(repeating: 0, count: Self.slotCount)
    }

    /// Counts `nanoseconds`, `times` times.
    package mutating func record(_ nanoseconds: UInt64, times: UInt64 = 1) {
        guard times > 0 else { return }
        if nanoseconds > Self.largestNanoseconds { clampedCount += times }
        slots[Self.slot(of: min(nanoseconds, Self.largestNanoseconds))] += times
        count += times
        let (product, isTooLarge) = nanoseconds.multipliedReportingOverflow(by: times)
        add(toSum: isTooLarge ? .max : product)
        minimumNanoseconds = min(minimumNanoseconds ?? .max, nanoseconds)
        maximumNanoseconds = max(maximumNanoseconds ?? 0, nanoseconds)
    }

    /// Adds all that `other` has counted.
    package mutating func merge(_ other: LatencyHistogram) {
        for index in slots.indices { slots[index] += other.slots[index] }
        count += other.count
        clampedCount += other.clampedCount
        add(toSum: other.sumNanoseconds)
        if let least = other.minimumNanoseconds {
            minimumNanoseconds = min(minimumNanoseconds ?? .max, least)
        }
        if let most = other.maximumNanoseconds {
            maximumNanoseconds = max(maximumNanoseconds ?? 0, most)
        }
    }

    /// The value that `percentile` of all values do not exceed, in nanoseconds: the upper edge of
    /// its slot, at most a thousandth too high. Nil where there are fewer than 10/(1−p) values:
    /// then the number would be chance.
    package subscript(percentile: Percentile) -> UInt64? {
        guard count >= percentile.samplesNeeded, let most = maximumNanoseconds else { return nil }
        let rank = percentile.rank(in: count)
        var seen: UInt64 = 0
        for (index, times) in slots.enumerated() where times > 0 {
            seen += times
            if seen >= rank { return min(Self.range(ofSlot: index).upperBound, most) }
        }
        return most
    }

    /// The slots that are not empty, ascending: the values they stand for, in nanoseconds, and
    /// how many were counted.
    package var filledSlots: [(nanoseconds: ClosedRange<UInt64>, count: UInt64)] {
        slots.enumerated().compactMap { index, times in
            times > 0 ? (Self.range(ofSlot: index), times) : nil
        }
    }

    /// How many values each slot counted, ascending, up to the last slot that is not empty.
    var slotCounts: ArraySlice<UInt64> {
        slots.prefix(slots.lastIndex { $0 > 0 }.map { $0 + 1 } ?? 0)
    }

    private mutating func add(toSum nanoseconds: UInt64) {
        let (sum, isTooLarge) = sumNanoseconds.addingReportingOverflow(nanoseconds)
        sumNanoseconds = isTooLarge ? .max : sum
    }

    private static func slot(of value: UInt64) -> Int {
        guard value >> linearBits > 0 else { return Int(value) }
        // How often the value must be halved to fit 2,048; each halving has 1,024 slots of its own.
        let halvings = UInt64(64 - value.leadingZeroBitCount) - linearBits
        return Int(halvings << (linearBits - 1) + value >> halvings)
    }

    private static func range(ofSlot slot: Int) -> ClosedRange<UInt64> {
        let half: UInt64 = 1 << (linearBits - 1)
        let index = UInt64(slot)
        guard index >= 2 * half else { return index...index }
        let halvings = index / half - 1
        let start = (index - halvings * half) << halvings
        return start...(start + (1 << halvings) - 1)
    }
}

/// A set of unsigned numbers kept as ascending, disjoint, non-adjacent closed ranges.
///
/// Acknowledgements, receipts and deduplication are such sets. Insertion near the end, the usual
/// case, costs O(1); elsewhere O(n) in the number of ranges, which callers keep bounded.
package struct NumberRanges: Hashable, Sendable {
    /// The ranges, ascending; between two of them at least one number is missing.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    /// Makes the set of ranges that ascend, of which none touches another.
    init(ascending ranges: [ClosedRange<UInt64>]) { self.ranges = ranges }

    /// Whether the set has no member.
    package var isEmpty: Bool { ranges.isEmpty }

    /// The largest member.
    package var last: UInt64? { ranges.last?.upperBound }

    /// The smallest member.
    package var first: UInt64? { ranges.first?.lowerBound }

    /// Whether `number` is a member. O(log n).
    package func contains(_ number: UInt64) -> Bool {
        if let last = ranges.last, number >= last.lowerBound { return number <= last.upperBound }
        let index = indexOfFirstRange(endingAtOrAfter: number)
        return index < ranges.count && ranges[index].lowerBound <= number
    }

    /// Adds one number; says whether it was new.
    @discardableResult
    package mutating func insert(_ number: UInt64) -> Bool {
        guard !contains(number) else { return false }
        insert(number...number)
        return true
    }

    /// Adds every number of `range`; says how many were new (modulo 2⁶⁴).
    @discardableResult
    package mutating func insert(_ range: ClosedRange<UInt64>) -> UInt64 {
        let count = range.upperBound - range.lowerBound &+ 1
        guard let last = ranges.last else {
            ranges.append(range)
            return count
        }
        if range.lowerBound > last.upperBound {
            if range.lowerBound - last.upperBound == 1 {
                ranges[ranges.count - 1] = last.lowerBound...range.upperBound
            } else {
                ranges.append(range)
            }
            return count
        }
        var lower = range.lowerBound
        var upper = range.upperBound
        var known: UInt64 = 0
        // Everything that overlaps or touches the new range melts into it.
        let start = indexOfFirstRange(endingAtOrAfter: lower == 0 ? 0 : lower - 1)
        var end = start
        while end < ranges.count, upper == .max || ranges[end].lowerBound <= upper + 1 {
            lower = min(lower, ranges[end].lowerBound)
            upper = max(upper, ranges[end].upperBound)
            let first = max(range.lowerBound, ranges[end].lowerBound)
            let last = min(range.upperBound, ranges[end].upperBound)
            if first <= last { known &+= last - first &+ 1 }
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(lower...upper))
        return count &- known
    }

    /// The parts of `range` that are not in the set, ascending.
    func gaps(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        var gaps: [ClosedRange<UInt64>] = []
        var next = range.lowerBound
        var index = indexOfFirstRange(endingAtOrAfter: next)
        while index < ranges.count, ranges[index].lowerBound <= range.upperBound {
            let lower = ranges[index].lowerBound
            if lower > next { gaps.append(next...(lower - 1)) }
            guard ranges[index].upperBound < range.upperBound else { return gaps }
            next = ranges[index].upperBound + 1
            index += 1
        }
        gaps.append(next...range.upperBound)
        return gaps
    }

    /// The parts of this set that are not in `other`, ascending.
    func subtracting(_ other: NumberRanges) -> [ClosedRange<UInt64>] {
        ranges.flatMap { other.gaps(in: $0) }
    }

    /// Removes every number below `bound`.
    package mutating func removeAll(below bound: UInt64) {
        var count = 0
        while count < ranges.count, ranges[count].upperBound < bound { count += 1 }
        if count > 0 { ranges.removeFirst(count) }
        if let first = ranges.first, first.lowerBound < bound {
            ranges[0] = bound...first.upperBound
        }
    }

    /// Removes the oldest ranges until at most `count` remain.
    package mutating func keepNewest(_ count: Int) {
        if ranges.count > count { ranges.removeFirst(ranges.count - count) }
    }

    /// Removes the oldest of the ranges that end below `bound`, until at most `count` of them
    /// remain.
    mutating func keepNewest(_ count: Int, below bound: UInt64) {
        let below = indexOfFirstRange(endingAtOrAfter: bound)
        if below > count { ranges.removeFirst(below - count) }
    }

    /// Whether every number of `range` is a member. O(log n).
    func covers(_ range: ClosedRange<UInt64>) -> Bool {
        let index = indexOfFirstRange(endingAtOrAfter: range.upperBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
    }

    private func indexOfFirstRange(endingAtOrAfter number: UInt64) -> Int {
        ranges.partitioningIndex { $0.upperBound >= number }
    }
}

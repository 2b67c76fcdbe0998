/// The encodings of number sets.
extension FieldCoder where Self: ~Copyable & ~Escapable {
    /// Packet numbers: the largest, the number of ranges, then lengths and gaps downwards
    /// (RFC 9000, 19.3). The set must not be empty.
    mutating func descending(_ numbers: inout NumberRanges) throws(Failure) {
        let start = offset
        var upper = numbers.last ?? 0
        try varint(&upper, "largest acknowledged packet")
        var count = numbers.ranges.count
        try self.count(&count, "acknowledged ranges", 0...Limits.standard.ackRanges, size: 1)
        try check(count > 0, .outOfRange, at: start, "1 or more ranges", 0)
        var ranges = Self.reads ? Array(repeating: 0...0, count: count) : numbers.ranges
        var lower: UInt64 = 0
        for place in ranges.indices.reversed() {
            let at = offset
            if place < count - 1 {
                var gap = lower &- ranges[place].upperBound &- 2
                try varint(&gap, "acknowledged gap")
                try check(
                    lower >= 2 && gap <= lower - 2, .outOfRange, at: at, "acknowledged gap", gap)
                upper = lower - 2 - gap
            }
            var length = ranges[place].upperBound - ranges[place].lowerBound
            try varint(&length, "acknowledged range length")
            try check(length <= upper, .outOfRange, at: at, "acknowledged range", length)
            lower = upper - length
            ranges[place] = lower...upper
        }
        if Self.reads { numbers = NumberRanges(ascending: ranges) }
    }

    /// Numbers of records or versions, at most `most`: gap and further numbers of each range
    /// upwards, with the number of ranges in front, or of the further ranges behind the first. A
    /// later gap is one less than the numbers that are missing. The set must not be empty.
    mutating func ascending(
        _ numbers: inout NumberRanges, countsFirst: Bool, most: UInt64
    ) throws(Failure) {
        let limit = Limits.standard.acknowledgementRanges
        var count = max(1, numbers.ranges.count)
        if countsFirst { try self.count(&count, "acknowledged ranges", 1...limit, size: 2) }
        var read: [ClosedRange<UInt64>] = []
        var next: UInt64 = 0
        var left = most
        var place = 0
        while place < count {
            let at = offset
            let range = Self.reads ? 0...0 : numbers.ranges[place]
            var gap = range.lowerBound &- next
            try varint(&gap, "acknowledged gap", 0...RecordNumber.largest)
            let first = next + gap
            try check(
                first > 0 && first <= RecordNumber.largest && left > 0, .outOfRange, at: at,
                "acknowledged numbers", gap)
            var further = range.upperBound - range.lowerBound
            try varint(&further, "further numbers", 0...min(left - 1, RecordNumber.largest - first))
            if Self.reads { read.append(first...(first + further)) }
            if place == 0, !countsFirst {
                count -= 1
                try self.count(&count, "further ranges", 0...(limit - 1), size: 2)
                count += 1
            }
            left -= further + 1
            next = first + further + 2
            place += 1
        }
        if Self.reads { numbers = NumberRanges(ascending: read) }
    }
}

extension NumberRanges {
    /// The number of newest ranges that an ``AckFrame`` can hold in `bytes`: at least one, at most
    /// `limit`. The set must not be empty.
    func newest(in bytes: Int, atMost limit: Int) -> Int {
        var used = WireWriter.varintSize(ranges[ranges.count - 1].upperBound)
        used += WireWriter.varintSize(UInt64(limit))
        var count = 0
        var lowest: UInt64 = 0
        for range in ranges.reversed().prefix(limit) {
            if count > 0 { used += WireWriter.varintSize(lowest - range.upperBound - 2) }
            used += WireWriter.varintSize(range.upperBound - range.lowerBound)
            if count > 0, used > bytes { break }
            count += 1
            lowest = range.lowerBound
        }
        return count
    }
}

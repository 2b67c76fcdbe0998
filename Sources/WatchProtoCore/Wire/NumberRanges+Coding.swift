/// The encoding of number sets in acknowledgements and receipts. Packet numbers descend from the
/// largest (as in RFC 9000, 19.3); record numbers ascend from a floor.
extension NumberRanges {
    /// Reads a floor ("all from 1 to floor − 1 are in") and ascending ranges above it.
    static func readFloorAndRanges(
        _ reader: inout WireReader, atMost limit: Int
    ) throws(WireError) -> NumberRanges {
        var set = NumberRanges()
        let floor = try RecordNumber.readNext(&reader, "receipt floor from 1 to 2^62")
        if floor > 1 { set.insert(1...(floor - 1)) }
        let count = try reader.count("receipt ranges", atMost: limit, size: 2)
        var next = floor
        for _ in 0..<count {
            let at = reader.offset
            // The number at the floor, or right after a range, is missing: or it would be in it.
            let gap = try reader.varint("receipt gap")
            let length = try reader.varint("receipt range length")
            // None of the three is above 2^62, so their sum is no overflow.
            guard gap <= RecordNumber.largest, length <= RecordNumber.largest,
                next + 1 + gap + length <= RecordNumber.largest
            else {
                throw WireError(.outOfRange, at: at, expected: "receipt range", found: gap)
            }
            let first = next + 1 + gap
            set.insert(first...(first + length))
            next = first + length + 1
        }
        return set
    }

    /// Writes the floor and at most `limit` of the lowest ranges above it.
    func writeFloorAndRanges(to writer: inout WireWriter, atMost limit: Int) {
        var next: UInt64 = 1
        var start = 0
        if let first = ranges.first, first.lowerBound <= 1 {
            next = first.upperBound + 1
            start = 1
        }
        writer.varint(next)
        let end = min(ranges.count, start + limit)
        writer.varint(UInt64(end - start))
        for index in start..<end {
            writer.varint(ranges[index].lowerBound - next - 1)
            writer.varint(ranges[index].upperBound - ranges[index].lowerBound)
            next = ranges[index].upperBound + 1
        }
    }

    /// Reads the largest number, then lengths and gaps downwards.
    static func readDescending(
        _ reader: inout WireReader, atMost limit: Int
    ) throws(WireError) -> NumberRanges {
        var descending: [ClosedRange<UInt64>] = []
        let start = reader.offset
        var upper = try reader.varint("largest acknowledged packet")
        let count = try reader.count("acknowledged ranges", atMost: limit)
        guard count > 0 else {
            throw WireError(.outOfRange, at: start, expected: "1 or more ranges", found: 0)
        }
        for index in 0..<count {
            let at = reader.offset
            if index > 0 {
                let gap = try reader.varint("acknowledged gap")
                guard let lower = descending.last?.lowerBound, lower >= 2, gap <= lower - 2 else {
                    throw WireError(.outOfRange, at: at, expected: "acknowledged gap", found: gap)
                }
                upper = lower - 2 - gap
            }
            let length = try reader.varint("acknowledged range length")
            guard length <= upper else {
                throw WireError(.outOfRange, at: at, expected: "acknowledged range", found: length)
            }
            descending.append((upper - length)...upper)
        }
        var set = NumberRanges()
        for range in descending.reversed() { set.insert(range) }
        return set
    }

    /// The number of newest ranges that ``writeDescending(to:atMost:)`` can write in `bytes`: at
    /// least one, at most `limit`. The set must not be empty.
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

    /// Writes the newest ranges, at most `limit`. The set must not be empty.
    func writeDescending(to writer: inout WireWriter, atMost limit: Int) {
        writer.varint(ranges[ranges.count - 1].upperBound)
        let count = min(limit, ranges.count)
        writer.varint(UInt64(count))
        var lowest: UInt64 = 0
        for step in 0..<count {
            let range = ranges[ranges.count - 1 - step]
            if step > 0 { writer.varint(lowest - range.upperBound - 2) }
            writer.varint(range.upperBound - range.lowerBound)
            lowest = range.lowerBound
        }
    }
}

import Testing

@testable import FormerCore

@Suite struct NumberRangesTests {
    static func members(_ set: NumberRanges) -> [UInt64] { set.ranges.flatMap { Array($0) } }

    /// Against the plain set of numbers, over random insertions of numbers and of ranges.
    @Test func it_is_a_set() {
        for seed in UInt64(1)...300 {
            var generator = SeededGenerator(seed: seed)
            var set = NumberRanges()
            var plain = Set<UInt64>()
            for _ in 0..<80 {
                let first = generator.uniform(in: 0...60)
                if generator.chance(0.3) {
                    let last = first + generator.uniform(in: 0...6)
                    set.insert(first...last)
                    plain.formUnion(first...last)
                } else {
                    #expect(set.insert(first) == plain.insert(first).inserted, "seed \(seed)")
                }
                #expect(Self.members(set) == plain.sorted(), "seed \(seed)")
                for number in UInt64(0)...70 {
                    #expect(set.contains(number) == plain.contains(number), "seed \(seed)")
                }
            }
            for (left, right) in zip(set.ranges, set.ranges.dropFirst()) {
                #expect(right.lowerBound > left.upperBound + 1, "ranges that touch are one")
            }
        }
    }

    @Test func both_codings_bring_it_back() throws {
        for seed in UInt64(1)...300 {
            var generator = SeededGenerator(seed: seed)
            var set = NumberRanges()
            for _ in 0..<Int(generator.uniform(in: 1...40)) {
                set.insert(generator.uniform(in: 1...200))
            }
            var writer = WireWriter()
            set.writeDescending(to: &writer, atMost: 64)
            var reader = WireReader(writer.bytes.span)
            #expect(try NumberRanges.readDescending(&reader, atMost: 64) == set, "seed \(seed)")
            writer = WireWriter()
            set.writeFloorAndRanges(to: &writer, atMost: 64)
            reader = WireReader(writer.bytes.span)
            let read = try NumberRanges.readFloorAndRanges(&reader, atMost: 64)
            #expect(read == set, "seed \(seed)")
        }
    }

    /// As many ranges as fit, not as many as would fit if each were the largest there is. (Seeds
    /// 286697 and 383924: everything beyond the newest six was sent again.)
    @Test func as_many_ranges_as_fit_are_written() throws {
        var generator = SeededGenerator(seed: 9)
        for step in UInt64(1)...30 {
            var set = NumberRanges()
            for _ in 0..<40 { set.insert(generator.uniform(in: 1...(step * step * 200))) }
            for limit in [1, 5, 64] {
                func written(_ count: Int) -> Int {
                    var writer = WireWriter()
                    set.writeDescending(to: &writer, atMost: count)
                    return writer.count
                }
                let count = set.newest(in: 40, atMost: limit)
                #expect(count >= 1 && count <= limit && (count == 1 || written(count) <= 40))
                let isAll = count == min(limit, set.ranges.count)
                #expect(isAll || written(count + 1) > 40)
            }
        }
    }

    @Test func a_list_cut_short_claims_nothing_that_is_not_in() throws {
        var set = NumberRanges()
        for number in stride(from: UInt64(1), to: 100, by: 3) { set.insert(number) }
        for limit in 1...20 {
            var writer = WireWriter()
            set.writeDescending(to: &writer, atMost: limit)
            var reader = WireReader(writer.bytes.span)
            let newest = try NumberRanges.readDescending(&reader, atMost: 64)
            #expect(Self.members(newest) == Array(Self.members(set).suffix(limit)))
            writer = WireWriter()
            set.writeFloorAndRanges(to: &writer, atMost: limit)
            reader = WireReader(writer.bytes.span)
            let lowest = try NumberRanges.readFloorAndRanges(&reader, atMost: 64)
            #expect(Self.members(lowest) == Array(Self.members(set).prefix(limit + 1)))
        }
    }

    @Test func what_lies_below_a_number_is_removed() {
        var set = NumberRanges()
        set.insert(3...5)
        set.insert(8...9)
        set.removeAll(below: 9)
        #expect(set.ranges == [9...9])
        set.insert(UInt64.max)
        #expect(set.contains(.max) && set.last == .max)
    }
}

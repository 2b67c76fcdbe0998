import Reports
import Testing
import WatchProtoCore

@Suite struct LatencyHistogramTests {
    /// Latencies spread over many magnitudes, as real ones are.
    static func latencies(seed: UInt64, count: Int) -> [UInt64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let magnitude = generator.uniform(in: 0...41)
            return min(generator.uniform(in: 0...((1 << (magnitude + 1)) - 1)), 3_600_000_000_000)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func percentiles_are_within_a_thousandth_of_an_exact_sort(seed: UInt64) throws {
        let values = Self.latencies(seed: seed, count: 20_000)
        var histogram = LatencyHistogram()
        for value in values { histogram.record(value) }
        let sorted = values.sorted()
        for percentile in [Percentile.p50, .p90, .p95, .p99, .p999] {
            let rank = Int((percentile.partsPerMillion * 20_000 + 999_999) / 1_000_000)
            let exact = sorted[rank - 1]
            let found = try #require(histogram[percentile])
            #expect(found >= exact)
            #expect(found - exact <= exact / 1000)
        }
        #expect(histogram.minimumNanoseconds == sorted.first)
        #expect(histogram.maximumNanoseconds == sorted.last)
        #expect(histogram.count == 20_000)
    }

    @Test func small_values_are_exact() {
        var histogram = LatencyHistogram()
        for value in 1...2047 as ClosedRange<UInt64> { histogram.record(value) }
        #expect(histogram[.p50] == 1024)
        #expect(histogram[.p99] == 2027)
        #expect(
            histogram.filledSlots.allSatisfy {
                $0.nanoseconds.lowerBound == $0.nanoseconds.upperBound && $0.count == 1
            })
    }

    @Test func slots_join_without_gap_or_overlap() {
        var histogram = LatencyHistogram()
        // Every value around each power of two, up to the largest.
        for power: UInt64 in 0..<42 {
            let middle = UInt64(1) << power
            for value in (middle - 1)...(middle + 1) {
                histogram.record(min(value, LatencyHistogram.largestNanoseconds))
            }
        }
        histogram.record(LatencyHistogram.largestNanoseconds)
        var last: UInt64?
        for (range, _) in histogram.filledSlots {
            if let last { #expect(range.lowerBound > last) }
            let width = range.upperBound - range.lowerBound
            #expect(width * 1000 <= range.lowerBound)
            last = range.upperBound
        }
        #expect(histogram.clampedCount == 0)
    }

    @Test func merging_equals_recording_everything_in_one() {
        let values = Self.latencies(seed: 9, count: 5000)
        var whole = LatencyHistogram()
        var parts = [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()]
        for (index, value) in values.enumerated() {
            whole.record(value)
            parts[index % 3].record(value)
        }
        var merged = LatencyHistogram()
        for part in parts { merged.merge(part) }
        #expect(merged == whole)
        #expect(whole.sumNanoseconds == values.reduce(0, +))
    }

    @Test func a_percentile_without_ten_samples_above_it_is_not_given() {
        var histogram = LatencyHistogram()
        for _ in 0..<999 { histogram.record(5) }
        #expect(histogram[.p99] == nil)
        #expect(histogram[.p95] == 5)
        histogram.record(5)
        #expect(histogram[.p99] == 5)
        #expect(LatencyHistogram()[.p50] == nil)
    }

    @Test func samples_needed_and_names() {
        let wanted: [(Percentile, UInt64, String)] = [
            (.p50, 20, "p50"), (.p90, 100, "p90"), (.p95, 200, "p95"), (.p99, 1000, "p99"),
            (.p999, 10_000, "p99.9"),
        ]
        for (percentile, needed, name) in wanted {
            #expect(percentile.samplesNeeded == needed)
            #expect(percentile.name == name)
        }
    }

    @Test func more_than_an_hour_is_counted_apart() {
        var histogram = LatencyHistogram()
        histogram.record(.max, times: 2)
        #expect(histogram.clampedCount == 2)
        #expect(histogram.maximumNanoseconds == .max)
        #expect(histogram.filledSlots.count == 1)
    }

    @Test func a_sum_that_64_bits_do_not_hold_stays_at_the_largest() {
        var histogram = LatencyHistogram()
        histogram.record(.max - 5)
        histogram.record(2, times: 2)
        #expect(histogram.sumNanoseconds == UInt64.max - 1)
        histogram.record(2)
        #expect(histogram.sumNanoseconds == .max)
        var product = LatencyHistogram()
        product.record(1 << 40, times: 1 << 30)
        #expect(product.sumNanoseconds == .max)
        product.merge(histogram)
        #expect(product.sumNanoseconds == .max)
    }

    @Test func the_worst_message_is_remembered() {
        var series = LatencySeries("sync")
        series.record(10, message: "a", atNanoseconds: 1)
        series.record(30, message: "b", atNanoseconds: 2)
        series.record(30, message: "c", atNanoseconds: 3)
        #expect(series.worst?.message == "b")
        #expect(series.worst?.latencyNanoseconds == 30)
    }
}

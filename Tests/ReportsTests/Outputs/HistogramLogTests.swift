import ControlProtocol
import Testing
import WatchProtoCore

@testable import Reports

@Suite struct HistogramLogTests {
    /// A run whose series are filled, empty, or of names that no tag can hold.
    static func sample() -> Report {
        var report = ReportTests.sample()
        report.startedAt = WallTime(milliseconds: 1_700_000_000_123)
        var long = LatencySeries("sync, durable")
        long.record(.max, message: "a", atNanoseconds: 0)
        report.latencies.append(long)
        return report
    }

    @Test func a_small_histogram_has_these_bytes() throws {
        var histogram = LatencyHistogram()
        for (value, times) in [(3, 1), (5, 2), (2047, 64), (2048, 1), (1_000_000, 300)]
            as [(UInt64, UInt64)]
        {
            histogram.record(value, times: times)
        }
        let bytes = try Base64.decode(histogram.hdrText)
        let counts: [UInt8] = [
            0x05,  // slots 0 to 2 are empty: -3
            0x02, 0x00, 0x04,  // once 3, no 4, twice 5
            0xF1, 0x1F,  // 6 to 2046 are empty: -2041 (ZigZag 4081)
            0x80, 0x01, 0x02,  // 64 times 2047, once 2048
            0xBF, 0x8E, 0x01,  // slots 2049 to 11168 are empty: -9120
            0xD8, 0x04,  // 300 times
        ]
        #expect(Array(bytes.suffix(4 + counts.count).dropLast(4)) == counts)
        let head: [UInt8] = [
            0x1C, 0x84, 0x93, 0x14, 0, 0, 0, 65,  // cookie, and what follows in bytes
            0x78, 0x01, 1, 54, 0, 0xC9, 0xFF,  // zlib: one stored block of 54 bytes, the last
            0x1C, 0x84, 0x93, 0x13, 0, 0, 0, 14,  // cookie, counts in bytes
            0, 0, 0, 0, 0, 0, 0, 3,  // no offset, three digits
            0, 0, 0, 0, 0, 0, 0, 1,  // from 1 ns
            0, 0, 0x03, 0x46, 0x30, 0xB8, 0xA0, 0,  // to an hour
            0x3F, 0xF0, 0, 0, 0, 0, 0, 0,  // times 1.0
        ]
        #expect(Array(bytes.prefix(head.count)) == head)
    }

    @Test func counts_take_up_to_nine_bytes() {
        let wanted: [(Int64, [UInt8])] = [
            (0, [0]), (-1, [1]), (1, [2]), (63, [0x7E]), (64, [0x80, 0x01]), (-64, [0x7F]),
            (-65, [0x81, 0x01]), (8191, [0xFE, 0x7F]), (8192, [0x80, 0x80, 0x01]),
            (1 << 54, [UInt8](repeating: 0x80, count: 7) + [0x40]),
            (1 << 55, [UInt8](repeating: 0x80, count: 8) + [0x01]),
            (.max, [0xFE] + [UInt8](repeating: 0xFF, count: 8)),
            (.min, [UInt8](repeating: 0xFF, count: 9)),
        ]
        for (value, bytes) in wanted {
            var found: [UInt8] = []
            LatencyHistogram.append(value, to: &found)
            #expect(found == bytes, "\(value)")
        }
    }

    @Test func long_input_takes_several_blocks_and_the_sum_is_adlers() {
        #expect(StoredZlib.adler32(Array("Wikipedia".utf8)) == 0x11E6_0398)
        #expect(StoredZlib.adler32([UInt8](repeating: 255, count: 1_000_000)) == 0x3843_E1BE)
        #expect(StoredZlib.wrap([]) == [0x78, 0x01, 1, 0, 0, 255, 255, 0, 0, 0, 1])
        let long = (0..<65_536).map { UInt8(truncatingIfNeeded: $0) }
        let wrapped = StoredZlib.wrap(long)
        #expect(wrapped.count == 2 + 5 + 65_535 + 5 + 1 + 4)
        #expect(Array(wrapped.prefix(7)) == [0x78, 0x01, 0, 255, 255, 0, 0])
        #expect(Array(wrapped[65_542..<65_548]) == [1, 1, 0, 254, 255, 255])
    }

    @Test func the_log_reads_as_specified() throws {
        let text = HistogramLog.text(Self.sample())
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let first = """
            #[Histogram log format version 1.3]
            #[StartTime: 1700000000.123 (seconds since epoch), 2023-11-14T22:13:20.123Z]
            #[BaseTime: 1700000000.123 (seconds since epoch)]
            #[rig 0.1.0: rig demo --seed 42]
            #[Values are nanoseconds; Interval_Max is in milliseconds]
            #[Tag sync: sync, n=1200]
            #[Tag push: push, n=1]
            #[Tag sync_durable: sync, durable, n=1, 1 of them above 1 h]
            "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
            """
        #expect(lines.prefix(9).joined(separator: "\n") == first)
        let rest = lines.dropFirst(9).map { $0.split(separator: ",").prefix(4) }
        #expect(
            rest == [
                ["Tag=push", "0.000", "1.000", "0.052"],
                ["Tag=sync", "0.000", "1.000", "12.574"],
                ["Tag=sync_durable", "0.000", "1.000", "18446744073709.551"],
                ["Tag=sync", "1.000", "1.000", "25.149"],
                ["Tag=sync", "2.000", "1.000", "37.723"],
                ["Tag=sync", "3.000", "1.000", "49.800"], [],
            ])
    }

    @Test(arguments: [(299, 299, "1.000"), (300, 150, "2.000"), (86_400, 299, "289.000")])
    func a_long_run_has_longer_intervals(seconds: UInt64, count: Int, length: String) {
        var series = LatencySeries("sync")
        for second in 0..<seconds {
            series.record(second, message: "", atNanoseconds: second * 1_000_000_000)
        }
        var report = ReportTests.sample()
        report.latencies = [series]
        report.durationNanoseconds = seconds * 1_000_000_000
        let lines = HistogramLog.text(report).split(separator: "\n").filter { $0.hasPrefix("T") }
        #expect(lines.count == count)
        let cells = lines.map { $0.split(separator: ",") }
        #expect(cells.first?[2] == length[...])
        // The last one ends with the run.
        let end = (cells.last?[1...2] ?? []).compactMap { Double($0) }.reduce(0, +)
        #expect(end == Double(seconds))
    }

    @Test func a_run_that_ended_early_says_so_and_a_comment_is_one_line() {
        var report = Self.sample()
        report.isComplete = false
        report.startedAt = nil
        report.repeatCommand = "rig demo --import 'a\nTag=b'"
        let text = HistogramLog.text(report)
        #expect(text.contains("\n#[INCOMPLETE: the run ended early]\n"))
        #expect(text.contains("\n#[rig 0.1.0: rig demo --import 'a Tag=b']\n"))
        #expect(!text.contains("Time: "))
    }

    @Test func every_series_has_a_key_of_its_own() {
        var report = ReportTests.sample()
        let names = ["a, b", "A b", "a b 2", "raw ping-pong", "µ", "", "a_b"]
        report.latencies = names.map { LatencySeries($0) }
        #expect(
            report.seriesKeys == [
                "a_b", "a_b_2", "a_b_2_2", "raw_ping_pong", "series", "series_2", "a_b_3",
            ])
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
        (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
    ])
    func moments_are_written_in_utc(milliseconds: Int64, text: String) {
        #expect(OutputNumbers.utc(WallTime(milliseconds: milliseconds)) == text)
    }

    @Test func numbers_are_exact() {
        let wanted: [(UInt64, String)] = [
            (0, "0"), (1, "0.000000001"), (1500, "0.0000015"), (3_000_000_000, "3"),
            (10_240_000_000, "10.24"), (.max, "18446744073.709551615"),
        ]
        for (nanoseconds, text) in wanted {
            #expect(OutputNumbers.seconds(ofNanoseconds: nanoseconds) == text)
        }
        #expect(OutputNumbers.thousandths(5) == "0.005")
        #expect(OutputNumbers.thousandths(49_800) == "49.800")
    }
}

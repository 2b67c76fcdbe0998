import Testing
import WatchProtoCore
import WatchProtoRecords

/// Limits in the record of a medication (rule 16).
@Suite struct AsNeededLimitsTests {
    private static let tag: UInt8 = 4

    @Test(
        arguments: [
            (nil, nil, nil), (240, nil, [240, 0, 0]), (nil, 4, [0, 0, 4]), (1, 1, [1, 0, 1]),
            (65_535, 255, [255, 255, 255]), (100_000, 300, [255, 255, 255]), (0, -1, nil),
        ] as [(Int?, Int?, [UInt8]?)])
    func the_field_has_both_limits(interval: Int?, maximum: Int?, bytes: [UInt8]?) throws {
        let usual = RecordExamples.usual
        var record = usual
        record.limits = AsNeededLimits(minimumInterval: interval, maximumPerDay: maximum)
        #expect(record.extensions[Self.tag] == bytes)
        // A length, then a tag, a length and three bytes.
        #expect(record.encodedSize == usual.encodedSize + (bytes == nil ? 0 : 6))
        let back = try LightweightMedication(decoding: record.encoded())
        #expect(back == record)
        #expect(back.limits == AsNeededLimits(packed: record.limits.packed))
        if bytes == nil { #expect(try record.encoded() == usual.encoded()) }
        record.limits = AsNeededLimits()
        #expect(record == usual)
    }

    @Test func the_other_fields_stay() throws {
        var record = RecordExamples.usual
        record.extensions[2] = [1]
        record.extensions[7] = []
        record.limits = AsNeededLimits(minimumInterval: 240)
        #expect(record.extensions.tags == [2, 4, 7])
        let back = try LightweightMedication(decoding: record.encoded())
        #expect(back.extensions == record.extensions)
        #expect(back.limits.minimumInterval == 240 && back.limits.maximumPerDay == nil)
    }

    @Test(arguments: [0, 1, 2, 4, 20])
    func a_field_of_another_length_is_no_limit(_ length: Int) {
        var record = RecordExamples.usual
        record.extensions[Self.tag] = [UInt8](repeating: 9, count: length)
        #expect(record.limits == AsNeededLimits())
    }

    @Test func the_next_dose_keeps_the_interval_to_the_latest_one() {
        let limits = AsNeededLimits(minimumInterval: 240)
        func next(_ milliseconds: Int64, _ others: [Int64]) -> Int32? {
            let base = WallMinute(minutes: 3_000_000).wallTime.milliseconds
            return limits.warnings(
                at: WallTime(milliseconds: base + milliseconds),
                others.map { WallTime(milliseconds: base + $0) }
            ).next?.minutes
        }
        #expect(next(0, []) == 3_000_240)
        #expect(next(1, []) == 3_000_241, "a minute that has begun is not the first one")
        #expect(next(0, [-60_000]) == 3_000_240)
        #expect(next(0, [-60_000, 120_000]) == 3_000_242, "a late entry")
        #expect(AsNeededLimits(maximumPerDay: 1).warnings(at: Doses.due.wallTime, []).next == nil)
        let far = limits.warnings(at: WallTime(milliseconds: .max), [])
        #expect(far.next == WallMinute(minutes: .max))
    }
}

import Testing
import WatchProtoCore
import WatchProtoRecords

@Suite struct RecordPartsTests {
    @Test func an_amount_has_one_form() throws {
        let half = try #require(Amount(mantissa: 50, scale: 2, unit: .tablet))
        #expect(half == Amount(mantissa: 5, scale: 1, unit: .tablet))
        #expect(half.description == "0.5 tablet")
        #expect(Amount(mantissa: 0, scale: 7, unit: .unit)?.digits == "0")
        #expect(Amount(mantissa: 1, scale: 9, unit: .gram)?.digits == "0.000000001")
        #expect(Amount(mantissa: 10, scale: 10, unit: .gram)?.scale == 9)
        #expect(Amount(mantissa: 1, scale: 10, unit: .gram) == nil)
        #expect(Amount(mantissa: 1, scale: -1, unit: .gram) == nil)
        #expect(Amount(mantissa: 12, unit: DoseUnit(rawValue: 99))?.description == "12")
    }

    @Test(arguments: [
        ("50 mg tablet", "50 mg", DoseForm.tablet), ("50 mg ER tablet", "50 mg ER", .tablet),
        ("tablet", "tablet", .unknown), (" tablet", " tablet", .unknown), ("", "", .unknown),
        ("5 mg Tablette", "5 mg Tablette", .unknown), ("5 mg  gel", "5 mg ", .gel),
        ("2,5 мг таблетка", "2,5 мг таблетка", .unknown), ("1 microgel", "1 microgel", .unknown),
    ])
    func a_line_of_dosage_is_taken_apart_only_where_it_comes_back(
        line: String, strength: String, form: DoseForm
    ) {
        let dosage = Dosage(text: line)
        #expect(dosage.strength == strength)
        #expect(dosage.form == form)
        #expect(Array(dosage.text.utf8) == Array(line.utf8))
    }

    @Test func slots_are_sorted_distinct_and_few() {
        #expect(DoseSlots(minutes: [1200, 480, 480])?.minutes == [480, 1200])
        #expect(DoseSlots(minutes: 0..<8)?.minutes == Array(0..<8))
        #expect(DoseSlots(minutes: 0..<9) == nil)
        #expect(DoseSlots(minutes: [1440]) == nil)
        #expect(DoseSlots(minutes: [-1]) == nil)
        #expect(DoseSlots(minutes: [Int]())?.isEmpty == true)
        #expect(DoseSlots(minutes: 1432..<1440)?.minutes == Array(1432..<1440))
    }

    @Test func a_minute_is_rounded_down_and_held_in_range() {
        let base = RecordBase.milliseconds
        #expect(WallMinute(WallTime(milliseconds: base + 59_999)).minutes == 0)
        #expect(WallMinute(WallTime(milliseconds: base - 1)).minutes == -1)
        #expect(WallMinute(WallTime(milliseconds: base - 60_000)).minutes == -1)
        #expect(WallMinute(WallTime(milliseconds: .min)).minutes == .min)
        #expect(WallMinute(WallTime(milliseconds: .max)).minutes == .max)
        for minutes in [Int32.min, -1, 0, 1, .max] {
            #expect(WallMinute(WallMinute(minutes: minutes).wallTime).minutes == minutes)
        }
    }

    @Test func zone_offsets_have_ends() {
        #expect(ZoneOffset(minutes: 1081) == nil)
        #expect(ZoneOffset(minutes: -1080)?.minutes == -1080)
        #expect(ZoneOffset(clamping: 9_999).minutes == 1080)
    }

    @Test func extension_fields_stand_in_order() {
        var fields = ExtensionFields()
        fields[9] = [1]
        fields[3] = []
        fields[200] = [2, 3]
        #expect(fields.wireForm == [3, 0, 9, 1, 1, 200, 2, 2, 3])
        fields[9] = [7, 7]
        #expect(fields[9] == [7, 7])
        #expect(fields.tags == [3, 9, 200])
        fields[3] = nil
        fields[9] = nil
        fields[200] = nil
        #expect(fields == ExtensionFields())
        #expect(fields[1] == nil)
    }

    @Test(arguments: [0, 255, 256, 510, 511, 100_000])
    func an_extension_field_is_kept_at_any_length(_ count: Int) {
        let field = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
        var medication = RecordExamples.usual
        medication.extensions[9] = [1]
        medication.extensions[3] = field
        medication.extensions[200] = [2]
        #expect(medication.extensions[3] == field)
        #expect(medication.extensions.tags == [3, 9, 200])
        if count >= 255 {
            #expect(throws: EncodingRefusal.self) { try medication.encoded() }
        }
        medication.extensions[3] = [7]
        #expect(medication.extensions.wireForm == [3, 1, 7, 9, 1, 1, 200, 1, 2])
        var event = RecordExamples.doseEvents[0].value
        event.extensions[3] = field
        if count >= 255 { #expect(throws: EncodingRefusal.self) { try event.encoded() } }
    }

    @Test func a_buffer_without_room_is_left_alone() throws {
        let medication = RecordExamples.usual
        let size = medication.encodedSize
        for value in [medication, RecordExamples.medications[3].value] {
            let free = value.encodedSize - 1
            let bytes = [UInt8](capacity: free + 1) { output in
                output.append(7)
                #expect(
                    throws: EncodingRefusal.noRoom(bytes: value.encodedSize, free: free)
                ) { try value.encode(into: &output) }
            }
            #expect(bytes == [7])
        }
        #expect(size == 68)
    }

    @Test func a_record_over_its_budget_is_refused() {
        var medication = RecordExamples.usual
        medication.instructions = String(repeating: "a", count: 146)
        #expect(medication.encodedSize == 200)
        #expect(throws: Never.self) { try medication.encoded() }
        medication.instructions += "a"
        #expect(throws: EncodingRefusal.tooLarge(bytes: 201, limit: 200)) {
            try medication.encoded()
        }
        medication.instructions = String(repeating: "a", count: 100_000)
        #expect(throws: EncodingRefusal.self) { try medication.encoded() }
    }

    @Test func encodings_follow_each_other_in_one_buffer() throws {
        let values = RecordExamples.medications.map(\.value)
        var buffer: [UInt8] = []
        var ranges: [Range<Int>] = []
        for value in values {
            let start = buffer.count
            try buffer.append(addingCapacity: 200) { output throws(EncodingRefusal) in
                try value.encode(into: &output)
            }
            ranges.append(start..<buffer.count)
        }
        for (value, range) in zip(values, ranges) {
            #expect(Array(buffer[range]) == (try value.encoded()))
            let lazy = try LazyMedication(buffer, range)
            #expect(lazy.medication == value)
            #expect(lazy == (try LazyMedication(try value.encoded())))
            #expect(lazy.dosage == value.dosage)
        }
        #expect(try LazyMedication(buffer, ranges[0]) != LazyMedication(buffer, ranges[1]))
    }

    @Test func records_have_keys() {
        let id = RecordExamples.usual.id
        #expect(RecordExamples.usual.recordKey == id.recordKey)
        #expect(id.recordKey.rawValue == id.rawValue)
        #expect(ComplicationID.main.recordKey != ComplicationID(rawValue: 1).recordKey)
        let events = RecordExamples.doseEvents
        #expect(events[0].value.slot == events[1].value.slot)
        #expect(events[3].value.slot == nil)
        #expect(ComplicationState(taken: 1, total: 4).progress == 0.25)
        #expect(ComplicationState().progress == 1)
    }
}

import Testing
import WatchProtoCore
import WatchProtoRecords

@Suite struct RecordCodingTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func every_value_comes_back(seed: UInt64) throws {
        var samples = RecordSamples(seed: seed)
        for _ in 0..<2_000 {
            try check(samples.medication())
            try check(samples.doseEvent())
            try check(samples.complication())
        }
    }

    private func check(_ value: some RecordCodable) throws {
        let size = value.encodedSize
        guard size <= 200 else {
            #expect(throws: EncodingRefusal.tooLarge(bytes: size, limit: 200)) {
                try value.encoded()
            }
            return
        }
        let bytes = try value.encoded()
        #expect(bytes.count == size)
        let back = try type(of: value).init(decoding: bytes)
        #expect(back == value)
        #expect(try back.encoded() == bytes)
    }

    @Test(arguments: [4, 5, 6] as [UInt64]) func a_delta_gives_the_next_state(seed: UInt64) throws {
        var samples = RecordSamples(seed: seed)
        var made = 0
        for _ in 0..<2_000 {
            let base = samples.medication()
            let next = samples.edit(base)
            guard base.encodedSize <= 200, next.encodedSize <= 200 else { continue }
            let (old, new) = (try base.encoded(), try next.encoded())
            guard let delta = RecordDelta.make(kind: .medication, base: old, next: new) else {
                continue
            }
            made += 1
            #expect(delta.count < new.count)
            #expect(
                try RecordDelta.apply(kind: .medication, delta: delta.span, to: old) == new)
        }
        #expect(made > 1_000)
        made = 0
        for _ in 0..<1_000 {
            let base = samples.complication()
            let old = try base.encoded()
            let new = try samples.edit(base).encoded()
            guard let delta = RecordDelta.make(kind: .complication, base: old, next: new) else {
                continue
            }
            made += 1
            #expect(
                try RecordDelta.apply(kind: .complication, delta: delta.span, to: old) == new)
        }
        #expect(made > 500)
    }

    @Test func a_dose_state_change_takes_seven_bytes_at_most() throws {
        var samples = RecordSamples(seed: 9)
        for hours in 1...24 {
            var base = samples.medication()
            base.name = "Metoprolol"
            base.dosage = Dosage(strength: "50 mg", form: .tablet)
            base.instructions = "With food"
            base.extensions = ExtensionFields()
            base.revision = 16_000
            base.nextDose = WallMinute(minutes: 3_000_000)
            base.updatedAt = WallTime(milliseconds: 1_771_843_168_469)
            var next = base
            next.nextDose = WallMinute(minutes: 3_000_000 + Int32(hours) * 60)
            next.flags.formSymmetricDifference(.isOverdue)
            next.revision += 1
            next.updatedAt.milliseconds += Int64(hours) * 3_600_000 + 1_234
            let delta = try #require(
                RecordDelta.make(
                    kind: .medication, base: try base.encoded(), next: try next.encoded()))
            #expect(delta.count <= (hours <= 4 ? 6 : 7))
        }
    }
}

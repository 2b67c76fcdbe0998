import WatchProtoCore
package import WatchProtoRecords

/// Medication records made by a stated rule, alike to real ones in what costs: text of about 76
/// bytes (name 17, dosage 13, instructions 45), one record in 13 with text beyond ASCII.
///
/// The rule: `SeededGenerator(seed:)` draws, for each record in turn, the fields in the order of
/// `record(_:)`, each uniformly from the list or range that stands there.
package enum CodecFixtures {
    /// `count` records of the rule with `seed`.
    package static func records(count: Int = 1_000, seed: UInt64 = 1) -> [LightweightMedication] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in record(&random) }
    }

    /// The records of the rule, each with the size of its JSON text (the keys of ``RecordFile``).
    package static func samples(count: Int = 1_000, seed: UInt64 = 1) -> [CodecSample] {
        records(count: count, seed: seed).map { medication in
            CodecSample(
                medication: medication, jsonBytes: RecordFile.json(medication).count)
        }
    }

    private static func record(_ random: inout SeededGenerator) -> LightweightMedication {
        let id = UInt128(random.next()) << 64 | UInt128(random.next())
        let isLatin = !random.chance(0.076)
        let words = isLatin ? FixtureWords.english : FixtureWords.beyondASCII
        let name = pick(words.names, &random) + pick(words.suffixes, &random)
        let dosage = pick(words.strengths, &random) + " " + pick(words.forms, &random)
        let sentences = [1, 1, 2, 2, 0, 1, 2, 2, 1, 2][below(10, &random)]
        let instructions = (0..<sentences).map { _ in pick(words.instructions, &random) }
        let asNeeded = random.chance(0.09)
        var minutes: [Int] = []
        if !asNeeded {
            for _ in 0..<[1, 1, 1, 1, 1, 2, 2, 2, 3, 4][below(10, &random)] {
                minutes.append(below(288, &random) * 5)
            }
        }
        let weekdays =
            random.chance(0.16) ? Weekdays(rawValue: UInt8(1 + below(126, &random))) : nil
        let schedule = DoseSchedule(slots: DoseSlots(minutes: minutes)!, weekdays: weekdays)
        let next = WallMinute(minutes: 3_230_000 + Int32(below(10_080, &random)))
        var flags: MedicationFlags = asNeeded ? .asNeeded : []
        if random.chance(0.9) { flags.insert(.isActive) }
        if random.chance(0.09) { flags.insert(.isOverdue) }
        let width = UInt64([8, 16, 16, 17][below(4, &random)])
        return LightweightMedication(
            id: MedicationID(rawValue: id), name: name, dosage: Dosage(text: dosage),
            schedule: schedule, nextDose: asNeeded ? nil : next,
            color: UInt32(truncatingIfNeeded: random.next()) | 0xFF, flags: flags,
            instructions: instructions.joined(separator: ". "),
            revision: UInt32(random.uniform(in: 1...(1 << width) - 1)),
            updatedAt: WallTime(
                milliseconds: RecordBase.milliseconds + 190_000_000_000
                    + Int64(below(10_000_000_000, &random))))
    }

    private static func below(_ limit: Int, _ random: inout SeededGenerator) -> Int {
        Int(random.uniform(in: 0...UInt64(limit - 1)))
    }

    private static func pick(_ list: [String], _ random: inout SeededGenerator) -> String {
        list[below(list.count, &random)]
    }
}

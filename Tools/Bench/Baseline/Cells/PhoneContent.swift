import WatchProtoCore
import WatchProtoRecords

/// The content that the two applications send: faces, medications, doses, opaque records.
struct PhoneContent {
    private var random: SeededGenerator
    private var updates = 0
    /// The medications that the watch has.
    private var medications: [LightweightMedication] = []
    private var next = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed ^ 0xC0_47E4) }

    /// The peers are other ones: the watch has nothing.
    mutating func begin() {
        medications = []
        next = 0
    }

    private static let names = [
        "Lisinopril", "Metoprolol", "Apixaban", "Levothyroxine", "Atorvastatin", "Metformin",
        "Amlodipine", "Pantoprazole",
    ]
    private static let amounts = ["1 × 10 mg", "2 × 5 mg", "½ tablet", "1 × 850 mg"]

    /// The face after one more change, in its canonical encoding: a dose was taken, and another
    /// medication is next. No two neighbours are alike.
    mutating func face() -> [UInt8] {
        updates += 1
        let number = updates
        let state = ComplicationState(
            name: Self.names[number % Self.names.count],
            amountText: Self.amounts[number % Self.amounts.count],
            color: UInt32(number % Self.names.count) &* 0x2157_8100 | 0xFF,
            nextDose: WallMinute(minutes: Int32(truncatingIfNeeded: 3_000_000 + 480 * number)),
            taken: UInt8(number % 7), total: 7, overdue: UInt8(number % 11 == 0 ? 1 : 0),
            active: 8)
        guard let bytes = try? state.encoded() else { preconditionFailure("over its budget") }
        return bytes
    }

    /// `count` medications that the watch has nothing of; on request those alone of which a dose
    /// can be taken, with room for what changes then.
    mutating func list(_ count: Int, isChangeable: Bool = false) -> [(RecordKey, [UInt8])] {
        medications = []
        next = 0
        var values: [(RecordKey, [UInt8])] = []
        // A few of the rule's records are over the budget; a phone shortens those.
        for medication in CodecFixtures.records(count: count * 3, seed: random.next())
        where values.count < count {
            guard let bytes = try? medication.encoded() else { continue }
            let room = LightweightMedication.byteBudget - bytes.count
            guard !isChangeable || medication.nextDose != nil && room >= 8 else { continue }
            medications.append(medication)
            values.append((RecordKey(rawValue: medication.id.rawValue), bytes))
        }
        return values
    }

    /// A dose was taken of the next medication of a list that is changeable.
    mutating func change() -> (RecordKey, [UInt8]) {
        let place = next % medications.count
        next += 1
        medications[place].nextDose = medications[place].nextDose.map {
            WallMinute(minutes: $0.minutes + 480)
        }
        medications[place].revision &+= 1
        medications[place].updatedAt.milliseconds += 60_000
        let medication = medications[place]
        guard let bytes = try? medication.encoded() else { preconditionFailure("no room") }
        return (RecordKey(rawValue: medication.id.rawValue), bytes)
    }

    /// `count` bytes that do not get smaller, and are alike in no two records.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = random.next()
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * place))) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

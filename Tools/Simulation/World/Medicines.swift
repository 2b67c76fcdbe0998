package import WatchProtoCore
import WatchProtoRecords

/// The medications of the simulated applications, and how they change.
package enum Medicines {
    /// How many different ones a seed makes; they are numbered from 1.
    package static let count: UInt64 = 4
    /// How many a written scenario may have.
    package static let most: UInt64 = 1_000

    private static let names = ["Lisinopril", "Metoprolol", "Apixaban", "Levothyroxine"]
    private static let firstKey: UInt128 = 0x4D65_6400

    /// The key of a medication's values; no opaque value has such a key.
    static func key(_ number: UInt64) -> RecordKey {
        RecordKey(rawValue: firstKey + UInt128(number))
    }

    /// Whether a key is that of a medication.
    static func isOne(_ key: RecordKey) -> Bool {
        number(of: key) != nil
    }

    /// Which medication is kept under `key`; nil for a key of something else.
    package static func number(of key: RecordKey) -> UInt64? {
        guard key.rawValue > firstKey, key.rawValue <= firstKey + UInt128(most) else { return nil }
        return UInt64(key.rawValue - firstKey)
    }

    /// A medication as it begins.
    static func first(_ number: UInt64) -> [UInt8] {
        encoded(
            LightweightMedication(
                id: MedicationID(rawValue: key(number).rawValue),
                name: names[Int(number - 1) % names.count],
                dosage: Dosage(text: "10 mg tablet"),
                nextDose: WallMinute(minutes: 3_000_000 + Int32(number)),
                instructions: "Take with water after breakfast",
                updatedAt: WallTime(milliseconds: 1_790_000_000_000)))
    }

    /// The next value after `former` (nil: there is none): mostly a dose taken, and now and then an
    /// edit that touches another field, everything, or nothing.
    static func changed(_ former: [UInt8]?, _ number: UInt64, by change: UInt64) -> [UInt8] {
        guard let former, var next = try? LightweightMedication(decoding: former) else {
            return first(number)
        }
        let amount = Int32(change >> 4)
        switch change % 16 {
        case 0: return former
        case 1: return first(number)
        case 2: next.name += change & 16 == 0 ? " retard" : " XR"
        case 3: next.instructions = "Not with grapefruit, \(amount)"
        case 4: next.color = UInt32(truncatingIfNeeded: LinkDraws.mixed(change))
        case 5:
            next.dosage = Dosage(text: "\(amount + 5) mg tablet")
            next.name = names[Int(amount) % names.count]
            next.instructions = ""
            next.nextDose = nil
        case 6, 7: next.flags.formSymmetricDifference(.isOverdue)
        default:
            next.nextDose = WallMinute(minutes: (next.nextDose?.minutes ?? 3_000_000) + 480)
            next.flags.remove(.isOverdue)
        }
        if next.name.utf8.count > 40 { next.name = names[Int(number - 1) % names.count] }
        next.revision += 1
        next.updatedAt = WallTime(milliseconds: next.updatedAt.milliseconds + 60_000)
        return encoded(next)
    }

    private static func encoded(_ medication: LightweightMedication) -> [UInt8] {
        guard let bytes = try? medication.encoded() else {
            preconditionFailure("a medication over its budget")
        }
        return bytes
    }
}

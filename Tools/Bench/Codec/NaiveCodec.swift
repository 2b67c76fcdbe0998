import WatchProtoCore
import WatchProtoRecords

/// The peer to compare with: the codec one writes without measuring. A growing array, varints, a
/// length before every text, `String(validating:as:)`.
enum NaiveCodec {
    static func encode(_ value: LightweightMedication) -> [UInt8] {
        var bytes: [UInt8] = []
        for shift in stride(from: 120, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value.id.rawValue >> UInt128(shift)))
        }
        text(value.name, &bytes)
        text(value.dosage.strength, &bytes)
        bytes.append(value.dosage.form.rawValue)
        bytes.append(value.flags.rawValue)
        varint(UInt64(value.color), &bytes)
        varint(UInt64(value.nextDose.map { Int64($0.minutes) + 1 } ?? 0), &bytes)
        bytes.append(UInt8(value.schedule.slots.count))
        for minute in value.schedule.slots.minutes { varint(UInt64(minute), &bytes) }
        bytes.append(value.schedule.weekdays.rawValue)
        varint(UInt64(value.revision), &bytes)
        varint(UInt64(bitPattern: value.updatedAt.milliseconds), &bytes)
        text(value.instructions, &bytes)
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> LightweightMedication? {
        var offset = 16
        guard bytes.count >= 16 else { return nil }
        var id: UInt128 = 0
        for byte in bytes[..<16] { id = id << 8 | UInt128(byte) }
        guard let name = text(bytes, &offset), let strength = text(bytes, &offset),
            offset + 2 <= bytes.count
        else { return nil }
        let form = DoseForm(rawValue: bytes[offset])
        let flags = MedicationFlags(rawValue: bytes[offset + 1])
        offset += 2
        guard let color = varint(bytes, &offset), let next = varint(bytes, &offset),
            offset < bytes.count
        else { return nil }
        let count = Int(bytes[offset])
        offset += 1
        var minutes: [Int] = []
        for _ in 0..<count {
            guard let minute = varint(bytes, &offset) else { return nil }
            minutes.append(Int(minute))
        }
        guard let slots = DoseSlots(minutes: minutes), offset < bytes.count else { return nil }
        let weekdays = Weekdays(rawValue: bytes[offset])
        offset += 1
        guard let revision = varint(bytes, &offset), let stamp = varint(bytes, &offset),
            let instructions = text(bytes, &offset), offset == bytes.count
        else { return nil }
        return LightweightMedication(
            id: MedicationID(rawValue: id), name: name,
            dosage: Dosage(strength: strength, form: form),
            schedule: DoseSchedule(slots: slots, weekdays: weekdays),
            nextDose: next == 0 ? nil : WallMinute(minutes: Int32(next - 1)),
            color: UInt32(color), flags: flags, instructions: instructions,
            revision: UInt32(revision),
            updatedAt: WallTime(milliseconds: Int64(bitPattern: stamp)))
    }

    private static func varint(_ value: UInt64, _ bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func text(_ text: String, _ bytes: inout [UInt8]) {
        varint(UInt64(text.utf8.count), &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func varint(_ bytes: [UInt8], _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private static func text(_ bytes: [UInt8], _ offset: inout Int) -> String? {
        guard let length = varint(bytes, &offset), length <= UInt64(bytes.count - offset) else {
            return nil
        }
        let end = offset + Int(length)
        defer { offset = end }
        return String(validating: bytes[offset..<end], as: UTF8.self)
    }
}

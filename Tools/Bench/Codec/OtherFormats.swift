internal import ControlProtocol
internal import WatchProtoCore
internal import WatchProtoRecords

/// CBOR (RFC 8949) of JSON values, each in its shortest form.
enum CBOR {
    /// The bytes of a value. Members of the names in `texts` have these byte strings for their
    /// values.
    static func bytes(_ value: JSONValue, replacing texts: [String: [UInt8]] = [:]) -> [UInt8] {
        switch value {
        case .null: return [0xF6]
        case .bool(let isTrue): return [isTrue ? 0xF5 : 0xF4]
        case .integer(let number):
            return number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
        case .unsigned(let number): return head(0, number)
        case .number(let number):
            return [0xFB] + number.bitPattern.bigEndianBytes(8)
        case .string(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let items):
            return head(4, UInt64(items.count)) + items.flatMap { bytes($0, replacing: texts) }
        case .object(let object):
            let members = object.members
            return head(5, UInt64(members.count))
                + members.flatMap { member -> [UInt8] in
                    let name = bytes(.string(member.name))
                    guard let text = texts[member.name] else {
                        return name + bytes(member.value, replacing: texts)
                    }
                    return name + head(2, UInt64(text.count)) + text
                }
        }
    }

    /// The head of an item: the major type, and the argument.
    private static func head(_ type: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = type << 5
        switch argument {
        case 0..<24: return [type | UInt8(argument)]
        case 0..<(1 << 8): return [type | 24, UInt8(argument)]
        case 0..<(1 << 16): return [type | 25] + argument.bigEndianBytes(2)
        case 0..<(1 << 32): return [type | 26] + argument.bigEndianBytes(4)
        default: return [type | 27] + argument.bigEndianBytes(8)
        }
    }
}

extension UInt64 {
    /// The lowest bytes, the highest of them first.
    fileprivate func bigEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) }
    }
}

/// Protocol Buffers, version 3: a medication with the fields of ``RecordFile``, in its order.
/// Fields of their default value are left out.
enum Protobuf {
    /// The message of a medication.
    static func bytes(_ medication: LightweightMedication) -> [UInt8] {
        var writer = Writer()
        writer.text(1, [UInt8](repeating: 0, count: 16))
        writer.text(2, Array(medication.name.utf8))
        writer.text(3, Array(medication.dosage.text.utf8))
        writer.number(
            4, UInt64(max(0, medication.nextDose?.wallTime.milliseconds ?? 0)))
        writer.fixed(5, medication.color)
        for (field, flag) in [
            (6, MedicationFlags.isActive), (7, .isOverdue), (8, .asNeeded),
        ] as [(UInt64, MedicationFlags)] {
            writer.number(field, medication.flags.contains(flag) ? 1 : 0)
        }
        writer.text(9, Array(medication.instructions.utf8))
        writer.text(
            10, medication.schedule.slots.minutes.flatMap { Writer.varint(UInt64($0)) })
        writer.number(11, UInt64(medication.schedule.weekdays.rawValue))
        writer.number(12, UInt64(medication.revision))
        writer.number(13, UInt64(max(0, medication.updatedAt.milliseconds)))
        return writer.bytes
    }

    /// Writes fields by their numbers.
    struct Writer {
        var bytes: [UInt8] = []

        static func varint(_ number: UInt64) -> [UInt8] {
            var (rest, bytes) = (number, [UInt8]())
            while rest > 0x7F {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }

        mutating func number(_ field: UInt64, _ value: UInt64) {
            if value != 0 { bytes += Self.varint(field << 3) + Self.varint(value) }
        }

        mutating func fixed(_ field: UInt64, _ value: UInt32) {
            guard value != 0 else { return }
            bytes += Self.varint(field << 3 | 5)
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }

        mutating func text(_ field: UInt64, _ text: [UInt8]) {
            guard !text.isEmpty else { return }
            bytes += Self.varint(field << 3 | 2) + Self.varint(UInt64(text.count)) + text
        }
    }
}

import Articles
import ControlProtocol
import WatchProtoCore
import WatchProtoRecords

/// Bytes that must be refused, each with the rule it breaks and where, by hand.
struct RejectedRecord {
    var kind: String
    var name: String
    /// The base of a delta.
    var base: [UInt8]?
    var bytes: [UInt8]
    var rule: WireError.Rule
    var offset: Int

    var json: JSONValue {
        [
            "kind": .string(kind), "name": .string(name),
            "base": base.map { .string(Hex.string($0)) } ?? nil,
            "hex": .string(Hex.string(bytes)), "rule": .string("\(rule)"), "offset": .whole(offset),
        ]
    }

    /// The error of decoding; nil when there is none.
    func refusal() -> WireError? {
        do throws(WireError) {
            switch kind {
            case "medication": _ = try LightweightMedication(decoding: bytes)
            case "doseEvent": _ = try DoseEvent(decoding: bytes)
            case "complication": _ = try ComplicationState(decoding: bytes)
            default:
                let content = RecordVector.contentKind(kind)
                _ = try RecordDelta.apply(kind: content, delta: bytes.span, to: base ?? [])
            }
            return nil
        } catch {
            return error
        }
    }
}

/// Builds rejected vectors from one good encoding.
struct RejectedList {
    var kind: String
    var good: [UInt8]
    var list: [RejectedRecord] = []

    init(kind: String, good: [UInt8]) {
        self.kind = kind
        self.good = good
    }

    /// A copy of the good encoding, changed.
    mutating func add(
        _ name: String, _ rule: WireError.Rule, at offset: Int, _ change: (inout [UInt8]) -> Void
    ) {
        var bytes = good
        change(&bytes)
        list.append(
            RejectedRecord(
                kind: kind, name: name, base: nil, bytes: bytes, rule: rule, offset: offset))
    }
}

extension RejectedRecord {
    static func all() throws -> [RejectedRecord] {
        try medications() + doseEvents() + complications() + deltas()
    }

    /// On the worked example: id at 7, time stamp 23, colour 28, next dose 31, revision 34,
    /// slots 36, name 39, strength 49, instructions 54, end 68.
    private static func medications() throws -> [RejectedRecord] {
        var cases = RejectedList(
            kind: "medication", good: try RecordExamples.usual.encoded())
        cases.add("nothing", .truncated, at: 0) { $0 = [] }
        cases.add("half a header", .truncated, at: 2) { $0 = [UInt8]($0[..<5]) }
        cases.add("half an id", .truncated, at: 7) { $0 = [UInt8]($0[..<20]) }
        cases.add("version 0", .unknownCode, at: 0) { $0[0] = 0 }
        cases.add("version 2", .unknownCode, at: 0) { $0[0] = 2 }
        cases.add("zone rule 3", .unknownCode, at: 0) { $0[0] |= 0x30 }
        cases.add("nine slots", .outOfRange, at: 1) { $0[1] = $0[1] & 0xF0 | 9 }
        cases.add("alpha 255 written out", .notCanonical, at: 31) {
            $0[0] |= 0x80
            $0.insert(0xFF, at: 31)
        }
        cases.add("narrow times in the wide form", .overlong, at: 23) {
            $0[1] |= 0x80
            $0.replaceSubrange(31..<34, with: [0xA0, 0x4C, 0x31, 0x00])
            $0.replaceSubrange(23..<28, with: [0xD5, 0xB8, 0xC6, 0x8A, 0x9C, 0x01, 0x00, 0x00])
        }
        cases.add("a revision of two bytes in three", .overlong, at: 34) {
            $0[1] = $0[1] & ~0x30 | 0x20
            $0.insert(0, at: 36)
        }
        cases.add("every weekday written out", .notCanonical, at: 36) {
            $0[0] |= 0x40
            $0.insert(0x7F, at: 36)
        }
        cases.add("an eighth weekday", .notCanonical, at: 36) {
            $0[0] |= 0x40
            $0.insert(0x81, at: 36)
        }
        cases.add("a slot of 1440 minutes", .outOfRange, at: 36) {
            let packed = 480 | 1440 << 11
            $0.replaceSubrange(36..<39, with: (0..<3).map { UInt8(packed >> ($0 * 8) & 0xFF) })
        }
        cases.add("slots out of order", .notCanonical, at: 36) {
            let packed = 1200 | 480 << 11
            $0.replaceSubrange(36..<39, with: (0..<3).map { UInt8(packed >> ($0 * 8) & 0xFF) })
        }
        cases.add("a slot twice", .notCanonical, at: 36) {
            let packed = 480 | 480 << 11
            $0.replaceSubrange(36..<39, with: (0..<3).map { UInt8(packed >> ($0 * 8) & 0xFF) })
        }
        cases.add("bits behind the last slot", .notCanonical, at: 36) { $0[38] |= 0x80 }
        cases.add("a zone offset of 1081 minutes", .outOfRange, at: 39) {
            $0[0] |= 0x10
            $0.insert(contentsOf: [0x39, 0x04], at: 39)
        }
        cases.add("an amount with a scale of 10", .outOfRange, at: 40) {
            $0[0] |= 0x08
            $0.insert(contentsOf: [1, 0xA0, 5], at: 39)
        }
        cases.add("an amount with spare bits", .outOfRange, at: 40) {
            $0[0] |= 0x08
            $0.insert(contentsOf: [1, 0x04, 5], at: 39)
        }
        cases.add("an amount of one byte in two", .overlong, at: 41) {
            $0[0] |= 0x08
            $0.insert(contentsOf: [1, 0x01, 5, 0], at: 39)
        }
        cases.add("an amount of 1.0", .notCanonical, at: 40) {
            $0[0] |= 0x08
            $0.insert(contentsOf: [1, 0x10, 10], at: 39)
        }
        cases.add("extensions of no bytes", .notCanonical, at: 39) {
            $0[0] |= 0x04
            $0.insert(0, at: 39)
        }
        cases.add("an extension tag without a length", .notCanonical, at: 39) {
            $0[0] |= 0x04
            $0.insert(1, at: 39)
            $0.append(9)
        }
        cases.add("extension tags out of order", .notCanonical, at: 71) {
            $0[0] |= 0x04
            $0.insert(4, at: 39)
            $0 += [9, 0, 8, 0]
        }
        cases.add("an extension tag twice", .notCanonical, at: 71) {
            $0[0] |= 0x04
            $0.insert(4, at: 39)
            $0 += [9, 0, 9, 0]
        }
        cases.add("a second extension tag without a length", .truncated, at: 72) {
            $0[0] |= 0x04
            $0.insert(3, at: 39)
            $0 += [9, 0, 10]
        }
        cases.add("an extension longer than all", .truncated, at: 70) {
            $0[0] |= 0x04
            $0.insert(2, at: 39)
            $0 += [9, 1]
        }
        cases.add("a name that is not UTF-8", .invalidText, at: 41) { $0[41] = 0xFF }
        cases.add("a surrogate in the instructions", .invalidText, at: 54) {
            $0.replaceSubrange(54..<57, with: [0xED, 0xA0, 0x80])
        }
        cases.add("a character across two texts", .invalidText, at: 48) {
            $0[48] = 0xC3
            $0[49] = 0xA9
        }
        cases.add("texts that are too short", .truncated, at: 39) { $0.removeLast() }
        cases.add("a byte too many", .trailingBytes, at: 68) { $0.append(0) }
        cases.add("201 bytes", .outOfRange, at: 200) {
            $0[6] += 133
            $0 += [UInt8](repeating: 0x20, count: 133)
        }
        return cases.list
    }

    /// On the first complication: colour at 7, next dose 10, name 13, amount text 23.
    private static func complications() throws -> [RejectedRecord] {
        var cases = RejectedList(
            kind: "complication", good: try RecordExamples.complications[0].value.encoded())
        cases.add("version 0", .unknownCode, at: 0) { $0[0] &= 0xFC }
        cases.add("a spare bit", .unknownCode, at: 0) { $0[0] |= 0x40 }
        cases.add("wide without a next dose", .unknownCode, at: 0) { $0[0] = $0[0] & ~8 | 0x10 }
        cases.add("alpha 255 written out", .notCanonical, at: 10) {
            $0[0] |= 0x20
            $0.insert(0xFF, at: 10)
        }
        cases.add("a narrow next dose in the wide form", .overlong, at: 10) {
            $0[0] |= 0x10
            $0.insert(0, at: 13)
        }
        cases.add("a character across two texts", .invalidText, at: 22) {
            $0[22] = 0xC3
            $0[23] = 0xA9
        }
        cases.add("texts that are too short", .truncated, at: 23) { $0.removeLast() }
        cases.add("a byte too many", .trailingBytes, at: good(cases).count) { $0.append(0) }
        return cases.list
    }

    private static func good(_ cases: RejectedList) -> [UInt8] { cases.good }

    private static func deltas() throws -> [RejectedRecord] {
        let medication = try RecordExamples.usual.encoded()
        let complication = try RecordExamples.complications[0].value.encoded()
        var list: [RejectedRecord] = []
        func add(
            _ name: String, _ rule: WireError.Rule, at offset: Int, _ delta: [UInt8],
            kind: String = "medicationDelta"
        ) {
            let base = kind == "medicationDelta" ? medication : complication
            list.append(
                RejectedRecord(
                    kind: kind, name: name, base: base, bytes: delta, rule: rule, offset: offset))
        }
        add("nothing", .truncated, at: 0, [])
        add("a spare bit of the mask", .unknownCode, at: 0, [0x80])
        add("a second mask without a bit", .notCanonical, at: 0, [0x40, 0x00])
        add("the next revision written out", .notCanonical, at: 0, [0x01, 0xAD, 0x02])
        add("a revision in an overlong form", .overlong, at: 1, [0x01, 0x81, 0x00])
        add("a revision over 32 bits", .outOfRange, at: 1, [0x01, 0x80, 0x80, 0x80, 0x80, 0x10])
        add("a next dose that does not move", .notCanonical, at: 0, [0x02, 0x00])
        add("a next dose that was there already", .notCanonical, at: 0, [0x06, 0, 0, 0, 0])
        add("a time stamp that stands still", .notCanonical, at: 0, [0x08, 0, 0, 0])
        add("an advance of three bytes in four", .notCanonical, at: 0, [0x10, 1, 0, 0, 0])
        add("half an advance", .truncated, at: 1, [0x08, 1, 0])
        add("no flag flipped", .notCanonical, at: 0, [0x40, 0x01, 0x00])
        add("the overdue flag flipped twice", .notCanonical, at: 0, [0x60, 0x01, 0x02])
        add("the same colour", .notCanonical, at: 0, [0x40, 0x02, 0x33, 0x66, 0xCC, 0xFF])
        add("a schedule of nine slots", .unknownCode, at: 2, [0x40, 0x04, 9])
        add("an amount that may be", .unknownCode, at: 3, [0x40, 0x08, 1, 2])
        add("an edit beyond the text", .outOfRange, at: 2, [0x40, 0x10, 6, 5, 0])
        add("an edit that changes nothing", .notCanonical, at: 0, [0x40, 0x10, 5, 5, 0])
        add(
            "an edit that keeps too little", .notCanonical, at: 0,
            [0x40, 0x10, 0, 9, 2, 0x4D, 0x4D])
        add("an edit to what is not UTF-8", .invalidText, at: 2, [0x40, 0x10, 10, 0, 1, 0xC3])
        add("a byte too many", .trailingBytes, at: 1, [0x00, 0x00])
        let long: [UInt8] = [0x40, 0x40, 14, 0, 0x85, 0x01] + [UInt8](repeating: 0x20, count: 133)
        add("a result of 201 bytes", .outOfRange, at: 0, long)
        add("a spare bit", .unknownCode, at: 0, [0x80], kind: "complicationDelta")
        add(
            "a spare bit of the second mask", .unknownCode, at: 1, [0x40, 0x10],
            kind: "complicationDelta")
        add("a count that stays", .notCanonical, at: 0, [0x04, 0x01], kind: "complicationDelta")
        list.append(
            RejectedRecord(
                kind: "doseEventDelta", name: "a kind without deltas", base: [], bytes: [0],
                rule: .unknownCode, offset: 0))
        return list
    }
}

import WatchProtoCore
import WatchProtoRecords

/// Dose events that must be refused.
extension RejectedRecord {
    /// On the first dose event: ids at 2 and 18, time stamp 34, zone 39, planned dose 40, end 44.
    static func doseEvents() throws -> [RejectedRecord] {
        var cases = RejectedList(
            kind: "doseEvent", good: try RecordExamples.doseEvents[0].value.encoded())
        cases.add("version 3", .unknownCode, at: 0) { $0[0] |= 3 }
        cases.add("half a time stamp", .truncated, at: 34) { $0 = [UInt8]($0[..<37]) }
        cases.add("a narrow time in the wide form", .overlong, at: 34) {
            $0[0] |= 0x40
            $0.replaceSubrange(34..<39, with: [0xD5, 0xB8, 0xC6, 0x8A, 0x9C, 0x01, 0x00, 0x00])
        }
        cases.add("a zone offset of 73 quarters", .outOfRange, at: 39) { $0[39] = 73 }
        cases.add("a zone offset of -1081 minutes", .outOfRange, at: 39) {
            $0[1] |= 0x10
            $0.replaceSubrange(39..<40, with: [0xC7, 0xFB])
        }
        cases.add("a quarter of an hour in minutes", .overlong, at: 39) {
            $0[1] |= 0x10
            $0.replaceSubrange(39..<40, with: [0x3C, 0x00])
        }
        cases.add("half the day of a planned dose", .truncated, at: 40) { $0.removeLast(3) }
        cases.add("a planned dose without a minute", .truncated, at: 42) { $0.removeLast(2) }
        cases.add("half the minute of a planned dose", .truncated, at: 42) { $0.removeLast() }
        cases.add("half an entry", .truncated, at: 44) {
            $0[0] |= 0x20
            $0 += [0xE0]
        }
        cases.add("half a device", .truncated, at: 44) {
            $0[1] |= 0x20
            $0 += [1, 2]
        }
        cases.add("no uptime", .truncated, at: 44) { $0[1] |= 0x40 }
        cases.add("half a boot", .truncated, at: 44) {
            $0[1] |= 0x40
            $0 += [1, 0]
        }
        cases.add("a boot without milliseconds", .truncated, at: 48) {
            $0[1] |= 0x40
            $0 += [1, 0, 0, 0]
        }
        cases.add("half the milliseconds of an uptime", .truncated, at: 48) {
            $0[1] |= 0x40
            $0 += [1, 0, 0, 0, 7, 0, 0, 0]
        }
        cases.add("half an offset", .truncated, at: 44) {
            $0[1] |= 0x80
            $0 += [0x81]
        }
        cases.add("minute 1440", .outOfRange, at: 42) {
            $0.replaceSubrange(42..<44, with: [0xA0, 0x05])
        }
        cases.add("an entry that is the minute", .notCanonical, at: 44) {
            $0[0] |= 0x20
            $0 += [0xE0, 0x03]
        }
        cases.add("an entry of 65536", .outOfRange, at: 44) {
            $0[0] |= 0x20
            $0 += [0x80, 0x80, 0x04]
        }
        cases.add("an entry without a planned dose", .unknownCode, at: 0) {
            $0[0] = $0[0] & ~0x10 | 0x20
            $0.removeLast(4)
        }
        cases.add("a record without a status", .unknownCode, at: 1) { $0[1] |= 0x0C }
        cases.add("a withdrawal that says taken", .unknownCode, at: 1) { $0[1] |= 2 }
        cases.add("a correction to snoozed", .unknownCode, at: 1) { $0[1] |= 1 | 8 }
        cases.add("a snooze without an end", .unknownCode, at: 1) { $0[1] |= 8 }
        cases.add("skipped at a time", .unknownCode, at: 1) {
            $0[0] |= 0x80
            $0[1] |= 4
        }
        cases.add("an amount that was skipped", .unknownCode, at: 1) {
            $0[0] |= 0x08
            $0[1] |= 4
        }
        cases.add("a correction of nothing", .outOfRange, at: 44) {
            $0[1] |= 1
            $0 += [0]
        }
        cases.add("a resolution of nine", .outOfRange, at: 44) {
            $0[1] |= 3
            $0 += [9] + [UInt8](repeating: 1, count: 144)
        }
        cases.add("a correction without a number of events", .truncated, at: 44) { $0[1] |= 1 }
        cases.add("half a replaced event", .truncated, at: 45) {
            $0[1] |= 1
            $0 += [1] + [UInt8](repeating: 1, count: 15)
        }
        cases.add("half a second replaced event", .truncated, at: 61) {
            $0[1] |= 1
            $0 += [2] + [UInt8](repeating: 1, count: 31)
        }
        cases.add("a replaced event twice", .notCanonical, at: 61) {
            $0[1] |= 1
            $0 += [2] + [UInt8](repeating: 1, count: 32)
        }
        cases.add("an event that replaces itself", .outOfRange, at: 45) {
            $0[1] |= 1
            $0 += [1] + $0[2..<18]
        }
        cases.add("an offset over 32 bits", .outOfRange, at: 44) {
            $0[1] |= 0x80
            $0 += [0x80, 0x80, 0x80, 0x80, 0x10]
        }
        cases.add("an offset in an overlong form", .overlong, at: 44) {
            $0[1] |= 0x80
            $0 += [0x81, 0x00]
        }
        cases.add("an amount without its width", .truncated, at: 45) {
            $0[0] |= 0x08
            $0 += [1]
        }
        cases.add("half a mantissa", .truncated, at: 46) {
            $0[0] |= 0x08
            $0 += [1, 1, 5]
        }
        cases.add("an amount of 0.0", .notCanonical, at: 45) {
            $0[0] |= 0x08
            $0 += [1, 0x10, 0]
        }
        cases.add("an extension cut short", .truncated, at: 45) {
            $0[0] |= 0x04
            $0 += [3, 1, 1]
        }
        cases.add("a byte too many", .trailingBytes, at: 44) { $0.append(0) }
        return cases.list
    }
}

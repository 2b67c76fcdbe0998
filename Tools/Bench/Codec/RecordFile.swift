import ControlProtocol
import WatchProtoCore
package import WatchProtoRecords

/// One record of a measurement: the value, and the size of its JSON text.
package struct CodecSample: Hashable, Sendable {
    /// The value to encode.
    package var medication: LightweightMedication
    /// Bytes of the same record as JSON text without white space.
    package var jsonBytes: Int
    /// Bytes of the full record on the phone, where it is known.
    package var fullBytes: Int?

    /// Makes a sample of these parts.
    package init(medication: LightweightMedication, jsonBytes: Int, fullBytes: Int? = nil) {
        self.medication = medication
        self.jsonBytes = jsonBytes
        self.fullBytes = fullBytes
    }
}

/// Reads a JSON list of records as they are listed for measurements: `id`, `name`, `dosage` (one
/// line), `nextDoseTime` (milliseconds since 1970, 0 for none, rounded down to the minute),
/// `color` (RGBA), `isActive`, `isOverdue`, `asNeeded`, `instructions`, `minutes` (of the day),
/// `weekdayMask`, `revision`, `updatedAt` (milliseconds since 1970).
package enum RecordFile {
    /// Why a list could not be read: the place and what is wrong there, one line each.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The places and faults; the list's author is at fault.
        package var description: String
    }

    /// The records of the JSON text `bytes`. Throws every fault of the text with its place; the
    /// list's author is at fault.
    package static func samples(_ bytes: [UInt8]) throws(Problem) -> [CodecSample] {
        let list: JSONNode
        do {
            list = try JSONParser.parse(bytes)
        } catch {
            throw Problem(description: "\(error)")
        }
        guard let nodes = list.array else {
            throw Problem(description: "\(list.position): expected a list of records")
        }
        var samples: [CodecSample] = []
        var problems: [String] = []
        for node in nodes {
            if let sample = sample(node) {
                samples.append(sample)
            } else {
                problems.append("\(node.position): a field of the record is absent or malformed")
            }
        }
        guard problems.isEmpty else {
            throw Problem(description: problems.joined(separator: "\n"))
        }
        return samples
    }

    private static func sample(_ node: JSONNode) -> CodecSample? {
        guard let texts = texts(node), let numbers = numbers(node),
            let slots = slots(node), let flags = flags(node)
        else { return nil }
        let schedule = DoseSchedule(slots: slots, weekdays: numbers.weekdays)
        let medication = LightweightMedication(
            id: texts.id, name: texts.name, dosage: Dosage(text: texts.dosage),
            schedule: schedule, nextDose: numbers.nextDose, color: numbers.color,
            flags: flags, instructions: texts.instructions, revision: numbers.revision,
            updatedAt: numbers.updatedAt)
        return CodecSample(
            medication: medication, jsonBytes: JSONWriter.bytes(node.value).count)
    }

    private struct Texts {
        var id: MedicationID
        var name: String
        var dosage: String
        var instructions: String
    }

    private static func texts(_ node: JSONNode) -> Texts? {
        guard let id = node["id"]?.string.flatMap(identity), let name = node["name"]?.string,
            let dosage = node["dosage"]?.string, let instructions = node["instructions"]?.string
        else { return nil }
        return Texts(
            id: MedicationID(rawValue: id), name: name, dosage: dosage, instructions: instructions)
    }

    private struct Numbers {
        var nextDose: WallMinute?
        var color: UInt32
        var weekdays: Weekdays
        var revision: UInt32
        var updatedAt: WallTime
    }

    private static func numbers(_ node: JSONNode) -> Numbers? {
        guard let next = node["nextDoseTime"]?.integer,
            let color = node["color"]?.integer.flatMap(UInt32.init(exactly:)),
            let weekdays = node["weekdayMask"]?.integer.flatMap(UInt8.init(exactly:)),
            let revision = node["revision"]?.integer.flatMap(UInt32.init(exactly:)),
            let updatedAt = node["updatedAt"]?.integer
        else { return nil }
        return Numbers(
            nextDose: next == 0 ? nil : WallMinute(WallTime(milliseconds: next)), color: color,
            weekdays: Weekdays(rawValue: weekdays), revision: revision,
            updatedAt: WallTime(milliseconds: updatedAt))
    }

    private static func slots(_ node: JSONNode) -> DoseSlots? {
        guard case .array(let nodes)? = node["minutes"]?.content else { return nil }
        var minutes: [Int] = []
        for node in nodes {
            guard case .integer(let minute) = node.content else { return nil }
            minutes.append(Int(clamping: minute))
        }
        return DoseSlots(minutes: minutes)
    }

    private static func flags(_ node: JSONNode) -> MedicationFlags? {
        guard let isActive = node["isActive"]?.bool, let isOverdue = node["isOverdue"]?.bool,
            let asNeeded = node["asNeeded"]?.bool
        else { return nil }
        var flags: MedicationFlags = []
        if isActive { flags.insert(.isActive) }
        if isOverdue { flags.insert(.isOverdue) }
        if asNeeded { flags.insert(.asNeeded) }
        return flags
    }

    /// The number a UUID's text stands for.
    static func identity(_ text: String) -> UInt128? {
        UInt128(text.split(separator: "-").joined(), radix: 16)
    }

    /// The JSON text of `medication`, with the keys that ``samples(_:)`` reads.
    static func json(_ medication: LightweightMedication) -> [UInt8] {
        let schedule = medication.schedule
        return JSONWriter.bytes([
            "id": .string(uuid(medication.id.rawValue)), "name": .string(medication.name),
            "dosage": .string(medication.dosage.text),
            "nextDoseTime": .integer(medication.nextDose?.wallTime.milliseconds ?? 0),
            "color": .integer(Int64(medication.color)),
            "isActive": .bool(medication.flags.contains(.isActive)),
            "isOverdue": .bool(medication.flags.contains(.isOverdue)),
            "asNeeded": .bool(medication.flags.contains(.asNeeded)),
            "instructions": .string(medication.instructions),
            "minutes": .array(schedule.slots.minutes.map { .integer(Int64($0)) }),
            "weekdayMask": .integer(Int64(schedule.weekdays.rawValue)),
            "revision": .integer(Int64(medication.revision)),
            "updatedAt": .integer(medication.updatedAt.milliseconds),
        ])
    }

    /// The text of the UUID that `value` stands for.
    static func uuid(_ value: UInt128) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        let padded = Array(String(repeating: "0", count: 32 - digits.count) + digits)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(padded[$0]) }
        return parts.joined(separator: "-")
    }
}

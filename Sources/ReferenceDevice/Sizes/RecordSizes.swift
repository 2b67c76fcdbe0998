package import ControlProtocol
package import WatchProto

/// How large a list's records are: as the watch gets them, as the watch's record would be in JSON,
/// and as the phone's full record is in JSON. All in bytes, JSON without white space.
package struct RecordSizes: Hashable, Sendable {
    /// The spread of a set of sizes, in bytes.
    package struct Spread: Hashable, Sendable {
        /// How many records were measured.
        package var count: Int
        /// Mean size in bytes.
        package var mean: Double
        /// Median size in bytes.
        package var p50: Int
        /// The size in bytes that 99 of 100 records do not exceed.
        package var p99: Int
        /// The largest size in bytes.
        package var max: Int

        /// Measures `sizes`; all zero when there are none. Percentiles are of the nearest rank.
        package init(_ sizes: [Int]) {
            let sorted = sizes.sorted()
            func rank(_ hundredths: Int) -> Int {
                sorted.isEmpty
                    ? 0 : sorted[Swift.max(0, (sorted.count * hundredths + 99) / 100 - 1)]
            }
            count = sorted.count
            mean = sorted.isEmpty ? 0 : Double(sorted.reduce(0, +)) / Double(sorted.count)
            p50 = rank(50)
            p99 = rank(99)
            max = sorted.last ?? 0
        }

        /// The spread with `_bytes` in its members' names.
        package var json: JSONValue {
            [
                "count": .whole(count), "mean_bytes": .number(Double(Int(mean * 10 + 0.5)) / 10),
                "p50_bytes": .whole(p50), "p99_bytes": .whole(p99), "max_bytes": .whole(max),
            ]
        }
    }

    /// The watch's record in its canonical encoding.
    package var watchRecord: Spread
    /// The watch's record in JSON, members named as in Swift.
    package var watchRecordJSON: Spread
    /// The phone's full record in JSON.
    package var fullRecordJSON: Spread
    /// Records whose instructions were shortened for the watch.
    package var instructionsShortened: Int
    /// Records whose name was shortened for the watch.
    package var namesShortened: Int
    /// Records a watch cannot hold; they are counted in no spread.
    package var refused: Int

    /// Measures `medications` as they stand at `clock`.
    package init(_ medications: [Medication], at clock: WallClock) {
        var records: [LightweightMedication] = []
        var full: [Int] = []
        for medication in medications {
            let nextDose = medication.nextDose(after: clock)
            guard
                let record = try? MedicationProjection.project(medication, nextDose: nextDose)
            else { continue }
            records.append(record)
            full.append(JSONWriter.bytes(medication.json).count)
        }
        watchRecord = Spread(records.map(\.encodedSize))
        watchRecordJSON = Spread(records.map { JSONWriter.bytes($0.json).count })
        fullRecordJSON = Spread(full)
        instructionsShortened = records.count { $0.flags.contains(.instructionsShortened) }
        namesShortened = records.count { $0.flags.contains(.nameShortened) }
        refused = medications.count - records.count
    }

    /// The report with `_bytes` in its members' names.
    package var json: JSONValue {
        [
            "watch_record": watchRecord.json, "watch_record_json": watchRecordJSON.json,
            "full_record_json": fullRecordJSON.json,
            "instructions_shortened": .whole(instructionsShortened),
            "names_shortened": .whole(namesShortened), "refused": .whole(refused),
        ]
    }
}

extension LightweightMedication {
    /// The watch's record in JSON, to compare the sizes.
    package var json: JSONValue {
        var object = JSONObject()
        object["id"] = .string(id.uuidText)
        object["name"] = .string(name)
        object["dosage"] = .string(dosage.text)
        if let amount = dosage.amount { object["amount"] = .string(amount.description) }
        object["nextDoseTime"] = nextDose.map { .whole($0.wallTime.milliseconds) }
        object["color"] = .whole(color)
        object["isActive"] = .bool(flags.contains(.isActive))
        object["isOverdue"] = .bool(flags.contains(.isOverdue))
        object["asNeeded"] = .bool(flags.contains(.asNeeded))
        object["instructions"] = .string(instructions)
        object["minutes"] = .array(schedule.slots.minutes.map(JSONValue.whole))
        object["weekdayMask"] = .whole(schedule.weekdays.rawValue)
        object["revision"] = .whole(revision)
        object["updatedAt"] = .whole(updatedAt.milliseconds)
        return .object(object)
    }
}

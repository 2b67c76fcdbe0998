import CommandLine
import ControlProtocol
import ReferenceDevice
import WatchProtoCore

/// The medication list of a demo, read before anything is started, so that a bad file costs no time
/// and all its faults are shown at once.
struct DemoList: Sendable {
    /// As many as the target for a whole list speaks of.
    static let firstCount = 50

    let medications: [Medication]
    /// One line about the import: counts, and why something was skipped.
    let summary: String
    /// The size of the records, in bytes.
    let sizes: RecordSizes

    /// Reads the file at `path`, which messages call `name`.
    ///
    /// - Throws: exit code 66 when the file cannot be read, 65 when it is malformed, or holds no
    ///   medication or more than can be synced.
    init(path: String, name: String) throws(RigFailure) {
        let bytes = try Self.bytes(of: path, "the list to import")
        let imported: ImportSummary
        // The moment only dates records that do not say when they were made; fixed, so that every
        // run sees the same list.
        let now = WallTime(milliseconds: 1_700_000_000_000)
        do throws(ImportRefusal) {
            imported = try MedicationImporter.read(bytes, file: name, now: now)
        } catch {
            throw RigFailure(.badInput, text: error.description(source: bytes))
        }
        guard !imported.medications.isEmpty else {
            throw RigFailure(
                .badInput, "There is no medication to import in '\(name)'.",
                details: imported.details.split(separator: "\n").map(String.init) + [
                    "Try: a file with MedicationRequest or MedicationStatement, or the plain list."
                ])
        }
        // The records that a channel queues, and the keys that the watch remembers.
        let limit = min(Limits().queuedRecords, Limits().keys)
        guard imported.medications.count <= limit else {
            throw RigFailure(
                .badInput,
                "'\(name)' holds \(imported.medications.count) medications; at most \(limit) can "
                    + "be synced.", details: ["Try: a shorter list."])
        }
        medications = Array(imported.medications)
        summary = "\(imported)"
        sizes = RecordSizes(medications, at: WallClock(time: now))
    }

    /// The bytes of the file at `path`, which messages call `what`.
    ///
    /// - Throws: exit code 66 when it cannot be read.
    static func bytes(of path: String, _ what: String) throws(RigFailure) -> [UInt8] {
        do throws(SystemError) {
            return try Files.read(path).withoutByteOrderMark
        } catch {
            throw RigFailure(
                .missingInput, "Cannot read \(what): \(error).",
                details: [error.advice(isWriting: false, otherwise: "name another file.")])
        }
    }

    /// A note on the mean size of a record, beside its sizes in other encodings.
    var sizesNote: String {
        func mean(_ spread: RecordSizes.Spread) -> String {
            Decimals.fixed(spread.mean, decimals: 0)
        }
        return "a record's mean size: \(mean(sizes.watchRecord)) B encoded, "
            + "\(mean(sizes.watchRecordJSON)) B as JSON, "
            + "\(mean(sizes.fullRecordJSON)) B for the phone's full record"
    }

    /// The plain list of the first `count` medications, as the phone imports it.
    func text(first count: Int) -> [UInt8] {
        let list: JSONValue = [
            "format": "watchproto.medications/1",
            "medications": .array(medications.prefix(count).map(\.json)),
        ]
        return JSONWriter.bytes(list)
    }
}

import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

extension PhoneApplication {
    /// If a file does not state when a medication was first known, that is the moment of the
    /// import: an hour of today that has passed is not due (S-12).
    func importFile(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        let path = try request.string("path", expected: "the path of a file")
        let isPartial = try request.flag("partial", default: false)
        let text = try InputFile.text(path: path)
        let summary: ImportSummary
        do throws(ImportRefusal) {
            summary = try MedicationImporter.read(
                text, file: path, now: SystemClock.wall.time)
        } catch {
            throw .badInput(error, path)
        }
        let refused = summary.refused
        guard isPartial || refused.isEmpty else { throw .badInput(refused, of: summary) }
        try keepImport(summary, in: simulator)
        var object = JSONObject()
        object["imported"] = .whole(summary.medications.count)
        object["skipped"] = .whole(summary.skipCount)
        object["reasons"] = summary.reasons
        object["warnings"] = .whole(summary.warningCount)
        object["notes"] = summary.notes
        object["refused"] = .whole(refused.count)
        object["errors"] = .array(refused.prefix(100).map { .string($0) })
        return object
    }

    /// Edits `count` medications from `index` on, each once, and sends them.
    func changeMedications(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        let index = Int(try request.integer("index", in: 0...Int64(Int32.max)))
        // The reply of more would be longer than a line may be.
        let count = Int(try request.optionalInteger("count", in: 1...5000) ?? 1)
        let isPartial = try request.flag("partial", default: false)
        guard library.withLock({ $0.count > 0 }) else { throw .emptyList }
        let changed = try change(index..<(index + count), isPartial: isPartial, in: simulator)
        try simulator.keep()
        let records = changed.map { made, id -> JSONValue in
            var record = id.controlMembers
            record["key"] = .string(made.key.hex)
            record["revision"] = .whole(made.revision)
            return .object(record)
        }
        var object = JSONObject()
        object["changed"] = .whole(records.count)
        object["records"] = .array(records)
        return object
    }

    /// Takes the medication at `index` off the list and off the watch.
    func removeMedication(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        let index = Int(try request.integer("index", in: 0...Int64(Int32.max)))
        guard library.withLock({ $0.count > 0 }) else { throw .emptyList }
        let (key, id) = try remove(index, in: simulator)
        pictures.medicationIsGone(key.rawValue)
        try simulator.keep()
        var object = id.controlMembers
        object["key"] = .string(key.hex)
        object["left"] = .whole(library.withLock { $0.count })
        return object
    }

    /// The watch's records of all medications, and the names of the first `named` of them.
    func projections(
        named: Int = 0
    ) throws(ControlError) -> (records: [PhoneLibrary.Projected], names: [String]) {
        let clock = SystemClock.wall
        do throws(PhoneLibrary.Failure) {
            return try library.withLock { library throws(PhoneLibrary.Failure) in
                try library.projections(clock, named: named)
            }
        } catch {
            throw .unfit(error)
        }
    }

    /// How many there are, the fingerprint that the watch's store should have, and each in short.
    func list(in simulator: Simulator) throws(ControlError) -> JSONObject {
        // Beyond this, or with whole names, a reply would come near the limit of a line.
        let (all, names) = try projections(named: 2000)
        let digest = PhoneLibrary.digest(of: all).rawValue
        var object = JSONObject()
        object["count"] = .whole(all.count)
        object["digest"] = .string(Hex.text(UInt128(digest), digits: 16))
        object["doses"] = .whole((try? simulator.ledger.store.digest().count) ?? 0)
        object["medications"] = .array(
            zip(all, names).enumerated().map { index, one in
                [
                    "index": .whole(index), "key": .string(one.0.key.hex),
                    "revision": .whole(one.0.revision), "bytes": .whole(one.0.payload.count),
                    "name": .string(Excerpt.of(one.1, limit: 80)),
                ]
            })
        return object
    }
}

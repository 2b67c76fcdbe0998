internal import CommandLine
package import ControlProtocol
internal import WatchProto
internal import WatchProtoTransport

/// The ledger of doses as FHIR, in a file or in a reply.
extension Simulator {
    /// Writes the events of the ledger, or those of one medication.
    func exportDoses(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let path = try request.optionalString("path", expected: "the path of a new file")
        let medication = try medicationID(request)
        if let path, Files.exists(path) {
            throw ControlError(
                "file_exists", ["path": .string(path), "expected": "the path of a new file"])
        }
        let (events, names) = try ledgerEvents(of: medication)
        let exporter = DoseExporter(events, names: names)
        var object = JSONObject()
        object["exported"] = .whole(events.count)
        if let path {
            object["path"] = .string(path)
            object["bytes"] = .whole(try write(exporter, to: path))
        } else {
            object["bundle"] = try bundle(exporter)
        }
        return object
    }

    /// Writes a file that only this user may read. Returns the number of its bytes.
    private func write(_ exporter: DoseExporter, to path: String) throws(ControlError) -> Int {
        var count = 0
        do throws(SystemError) {
            let format = DoseExporter.Format(file: path)
            try Files.write(to: path, mode: 0o600) { write throws(SystemError) in
                try exporter.write(format) { piece throws(SystemError) in
                    count += piece.count
                    try write(piece)
                }
            }
        } catch {
            throw ControlError(
                "file_not_written",
                [
                    "path": .string(path), "call": .string(error.call),
                    "system": .string(SystemErrorText.of(error.number)),
                ])
        }
        return count
    }

    /// The Bundle for a reply, whose line must not be longer than any line.
    private func bundle(_ exporter: DoseExporter) throws(ControlError) -> JSONValue {
        let bytes = exporter.bytes()
        let limit = JSONLimits.line.bytes - 4096
        guard bytes.count <= limit, let value = try? JSONParser.parse(bytes).value else {
            throw ControlError(
                "too_large",
                [
                    "bytes": .whole(bytes.count), "limit_bytes": .whole(limit),
                    "expected": "a 'path' for the file, or the 'key' of one medication",
                ])
        }
        return value
    }

    private func ledgerEvents(
        of medication: MedicationID?
    ) throws(ControlError) -> ([DoseEvent], [MedicationID: String]) {
        try keep()
        do {
            let store = try application.queries(in: self)
            var events: [DoseEvent] = []
            var place: Int64?
            while true {
                let rows = try store.doses(of: medication, before: place, limit: 1000)
                for row in rows { events.append(try DoseEvent(decoding: row.body)) }
                guard rows.count == 1000, let last = rows.last else { break }
                place = last.place
            }
            var names: [MedicationID: String] = [:]
            for id in Set(events.map(\.medication)) {
                let row = try store.fetch(id)
                names[id] = row.flatMap { application.describe($0.body)?["name"]?.string }
            }
            return (events, names)
        } catch {
            throw ControlError("store_failed", ["detail": .string("\(error)")])
        }
    }

    /// Reads a file, and records its events: all of them or none, or with `partial` those without
    /// a fault.
    func importDoses(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let path = try request.string("path", expected: "the path of a file")
        let isPartial = try request.flag("partial", default: false)
        let file = try InputFile(path: path)
        var summary: ImportSummary
        do throws(ImportRefusal) {
            summary = try DoseImporter.read(
                file.bytes.withoutByteOrderMark, file: path, isPartial: isPartial)
        } catch {
            throw .badInput(error, path)
        }
        let (known, clashes) = try compare(summary.doses)
        if let first = clashes.first {
            guard isPartial else { throw .clash(first, clashes.count) }
            let refused = Set(clashes)
            summary.doses.removeAll { refused.contains($0.id) }
        }
        try record(summary.doses)
        return summary.reply(known: known, clashes: clashes)
    }

    /// The number of events that the ledger has already, and those of which it has another form.
    private func compare(
        _ events: [DoseEvent]
    ) throws(ControlError) -> (known: Int, clashes: [DoseEventID]) {
        var known = 0
        var clashes: [DoseEventID] = []
        do {
            for event in events {
                guard let bytes = try ledger.store.event(event.id.rawValue) else { continue }
                if try bytes == event.encoded() { known += 1 } else { clashes.append(event.id) }
            }
        } catch {
            throw ControlError("store_failed", ["detail": .string("\(error)")])
        }
        return (known, clashes)
    }
}

extension ControlError {
    /// The file has faults: the first of them, a line each, and their number.
    package static func badInput(_ refusal: ImportRefusal, _ path: String) -> ControlError {
        let lines = refusal.description.split(separator: "\n")
        return ControlError(
            "bad_input",
            ["path": .string(path), "errors": .array(lines.map { .string(String($0)) })])
    }
}

extension ControlError {
    /// The ledger has other events of the identities of a file.
    fileprivate static func clash(_ first: DoseEventID, _ count: Int) -> ControlError {
        let others = count > 1 ? ", and of \(count - 1) more of the file" : ""
        return ControlError(
            "refused",
            [
                "detail": .string(
                    "the ledger has another event of this identity\(others); nothing was imported; "
                        + "'partial' imports the rest"),
                "dose": .string(first.recordKey.hex),
            ])
    }
}

extension ImportSummary {
    /// The reply to an import of doses. Its lists have at most 100 lines each.
    fileprivate func reply(known: Int, clashes: [DoseEventID]) -> JSONObject {
        var reasons = JSONObject()
        for count in skipCounts { reasons[count.name] = .whole(count.count) }
        let errors =
            faults.map { $0.description(file: file) }
            + clashes.map { "\($0.uuidText): the ledger has another event of this identity" }
        var object = JSONObject()
        object["recorded"] = .whole(doses.count - known)
        object["known"] = .whole(known)
        object["skipped"] = .whole(skips.count)
        object["reasons"] = .object(reasons)
        object["others"] = .whole(otherResources.reduce(0) { $0 + $1.count })
        object["warnings"] = .whole(warnings.count)
        object["notes"] = .array(
            details.split(separator: "\n").dropFirst().map { .string(String($0)) })
        object["refused"] = .whole(errors.count)
        object["errors"] = .array(errors.prefix(Self.shownCount).map { .string($0) })
        return object
    }
}

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
        try keep(orElse: "nothing")
        let reading: LedgerReading
        do {
            let store = try application.queries(in: self)
            reading = try LedgerReading(ledger.store, of: medication) { [application] id in
                try store.fetch(id).flatMap { application.describe($0.body)?["name"]?.string }
            }
        } catch {
            throw ControlError("store_failed", ["detail": .string("\(error)")])
        }
        var object = JSONObject()
        object["exported"] = .whole(reading.count)
        if let path {
            object["path"] = .string(path)
            object["bytes"] = .whole(try write(reading, to: path))
        } else {
            object["bundle"] = try bundle(reading)
        }
        return object
    }

    /// Writes a file that only this user may read. Returns the number of its bytes.
    private func write(_ reading: LedgerReading, to path: String) throws(ControlError) -> Int {
        var count = 0
        do throws(SystemError) {
            let format = DoseExporter.Format(file: path)
            try Files.write(to: path, mode: 0o600) { write throws(SystemError) in
                try reading.write(format) { piece throws(SystemError) in
                    count += piece.count
                    try write(piece)
                }
            }
        } catch {
            try reading.check()
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
    private func bundle(_ reading: LedgerReading) throws(ControlError) -> JSONValue {
        let limit = JSONLimits.line.bytes - 4096
        var bytes: [UInt8] = []
        var count = 0
        do throws(SystemError) {
            try reading.write(.bundle) { piece throws(SystemError) in
                count += piece.count
                if count <= limit { bytes += piece }
            }
        } catch {
            try reading.check()
        }
        guard count <= limit, let value = try? JSONParser.parse(bytes).value else {
            throw ControlError(
                "too_large",
                [
                    "bytes": .whole(count), "limit_bytes": .whole(limit),
                    "expected": "a 'path' for the file, or the 'key' of one medication",
                ])
        }
        return value
    }

    /// Reads a file, and records its events: all of them or none, or with `partial` those without
    /// a fault.
    func importDoses(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let path = try request.string("path", expected: "the path of a file")
        let isPartial = try request.flag("partial", default: false)
        let file = try InputPieces(path: path)
        let found: DoseImporter.Result
        do throws(ImportRefusal) {
            found = try DoseImporter.read(file.text, file: path, isPartial: isPartial)
        } catch {
            try file.check()
            throw .badInput(error, path)
        }
        try file.check()
        let imported: DeviceLedger.Imported = try awaitLedger { answer in
            ledger.add(found.events, isPartial: isPartial, answer: answer)
        }
        if let first = imported.clashes.first, !isPartial {
            throw .clash(first, imported.clashCount)
        }
        return found.summary.reply(imported)
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

    /// Medications of the file cannot be taken: the first of them, a line each, and their number.
    package static func badInput(_ refused: [String], of summary: ImportSummary) -> ControlError {
        let count = summary.medications.count + refused.count
        let last =
            "\(refused.count) of \(count) medications cannot be taken; nothing was imported; "
            + "'partial' imports the rest"
        let lines = refused.prefix(ImportSummary.shownCount) + [last]
        return ControlError(
            "bad_input",
            ["path": .string(summary.file), "errors": .array(lines.map { .string($0) })])
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
    fileprivate func reply(_ imported: DeviceLedger.Imported) -> JSONObject {
        let errors =
            faults.map { $0.description(file: file) }
            + imported.clashes.map {
                "\($0.uuidText): the ledger has another event of this identity"
            }
        var object = JSONObject()
        object["recorded"] = .whole(imported.recorded)
        object["known"] = .whole(imported.known)
        object["skipped"] = .whole(skipCount)
        object["reasons"] = reasons
        object["others"] = .whole(otherResources.reduce(0) { $0 + $1.count })
        object["warnings"] = .whole(warningCount)
        object["notes"] = notes
        object["refused"] = .whole(faults.count + omittedFaults + imported.clashCount)
        object["errors"] = .array(errors.prefix(Self.shownCount).map { .string($0) })
        return object
    }
}

extension ImportSummary {
    /// How many were skipped for each reason.
    package var reasons: JSONValue {
        var reasons = JSONObject()
        for count in skipCounts { reasons[count.name] = .whole(count.count) }
        return .object(reasons)
    }

    /// The first 100 skips and the first 100 warnings, a line each.
    package var notes: JSONValue {
        .array(details.split(separator: "\n").dropFirst().map { .string(String($0)) })
    }
}

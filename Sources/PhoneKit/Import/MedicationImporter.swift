import ControlKit
public import WatchProto

/// Reads files of medications: FHIR R4 (a Bundle, one resource, or a resource per line) and the
/// project's own list. What the file is follows from its content; only `.ndjson` and `.jsonl` names
/// mean lines.
///
/// A file that is malformed anywhere is refused as a whole with all its faults. What is well formed
/// but of no use is skipped, counted and explained.
public enum MedicationImporter {
    /// Reads `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The whole content of the file.
    ///   - file: The file as its user named it, for messages.
    ///   - now: The moment for records that do not say when they were made.
    /// - Throws: every fault of the file; whoever wrote it is at fault.
    public static func read(
        _ bytes: [UInt8], file: String, now: WallTime
    ) throws(ImportRefusal) -> ImportSummary {
        do {
            return try readUnnamed(bytes, file: file, now: now)
        } catch {
            throw ImportRefusal(file: file, errors: error.errors)
        }
    }

    private static func readUnnamed(
        _ bytes: [UInt8], file: String, now: WallTime
    ) throws(JSONErrors) -> ImportSummary {
        if file.hasSuffix(".ndjson") || file.hasSuffix(".jsonl") {
            let nodes = try JSONLines.parse(bytes)
            return try readFHIR(nodes, format: .fhirLines, file: file, now: now)
        }
        let root = try JSONParser.parse(bytes)
        if let list = root.array {
            return try readFHIR(list, format: .fhirResource, file: file, now: now)
        }
        if let type = root["resourceType"] {
            let isBundle = type.string == "Bundle"
            return try readFHIR(
                [root], format: isBundle ? .fhirBundle : .fhirResource, file: file, now: now)
        }
        var reader = NodeReader()
        guard root["format"] != nil || root["medications"] != nil else {
            reader.fault(
                root,
                expected: "a FHIR resource (with 'resourceType') or a list of medications "
                    + "(with 'format': '\(PlainList.format)')", found: root.kindName)
            throw JSONErrors(reader.errors)
        }
        var collector = ImportCollector(file: file, format: .plainList)
        for (medication, position) in PlainList.read(root, now: now, reader: &reader) {
            collector.add(medication, at: position)
        }
        guard reader.errors.isEmpty else { throw JSONErrors(reader.errors) }
        return collector.summary
    }

    private static func readFHIR(
        _ nodes: [JSONNode], format: ImportSummary.Format, file: String, now: WallTime
    ) throws(JSONErrors) -> ImportSummary {
        var importer = FHIRImporter(file: file, format: format, now: now)
        for node in nodes { importer.collect(node) }
        importer.importOrders()
        guard importer.reader.errors.isEmpty else { throw JSONErrors(importer.reader.errors) }
        return importer.collector.summary
    }
}

/// Gathers what an import brings, and leaves out what comes twice or does not fit a watch.
struct ImportCollector {
    var summary: ImportSummary
    private var seen: Set<MedicationID> = []

    init(file: String, format: ImportSummary.Format) {
        summary = ImportSummary(file: file, format: format)
    }

    mutating func add(_ medication: Medication, at position: JSONPosition) {
        guard seen.insert(medication.id).inserted else {
            skip(.duplicate, medication.name, at: position, detail: medication.id.uuidText)
            return
        }
        do throws(ProjectionRefusal) {
            // A next dose and many edits may come later: what they take is in the size that must
            // fit.
            var grown = medication
            grown.revision = .max
            _ = try MedicationProjection.project(grown, nextDose: WallMinute(minutes: 0))
            summary.medications.append(medication)
        } catch {
            skip(.doesNotFit, medication.name, at: position, detail: error.description)
        }
    }

    mutating func skip(
        _ reason: ImportSummary.Reason, _ subject: String, at position: JSONPosition,
        detail: String = ""
    ) {
        summary.skips.append(
            ImportSummary.Skip(
                reason: reason, position: position, subject: subject, detail: detail))
    }

    mutating func warn(_ text: String, _ subject: String, at position: JSONPosition) {
        summary.warnings.append(
            ImportSummary.Warning(position: position, subject: subject, text: text))
    }
}

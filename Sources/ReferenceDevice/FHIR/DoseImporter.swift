package import ControlProtocol
package import WatchProto

/// Reads doses from FHIR R4: the resources `MedicationAdministration` of a Bundle, of an array, of
/// one resource, or of a resource per line (names that end in `.ndjson` or `.jsonl`).
///
/// It records nothing: the events that it returns go to the ledger. A resource of ``DoseExporter``
/// gives the very event of which it was made. Another one gives an event with an identity that is
/// derived from the resource's identifier, so that a second import counts nothing twice.
package enum DoseImporter {
    /// The result of reading a file.
    package struct Result: Sendable {
        /// The findings. Its doses are left out.
        package var summary: ImportSummary
        /// The events, in the file's order.
        package var events: EncodedEvents
    }

    /// Reads `bytes`, as the other form does.
    package static func read(
        _ bytes: [UInt8], file: String, isPartial: Bool = false
    ) throws(ImportRefusal) -> ImportSummary {
        let found = try read(ChunkedText(bytes), file: file, isPartial: isPartial)
        var summary = found.summary
        summary.doses = found.events.compactMap { try? DoseEvent(decoding: $0) }
        return summary
    }

    /// Reads a text. One resource at a time is in memory, and of each dose its encoding.
    ///
    /// - Parameters:
    ///   - text: The whole content of the file, in one piece or with pieces that are read.
    ///   - file: The file as its user named it, for messages.
    ///   - isPartial: Whether resources with faults are left out and listed. Otherwise, and where
    ///     the text itself has faults, the file is refused as a whole.
    /// - Throws: the faults of the file; its author is at fault.
    package static func read(
        _ text: ChunkedText, file: String, isPartial: Bool
    ) throws(ImportRefusal) -> Result {
        let isLines = DoseExporter.Format(file: file) == .lines
        var importer = FHIRDoses(text, file: file, format: isLines ? .fhirLines : .fhirResource)
        var damage: [JSONError] = []
        if isLines {
            JSONLines.forEachLine(of: text) { line in
                importer.reader.add(line.errors)
                damage += line.errors
                for node in line.nodes { importer.collect(node) }
            }
        } else {
            func add(_ errors: [JSONError]) {
                importer.reader.add(Array(errors.dropFirst(damage.count)))
                damage = errors
            }
            // Each entry of a Bundle, or element of an array, is read by itself.
            let isArray = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x5B
            let findings = JSONParser.examine(text, elementsOf: "entry", orOfRoot: true) {
                element, errors in
                add(errors)
                if isArray { importer.collect(element) } else { importer.collectEntry(element) }
            }
            add(findings.errors)
            let root = findings.nodes.first
            if root?["resourceType"]?.string == "Bundle" { importer.summary.format = .fhirBundle }
            if let root, root.array == nil { importer.collect(root) }
        }
        importer.importDoses()
        let faults = importer.reader.errors
        let omitted = importer.reader.omitted
        guard damage.isEmpty, isPartial || faults.isEmpty else {
            throw ImportRefusal(file: file, errors: faults, omitted: omitted)
        }
        importer.summary.faults = faults.sorted { $0.position < $1.position }
        importer.summary.omittedFaults = omitted
        return Result(summary: importer.summary, events: importer.events)
    }
}

package import ControlProtocol
package import WatchProto

/// Reads files of medications: FHIR R4 (a Bundle, one resource, or a resource per line) and the
/// project's own list. The content decides the format, but for the names `.ndjson` and `.jsonl`,
/// which mean lines.
///
/// A file that is malformed anywhere is refused as a whole with all its faults, those of the text
/// and those of its meaning. Well-formed elements of no use are skipped, counted and explained.
package enum MedicationImporter {
    /// Reads a text. A list gives the text back while it is read.
    ///
    /// - Parameters:
    ///   - text: The whole content of the file.
    ///   - file: The file as its user named it, for messages.
    ///   - now: The moment for records that do not say when they were made.
    /// - Throws: every fault of the file; its author is at fault.
    package static func read(
        _ text: ChunkedText, file: String, now: WallTime
    ) throws(ImportRefusal) -> ImportSummary {
        do {
            return try readUnnamed(text, file: file, now: now)
        } catch {
            throw ImportRefusal(file: file, errors: error.errors)
        }
    }

    /// Reads bytes, as the other form does.
    package static func read(
        _ bytes: [UInt8], file: String, now: WallTime
    ) throws(ImportRefusal) -> ImportSummary {
        try read(ChunkedText(bytes), file: file, now: now)
    }

    private static func readUnnamed(
        _ text: ChunkedText, file: String, now: WallTime
    ) throws(JSONErrors) -> ImportSummary {
        let isLines = file.hasSuffix(".ndjson") || file.hasSuffix(".jsonl")
        if isLines {
            let bytes = text.takeBytes()
            let findings = JSONLines.examine(bytes)
            return try readFHIR(
                findings.nodes, NodeReader(ChunkedText(bytes), findings.errors),
                format: .fhirLines, file: file, now: now)
        }
        // A list is read one medication at a time, before its other members are known.
        var collector = ImportCollector(file: file, format: .plainList)
        var elements = NodeReader(text, [])
        let findings = JSONParser.examine(text, elementsOf: PlainList.elements) { node, _ in
            guard let entry = PlainList.entry(node, now: now, reader: &elements) else { return }
            collector.add(entry)
        }
        var reader = NodeReader(text, findings.errors)
        guard let root = findings.nodes.first else { throw JSONErrors(findings.errors) }
        if let list = root.array {
            return try readFHIR(list, reader, format: .fhirResource, file: file, now: now)
        }
        if let type = root["resourceType"] {
            let isBundle = type.string == "Bundle"
            return try readFHIR(
                [root], reader, format: isBundle ? .fhirBundle : .fhirResource, file: file,
                now: now)
        }
        guard root["format"] != nil || root[PlainList.elements] != nil else {
            reader.fault(
                root,
                expected: "a FHIR resource (with 'resourceType') or a list of medications "
                    + "(with 'format': '\(PlainList.format)')", found: root.kindName)
            throw JSONErrors(reader.errors)
        }
        PlainList.check(root, reader: &reader)
        reader.add(elements)
        collector.finish(&reader)
        guard reader.errors.isEmpty else { throw JSONErrors(reader.errors) }
        return collector.summary
    }

    private static func readFHIR(
        _ nodes: [JSONNode], _ reader: NodeReader, format: ImportSummary.Format, file: String,
        now: WallTime
    ) throws(JSONErrors) -> ImportSummary {
        var importer = FHIRImporter(reader, file: file, format: format, now: now)
        for node in nodes { importer.collect(node) }
        importer.importOrders()
        importer.collector.finish(&importer.reader)
        guard importer.reader.errors.isEmpty else { throw JSONErrors(importer.reader.errors) }
        return importer.collector.summary
    }
}

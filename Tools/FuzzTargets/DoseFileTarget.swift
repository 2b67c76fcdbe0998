import ReferenceDevice
import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// A file of doses is refused with its faults, or its events are exported and imported without
    /// change.
    ///
    /// Input: a byte of which bit 0 says a file of lines and bit 1 a partial import, then the file.
    static let fhirDoses = FuzzTarget("fhir-doses") { input in
        guard let first = input.first else { return nil }
        let bytes = [UInt8](input[1...])
        let summary: ImportSummary
        do throws(ImportRefusal) {
            summary = try DoseImporter.read(
                bytes, file: first & 1 == 0 ? "a.json" : "a.ndjson", isPartial: first & 2 != 0)
        } catch {
            guard !error.description(source: bytes).isEmpty else { return "refused without a word" }
            return faultComplaint(error.errors, bytes.count)
        }
        guard !summary.details.isEmpty else { return "imported without a word" }
        guard summary.faults.isEmpty || first & 2 != 0 && !summary.description.isEmpty else {
            return "imported with faults"
        }
        if !summary.faults.isEmpty,
            let wrong = faultComplaint(summary.faults, bytes.count)
        {
            return wrong
        }
        for event in summary.doses {
            guard let encoded = try? event.encoded() else { return "an event does not encode" }
            if let wrong = roundTripComplaint(encoded, DoseEvent.init(decoding:)) { return wrong }
        }
        let events = Set(summary.doses)
        guard Set(events.map(\.id)).count == summary.doses.count else {
            return "two events with one identity: a ledger would refuse one of them"
        }
        let text = DoseExporter.bytes(of: summary.doses)
        guard let again = try? DoseImporter.read(text, file: "a.json") else {
            return "exported as a file that is refused"
        }
        return Set(again.doses) == events ? nil : "exported and imported as other events"
    }
}

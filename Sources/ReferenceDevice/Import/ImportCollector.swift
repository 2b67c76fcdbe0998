import ControlProtocol
import WatchProto

/// Gathers what an import brings, gives each record its identity, and leaves out what comes twice
/// or does not fit a watch.
///
/// Two different prescriptions of one drug must both reach the watch: only an equal record is a
/// duplicate.
struct ImportCollector {
    /// A medication of the file before it has its identity.
    struct Entry {
        /// The record; its identity is ``unnamed`` still.
        var medication: Medication
        /// The identity that the file states for it, where it states one.
        var stated: MedicationID?
        /// The text from which its identity is derived first, where the file states none.
        var base: String
        /// Where it stands.
        var place: JSONPlace
        /// Where its stated identity stands.
        var idPlace: JSONPlace?
    }

    /// The identity of records that have none yet.
    static let unnamed = MedicationID(rawValue: 0)

    /// An entry as it waits for its identity: a long list would take too much memory otherwise.
    private struct Waiting {
        var kept: KeptMedication
        var stated: MedicationID?
        var base: String
        var place: JSONPlace
        var idPlace: JSONPlace?
    }

    var summary: ImportSummary
    private var entries: [Waiting] = []
    private var taken: Set<MedicationID> = []
    /// Where each record that is kept stands, without its identity.
    private var kept: [KeptMedication: JSONPosition] = [:]
    /// Where the first record of a name and strength stands.
    private var first: [String: JSONPosition] = [:]
    /// How many records are alike in all that identities are derived from.
    private var ordinals: [String: Int] = [:]

    init(file: String, format: ImportSummary.Format) {
        summary = ImportSummary(file: file, format: format)
    }

    mutating func add(_ entry: Entry) {
        do throws(WireError) {
            entries.append(
                Waiting(
                    kept: try KeptMedication(entry.medication), stated: entry.stated,
                    base: entry.base, place: entry.place, idPlace: entry.idPlace))
        } catch {
            summary.skip(
                .doesNotFit, entry.medication.name, at: entry.place.position,
                detail: "it cannot be stored: \(error)")
        }
    }

    // MARK: Identities

    /// Settles the identities and takes in every record that has one and fits. Stated ones come
    /// first, wherever they stand, so that no derived one takes what a later record states.
    mutating func finish(_ reader: inout NodeReader) {
        var named: [(kept: KeptMedication, id: MedicationID, position: JSONPosition)] = []
        var owners: [MedicationID: Int] = [:]
        for (place, entry) in entries.enumerated() {
            guard let id = entry.stated else { continue }
            if let owner = owners[id] {
                settle(entry, beside: entries[owner], &reader)
                continue
            }
            owners[id] = place
            named.append(keep(entry, as: id))
        }
        for entry in entries where entry.stated == nil {
            if let equal = kept[entry.kept] {
                skipDuplicate(entry, of: equal)
                continue
            }
            if let other = first[entry.base] {
                summary.warn(
                    "another record of this name and strength, at \(other), differs; both are "
                        + "kept, but give each an 'id' so that edits find them",
                    entry.kept.medication.name, at: entry.place.position)
            }
            named.append(keep(entry, as: freeIdentity(of: entry)))
        }
        // Of a long list each of these is another copy in memory.
        (entries, kept, owners) = ([], [:], [:])
        named.sort { $0.position > $1.position }
        while let (kept, id, position) = named.popLast() {
            takeIfItFits(kept, as: id, at: position)
        }
        summary.skips.sort { $0.position < $1.position }
        summary.warnings.sort { $0.position < $1.position }
    }

    private mutating func keep(
        _ entry: Waiting, as id: MedicationID
    ) -> (kept: KeptMedication, id: MedicationID, position: JSONPosition) {
        let position = entry.place.position
        taken.insert(id)
        if kept[entry.kept] == nil { kept[entry.kept] = position }
        if first[entry.base] == nil { first[entry.base] = position }
        return (entry.kept, id, position)
    }

    /// Two records state one identity: equal, they are one; else nobody can say which holds.
    private mutating func settle(
        _ entry: Waiting, beside owner: Waiting, _ reader: inout NodeReader
    ) {
        if entry.kept.medication == owner.kept.medication {
            skipDuplicate(entry, of: owner.place.position)
        } else {
            reader.clash(entry.place, at: entry.idPlace, with: owner.place)
        }
    }

    private mutating func skipDuplicate(_ entry: Waiting, of position: JSONPosition) {
        summary.skip(
            .duplicate, entry.kept.medication.name, at: entry.place.position,
            detail: "equal to the one at \(position)")
    }

    /// Derives the identity from the least text that differs from that of all records before it. An
    /// edit of another member leaves the identity as it is. Dates and counts are never part of that
    /// text.
    private mutating func freeIdentity(of entry: Waiting) -> MedicationID {
        let json = entry.kept.medication.json
        var text = entry.base
        let steps = [
            [], ["form", "route"], ["dose"], ["schedule", "isAsNeeded"], Self.otherMembers,
        ]
        for names in steps {
            for name in names { text += "|" + (json[name].map { JSONWriter.text($0) } ?? "") }
            let id = MedicationID(derivedFrom: text)
            if !taken.contains(id) { return id }
        }
        while true {
            let ordinal = ordinals[text, default: 1] + 1
            ordinals[text] = ordinal
            let id = MedicationID(derivedFrom: "\(text)|\(ordinal)")
            if !taken.contains(id) { return id }
        }
    }

    /// All other members of a record except its dates and counts.
    private static let otherMembers = PlainList.members.filter { name in
        ![
            "id", "name", "strength", "form", "route", "dose", "schedule", "isAsNeeded", "limits",
            "revision", "createdAt", "updatedAt", "stock", "history",
        ].contains(name)
    }

    private mutating func takeIfItFits(
        _ kept: KeptMedication, as id: MedicationID, at position: JSONPosition
    ) {
        var medication = kept.medication
        medication.id = id
        do throws(ProjectionRefusal) {
            // A next dose and many edits may come later: the size that must fit has room for them.
            var grown = medication
            grown.revision = .max
            _ = try MedicationProjection.project(grown, nextDose: WallMinute(minutes: 0))
            summary.medications.append(medication)
        } catch {
            summary.skip(.doesNotFit, medication.name, at: position, detail: error.description)
        }
    }
}

/// The range of a node in its file.
struct JSONPlace {
    var position: JSONPosition
    var byteCount: Int
}

extension JSONNode {
    /// The node's range.
    var place: JSONPlace { JSONPlace(position: position, byteCount: byteCount) }
}

extension NodeReader {
    /// Notes that the record at `place` has, at `id`, the identity of a record before it that says
    /// something else.
    mutating func clash(_ place: JSONPlace, at id: JSONPlace?, with earlier: JSONPlace) {
        // Of a record with faults nobody knows what it says.
        guard !isDamaged(place), !isDamaged(earlier) else { return }
        fault(
            id ?? place, expected: "an id of its own",
            found: "that of the record at \(earlier.position), which differs from this one")
    }
}

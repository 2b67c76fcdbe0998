package import WatchProto

/// A medication as a list keeps it: encoded, as the store's file does. That takes a fifth of the
/// memory of a `Medication`.
package struct KeptMedication: Hashable, Sendable {
    /// Its identity.
    package let id: MedicationID
    private let body: [UInt8]
    private let history: DoseHistory

    /// The size of the encoding, in bytes.
    package var size: Int { body.count }

    /// Encodes a medication.
    ///
    /// - Throws: `WireError` where the encoding could not be read again, as with a text of more
    ///   than 16 MiB. The medication's source is at fault.
    package init(_ medication: Medication) throws(WireError) {
        id = medication.id
        // Without the room that writing it left over.
        let bytes = medication.storedBody()
        var body: [UInt8] = []
        body.reserveCapacity(bytes.count)
        body += bytes
        self.body = body
        history = medication.history
        _ = try Medication(storedBody: body)
    }

    /// Takes the encoding of a medication from a row of the store.
    package init(_ row: StoredRow, _ medication: Medication) {
        id = medication.id
        body = row.body
        history = medication.history
    }

    /// The medication, decoded.
    package var medication: Medication {
        guard var medication = try? Medication(storedBody: body) else {
            preconditionFailure("a body was readable when it was made")
        }
        medication.history = history
        return medication
    }
}

/// Medications in an order, each decoded when it is looked at.
package struct MedicationList: Hashable, Sendable {
    /// The medications, encoded.
    package private(set) var kept: [KeptMedication] = []

    /// Makes an empty list.
    package init() {}

    /// Makes the list of these.
    package init(_ kept: some Sequence<KeptMedication>) { self.kept = Array(kept) }

    /// Adds one at the end.
    package mutating func append(_ medication: KeptMedication) { kept.append(medication) }
}

extension MedicationList: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { kept.count }

    /// The medication at a place. One that is put there must have an encoding that can be read.
    package subscript(place: Int) -> Medication {
        get { kept[place].medication }
        set { kept[place] = Self.encoded(newValue) }
    }

    package mutating func replaceSubrange(
        _ range: Range<Int>, with medications: some Collection<Medication>
    ) {
        kept.replaceSubrange(range, with: medications.map(Self.encoded))
    }

    /// The medication, encoded; it must have an encoding that can be read.
    package static func encoded(_ medication: Medication) -> KeptMedication {
        guard let kept = try? KeptMedication(medication) else {
            preconditionFailure("the encoding of a medication cannot be read again")
        }
        return kept
    }
}

extension MedicationList: ExpressibleByArrayLiteral {
    package init(arrayLiteral medications: Medication...) {
        self.init()
        append(contentsOf: medications)
    }
}

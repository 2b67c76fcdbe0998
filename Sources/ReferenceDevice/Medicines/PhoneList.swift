package import WatchProto

/// Reads one medication of the list's file.
package typealias MedicationReader =
    @Sendable (MedicationID) throws(UnreadableMedication) -> Medication

/// The phone's list, in the order the medications came. The doses that are planned are in memory.
/// Of a long list all else is in the file, and read when it is looked at.
package struct PhoneList: Sendable {
    /// A medication of the list.
    package struct Entry: Sendable {
        /// The planned doses.
        package let dosing: FaceDosing
        /// The amount of a dose; nil unless it is stated exactly.
        package let amount: Amount?
        private let packedLimits: UInt32
        /// The medication; nil if it is read from the file.
        fileprivate(set) var kept: KeptMedication?

        /// The entry of a medication; `kept` is the same, encoded, or nil without one.
        package init(_ medication: Medication, _ kept: KeptMedication?) {
            dosing = FaceDosing(medication)
            if case .exact(let stated) = medication.dose { amount = stated } else { amount = nil }
            packedLimits = medication.limits.packed
            self.kept = kept
        }

        /// The limits of its doses.
        package var limits: AsNeededLimits { AsNeededLimits(packed: packedLimits) }
    }

    /// The medications.
    package private(set) var entries: [Entry] = []
    /// The size of the encoded medications in memory, in bytes.
    package private(set) var bytesInMemory = 0
    private var reader: MedicationReader?

    /// Whether the encoded medications take more memory than those of a list with a file may:
    /// 4 MiB.
    package var isTooLarge: Bool { bytesInMemory > 4 << 20 }

    /// Makes an empty list.
    package init() {}

    /// The number of medications.
    package var count: Int { entries.count }

    /// The place of the medication `id`.
    package func index(of id: MedicationID) -> Int? {
        entries.firstIndex { $0.dosing.medication == id }
    }

    /// The medication at a place.
    ///
    /// - Throws: ``UnreadableMedication``; the file is at fault.
    package func medication(at place: Int) throws(UnreadableMedication) -> Medication {
        let entry = entries[place]
        if let kept = entry.kept { return kept.medication }
        guard let reader else { preconditionFailure("only a list with a file lets go of bodies") }
        return try reader(entry.dosing.medication)
    }

    /// The medication at a place, encoded. One that is in the file is in memory from now on.
    ///
    /// - Throws: ``UnreadableMedication``; the file is at fault.
    package mutating func load(at place: Int) throws(UnreadableMedication) -> KeptMedication {
        if let kept = entries[place].kept { return kept }
        let kept = MedicationList.encoded(try medication(at: place))
        bytesInMemory += kept.size
        entries[place].kept = kept
        return kept
    }

    /// All medications.
    ///
    /// - Throws: ``UnreadableMedication``; the file is at fault.
    package func all() throws(UnreadableMedication) -> [Medication] {
        var all: [Medication] = []
        for place in entries.indices { all.append(try medication(at: place)) }
        return all
    }

    /// The encodings of these medications that are in memory.
    package func kept(_ ids: Set<MedicationID>) -> [KeptMedication] {
        entries.compactMap { $0.kept }.filter { ids.contains($0.id) }
    }

    /// Adds a medication at the end.
    package mutating func append(_ medication: Medication, _ kept: KeptMedication? = nil) {
        insert(medication, kept, at: count)
    }

    /// Puts a medication in a place, where it counts from now on.
    package mutating func replace(at place: Int, with medication: Medication) {
        let kept = MedicationList.encoded(medication)
        bytesInMemory += kept.size - (entries[place].kept?.size ?? 0)
        entries[place] = Entry(medication, kept)
    }

    /// Inserts a medication in a place.
    ///
    /// - Parameters:
    ///   - medication: the medication, whose encoding can be read.
    ///   - kept: the same, encoded; nil to encode it here.
    ///   - place: the place.
    package mutating func insert(
        _ medication: Medication, _ kept: KeptMedication? = nil, at place: Int
    ) {
        let kept = kept ?? MedicationList.encoded(medication)
        bytesInMemory += kept.size
        entries.insert(Entry(medication, kept), at: place)
    }

    /// Removes the medication at a place.
    package mutating func remove(at place: Int) {
        bytesInMemory -= entries.remove(at: place).kept?.size ?? 0
    }

    /// Lets go of the encoded medications, which the file has: `reader` reads them from there.
    package mutating func release(_ reader: @escaping MedicationReader) {
        self.reader = reader
        bytesInMemory = 0
        for place in entries.indices { entries[place].kept = nil }
    }
}

package import WatchProtoCore

extension Vocabulary {
    /// The most medications of a batch.
    package static let largestBatch = 100
    /// The values of the check's part that stands behind an update.
    static let updateChecks = 16

    /// The coding of medications without their identities, in as few bytes as their texts, times
    /// and colours are usual; nil if one of them has none. The same medications give the same
    /// bytes for ever, by this table and this reference.
    package func encode(
        _ medications: [LightweightMedication], _ reference: CodingReference
    ) -> [UInt8]? {
        guard 1...Self.largestBatch ~= medications.count else { return nil }
        var writer = SymbolWriter()
        var coder = MedicationCoder(self, reference)
        for var medication in medications {
            guard medication.isCodable else { return nil }
            coder.code(&medication, &writer)
        }
        return Self.check(medications).map { writer.finish(check: $0) }
    }

    /// The hash of the canonical encodings, one behind the other; nil if one has none.
    ///
    /// The end of a coding shows it as far as it can: of three codings that have another reference,
    /// or are damaged, it shows about two. Of updates with another base it shows 44 of 45, because
    /// four bits stand before. The seal, the hello and the fingerprint of the base are the guard.
    private static func check(_ medications: [LightweightMedication]) -> UInt64? {
        var bytes: [UInt8] = []
        for medication in medications {
            guard let encoding = try? medication.encoded() else { return nil }
            bytes += encoding
        }
        return ContentHash.of(bytes)
    }

    private static func checked(
        _ medications: [LightweightMedication], _ reader: SymbolReader
    ) throws(WireError) -> UInt64 {
        let check = Self.check(medications)
        try reader.check(check != nil, "canonical encoding")
        return check ?? 0
    }

    /// Decodes medications.
    ///
    /// - Parameters:
    ///   - bytes: the coding.
    ///   - identities: those of the medications, in their order.
    ///   - reference: the clock of the side that coded them.
    /// - Throws: the broken rule; the maker of the bytes is at fault.
    package func decode(
        _ bytes: [UInt8], _ identities: [MedicationID], _ reference: CodingReference
    ) throws(WireError) -> [LightweightMedication] {
        var reader = SymbolReader(bytes)
        try reader.check(identities.count <= Self.largestBatch, "batch of at most 100 records")
        var coder = MedicationCoder(self, reference)
        var medications: [LightweightMedication] = []
        for identity in identities {
            var medication = LightweightMedication(
                id: identity, name: "", dosage: Dosage(strength: ""),
                updatedAt: WallTime(milliseconds: 0))
            try coder.code(&medication, &reader)
            medications.append(medication)
        }
        try reader.finish(check: Self.checked(medications, reader))
        return medications
    }

    /// The coding of a medication against a former state of it; nil if it has none.
    package func encode(
        _ medication: LightweightMedication, from base: LightweightMedication,
        _ reference: CodingReference
    ) -> [UInt8]? {
        guard medication.isCodable, base.isCodable, base.id == medication.id else { return nil }
        var writer = SymbolWriter()
        var coder = MedicationCoder(self, reference)
        guard let check = Self.check([medication]) else { return nil }
        var next = medication
        coder.code(&next, from: base, &writer)
        var part = Int(check % UInt64(Self.updateChecks))
        writer.uniform(&part, below: Self.updateChecks)
        return writer.finish(check: check / UInt64(Self.updateChecks))
    }

    /// Decodes a medication against a former state of it.
    ///
    /// - Throws: the broken rule; the maker of the bytes is at fault.
    package func decode(
        _ bytes: [UInt8], from base: LightweightMedication, _ reference: CodingReference
    ) throws(WireError) -> LightweightMedication {
        var reader = SymbolReader(bytes)
        var coder = MedicationCoder(self, reference)
        var medication = base
        try reader.check(base.isCodable, "base that can be coded")
        try coder.code(&medication, from: base, &reader)
        let check = try Self.checked([medication], reader)
        var part = 0
        try reader.uniform(&part, below: Self.updateChecks)
        try reader.check(
            UInt64(part) == check % UInt64(Self.updateChecks), "check of the canonical encodings")
        try reader.finish(check: check / UInt64(Self.updateChecks))
        return medication
    }
}

extension LightweightMedication {
    /// Whether the times are in the range of the coding, some 70,000 years either way.
    fileprivate var isCodable: Bool {
        (updatedAt.milliseconds &- RecordBase.milliseconds).magnitude < 1 << 51
    }
}

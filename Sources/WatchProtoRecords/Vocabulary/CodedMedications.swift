package import WatchProtoCore

extension Vocabulary {
    /// The most medications of a batch.
    package static let largestBatch = 100

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
        guard var check = Self.check(medications) else { return nil }
        writer.uniform(&check, below: 256)
        return writer.finish()
    }

    /// The lowest byte of the hash of the canonical encodings, one behind the other; nil if one
    /// has none. It shows another reference, another base, and damage in 255 of 256 cases; the
    /// seal, the hello and the fingerprint of the base are the guard.
    private static func check(_ medications: [LightweightMedication]) -> Int? {
        var bytes: [UInt8] = []
        for medication in medications {
            guard let encoding = try? medication.encoded() else { return nil }
            bytes += encoding
        }
        return Int(ContentHash.of(bytes) & 0xFF)
    }

    private static func check(
        _ medications: [LightweightMedication], _ reader: inout SymbolReader
    ) throws(WireError) {
        var check = 0
        try reader.uniform(&check, below: 256)
        try reader.check(check == Self.check(medications), "check of the canonical encodings")
        try reader.finish()
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
        try Self.check(medications, &reader)
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
        guard var check = Self.check([medication]) else { return nil }
        var medication = medication
        coder.code(&medication, from: base, &writer)
        writer.uniform(&check, below: 256)
        return writer.finish()
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
        try Self.check([medication], &reader)
        return medication
    }
}

extension LightweightMedication {
    /// Whether the times are in the range of the coding, some 70,000 years either way.
    fileprivate var isCodable: Bool {
        (updatedAt.milliseconds &- RecordBase.milliseconds).magnitude < 1 << 51
    }
}

package import WatchProtoCore

extension RecordKinds {
    /// The product's table: medications and complication states are sent as deltas if those are
    /// shorter. The other kinds are opaque to the core and need no row.
    package static let product = RecordKinds(
        [
            RecordKind(
                .medication, byteLimit: LightweightMedication.byteBudget,
                makeDelta: { base, next in RecordDelta.ofMedications(from: base, to: next) },
                applyDelta: { delta, base in try? RecordDelta.medication(delta, to: base) },
                coding: .medications),
            RecordKind(.medicationRemoval, byteLimit: 0, isRemoval: true),
            RecordKind(.doseEvent, byteLimit: DoseEvent.byteBudget),
            RecordKind(
                .complication, byteLimit: ComplicationState.byteBudget,
                makeDelta: { base, next in RecordDelta.ofComplications(from: base, to: next) },
                applyDelta: { delta, base in try? RecordDelta.complication(delta, to: base) }),
        ], codingTable: Vocabulary.tableVersion)
}

extension RecordCoding {
    /// The coding of medications against ``Vocabulary``. Their identity is the key.
    static let medications = RecordCoding(
        .codedMedication,
        encode: { payload, key, base, reference in
            guard let medication = try? LightweightMedication(decoding: payload),
                medication.recordKey == key
            else { return nil }
            guard let base else { return Vocabulary.shared.encode([medication], reference) }
            guard let former = try? LightweightMedication(decoding: base) else { return nil }
            return Vocabulary.shared.encode(medication, from: former, reference)
        },
        decode: { coded, key, base, reference in
            let table = Vocabulary.shared
            if let base {
                guard let former = try? LightweightMedication(decoding: base) else { return nil }
                return try? table.decode(coded, from: former, reference).encoded()
            }
            let identity = MedicationID(recordKey: key)
            return try? table.decode(coded, [identity], reference).first?.encoded()
        })
}

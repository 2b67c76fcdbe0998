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
            RecordKind(.applicationContext, coding: .contexts),
        ], codingTable: Vocabulary.tableVersion)
}

extension RecordCoding {
    /// Contexts of at most so many bytes are not compressed.
    package static let smallestContext = 1_024

    /// The compression of an application context, alone: no other value's bytes change its size.
    static let contexts = RecordCoding(
        .compressedContext,
        encode: { payload, _, base, _ in
            guard base == nil, payload.count > smallestContext else { return nil }
            return Zstandard.compress(payload)
        },
        decode: { coded, _, base, _ in
            let limit = Channel.context.traits.recordByteLimit
            guard base == nil, let payload = Zstandard.decompress(coded, atMost: limit),
                payload.count > smallestContext
            else { return nil }
            return payload
        })

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
        },
        batch: Batch(
            encode: { payloads, keys, reference in
                var medications: [LightweightMedication] = []
                for (payload, key) in zip(payloads, keys) {
                    guard let medication = try? LightweightMedication(decoding: payload),
                        medication.recordKey == key
                    else { return nil }
                    medications.append(medication)
                }
                return Vocabulary.shared.encode(medications, reference)
            },
            decode: { coded, keys, reference in
                let identities = keys.map { MedicationID(recordKey: $0) }
                let medications = try? Vocabulary.shared.decode(coded, identities, reference)
                return try? medications?.map { try $0.encoded() }
            }))
}

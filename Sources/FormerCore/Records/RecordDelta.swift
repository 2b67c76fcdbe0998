/// The difference between two canonical payloads of one record. Format: <doc:record-encoding>.
///
/// What a delta is based on (which revision, which hash) travels in front of it, where records are
/// delivered; here the base is given.
public enum RecordDelta {
    /// The delta from `base` to `next`, or nil where none is smaller than `next`: a kind without
    /// deltas, bytes that are no encoding, two medications.
    public static func make(kind: ContentKind, base: [UInt8], next: [UInt8]) -> [UInt8]? {
        do throws(WireError) {
            let delta: [UInt8]?
            switch kind {
            case .medication:
                let base = try LightweightMedication(decoding: base)
                let next = try LightweightMedication(decoding: next)
                delta = MedicationDelta.make(base, next)
            case .complication:
                let base = try ComplicationState(decoding: base)
                let next = try ComplicationState(decoding: next)
                delta = ComplicationDelta.make(base, next)
            default:
                return nil
            }
            guard let delta, delta.count < next.count else { return nil }
            return delta
        } catch {
            return nil
        }
    }

    /// The payload that `delta` makes of `base`. For every delta that `make` gives this is `next`.
    ///
    /// - Throws: what is wrong with `delta`, whose maker is at fault; an error in `base`, which the
    ///   receiver has checked before, carries offsets into `base`.
    public static func apply(
        kind: ContentKind, delta: Span<UInt8>, to base: [UInt8]
    ) throws(WireError) -> [UInt8] {
        let next: [UInt8]?
        let only: [UInt8]?
        switch kind {
        case .medication:
            let old = try LightweightMedication(decoding: base)
            let new = try MedicationDelta.apply(delta, to: old)
            next = try? new.encoded()
            only = MedicationDelta.make(old, new)
        case .complication:
            let old = try ComplicationState(decoding: base)
            let new = try ComplicationDelta.apply(delta, to: old)
            next = try? new.encoded()
            only = ComplicationDelta.make(old, new)
        default:
            throw WireError(
                .unknownCode, at: 0, expected: "a kind of record that has deltas",
                found: UInt64(kind.rawValue))
        }
        guard let next else {
            throw WireError(
                .outOfRange, at: 0, expected: "a delta to a record within its budget",
                found: UInt64(delta.count))
        }
        guard let only, only.count == delta.count, only.count < next.count,
            delta.indices.allSatisfy({ delta[$0] == only[$0] })
        else {
            throw WireError(
                .notCanonical, at: 0, expected: "the one delta between base and result",
                found: UInt64(delta.count))
        }
        return next
    }
}

package import WatchProtoCore

/// The delta between two canonical payloads of one record. Format: <doc:record-encoding>.
///
/// On the wire, the revision and the hash of the base are sent before the delta. Here the caller
/// passes the base.
package enum RecordDelta {
    /// The delta from `base` to `next`, or nil if none is smaller than `next`: a kind without
    /// deltas, invalid encodings, or two medications.
    package static func make(kind: ContentKind, base: [UInt8], next: [UInt8]) -> [UInt8]? {
        RecordKinds.product.makeDelta(kind, from: base.span, to: next.span)
    }

    /// Applies `delta` to `base`. For every delta of `make`, the result is `next`.
    ///
    /// - Throws: the error in `delta`, whose maker is at fault. For an error in `base`, which the
    ///   receiver has checked before, the offsets are those in `base`.
    package static func apply(
        kind: ContentKind, delta: Span<UInt8>, to base: [UInt8]
    ) throws(WireError) -> [UInt8] {
        switch kind {
        case .medication: return try medication(delta, to: base.span)
        case .complication: return try complication(delta, to: base.span)
        default:
            throw WireError(
                .unknownCode, at: 0, expected: "a kind of record that has deltas",
                found: UInt64(kind.rawValue))
        }
    }

    /// The delta between two states of one medication; nil if there is none.
    static func ofMedications(from base: Span<UInt8>, to next: Span<UInt8>) -> [UInt8]? {
        guard let base = try? LightweightMedication(decoding: base),
            let next = try? LightweightMedication(decoding: next)
        else { return nil }
        return MedicationDelta.make(base, next)
    }

    /// The delta between two complication states; nil if there is none.
    static func ofComplications(from base: Span<UInt8>, to next: Span<UInt8>) -> [UInt8]? {
        guard let base = try? ComplicationState(decoding: base),
            let next = try? ComplicationState(decoding: next)
        else { return nil }
        return ComplicationDelta.make(base, next)
    }

    /// Applies `delta` to the medication `base`, and encodes the result. Throws as `apply` does.
    static func medication(
        _ delta: Span<UInt8>, to base: Span<UInt8>
    ) throws(WireError) -> [UInt8] {
        let old = try LightweightMedication(decoding: base)
        let new = try MedicationDelta.apply(delta, to: old)
        return try checked(delta, gives: try? new.encoded(), only: MedicationDelta.make(old, new))
    }

    /// Applies `delta` to the complication state `base`, and encodes the result. Throws as `apply`
    /// does.
    static func complication(
        _ delta: Span<UInt8>, to base: Span<UInt8>
    ) throws(WireError) -> [UInt8] {
        let old = try ComplicationState(decoding: base)
        let new = try ComplicationDelta.apply(delta, to: old)
        return try checked(
            delta, gives: try? new.encoded(), only: ComplicationDelta.make(old, new))
    }

    /// The result `next`, if it is within its budget and `delta` is `only`, the one delta to it.
    private static func checked(
        _ delta: Span<UInt8>, gives next: [UInt8]?, only: [UInt8]?
    ) throws(WireError) -> [UInt8] {
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

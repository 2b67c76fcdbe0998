package import WatchProtoCore

extension RecordKinds {
    /// The product's table: medications and complication states are sent as deltas if those are
    /// shorter. The other kinds are opaque to the core and need no row.
    package static let product = RecordKinds([
        RecordKind(
            .medication, byteLimit: LightweightMedication.byteBudget,
            makeDelta: { base, next in RecordDelta.ofMedications(from: base, to: next) },
            applyDelta: { delta, base in try? RecordDelta.medication(delta, to: base) }),
        RecordKind(.medicationRemoval, byteLimit: 0, isRemoval: true),
        RecordKind(.doseEvent, byteLimit: DoseEvent.byteBudget),
        RecordKind(
            .complication, byteLimit: ComplicationState.byteBudget,
            makeDelta: { base, next in RecordDelta.ofComplications(from: base, to: next) },
            applyDelta: { delta, base in try? RecordDelta.complication(delta, to: base) }),
    ])
}

import ReferenceDevice
import WatchProtoCore
import WatchProtoRecords

/// The watch's state: its medications with their encodings, and its face.
struct WatchStore {
    private(set) var medications = OrderedTable<RecordKey, LightweightMedication>()
    /// The fingerprint of the medications, kept up with every change.
    private(set) var digest = SetDigest()
    private var encodings = OrderedTable<RecordKey, [UInt8]>()
    private(set) var face = WatchFace()

    /// Restores the face from a complication that a file has.
    mutating func restore(_ complication: ComplicationState?, revision: UInt64) {
        if let complication { face.restore(complication, revision: revision) }
    }

    /// The medications as a store keeps them, in the order they came.
    var stored: [StoredMedication] {
        medications.values.map { $0.stored(encodings[$0.recordKey] ?? []) }
    }

    /// Takes in a medication that is not older than the one it replaces.
    mutating func put(_ medication: LightweightMedication, _ payload: [UInt8]) {
        let key = medication.recordKey
        takeOut(key)
        medications[key] = medication
        encodings[key] = payload
        digest.insert(key, .medication, payload)
        face.update(with: medication, among: medications.values)
    }

    /// Takes a medication out.
    mutating func remove(_ key: RecordKey) {
        takeOut(key)
        medications[key] = nil
        face.remove(key, from: medications.values)
    }

    private mutating func takeOut(_ key: RecordKey) {
        if let old = encodings[key] { digest.remove(key, .medication, old) }
        encodings[key] = nil
    }

    /// Shows a new state in the complication.
    mutating func show(_ state: ComplicationState) { face.show(state) }

    /// The medication at `index` in the order they came. An index beyond the end begins again.
    func medication(at index: Int) -> LightweightMedication? {
        let all = medications.values
        return all.isEmpty ? nil : all[index % all.count]
    }
}

/// The watch's face: the complication that the phone sent, and the next dose of its store.
struct WatchFace {
    private(set) var complication: ComplicationState?
    /// The number of states that the complication has shown.
    private(set) var revision: UInt64 = 0
    private(set) var next: (key: RecordKey, medication: LightweightMedication)?

    mutating func show(_ state: ComplicationState) {
        complication = state
        revision += 1
    }

    /// Shows what was shown before.
    mutating func restore(_ state: ComplicationState, revision: UInt64) {
        complication = state
        self.revision = revision
    }

    /// A medication is new or has changed. Only when it was the next are the others looked at.
    mutating func update(
        with medication: LightweightMedication, among all: [LightweightMedication]
    ) {
        if next?.key == medication.recordKey {
            next = nil
            for other in all { consider(other) }
        } else {
            consider(medication)
        }
    }

    private mutating func consider(_ medication: LightweightMedication) {
        guard medication.flags.contains(.isActive), let due = medication.nextDose else { return }
        if due < next?.medication.nextDose ?? WallMinute(minutes: .max) {
            next = (medication.recordKey, medication)
        }
    }

    /// A medication is gone.
    mutating func remove(_ key: RecordKey, from rest: [LightweightMedication]) {
        guard next?.key == key else { return }
        next = nil
        for medication in rest { consider(medication) }
    }
}

import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The watch's state: the encodings of its medications, and its face.
struct WatchStore {
    private var medications = OrderedTable<RecordKey, StoredEncoding>()
    /// The fingerprint of the medications, kept up with every change.
    private(set) var digest = SetDigest()
    private(set) var face = WatchFace()
    /// Counts the changes of the list.
    private(set) var changes = 0

    /// Takes the place of all that the store holds.
    mutating func adopt(_ other: WatchStore = WatchStore()) {
        let next = changes + other.changes + 1
        self = other
        changes = next
    }

    /// The number of medications.
    var count: Int { medications.count }

    /// Restores the face from a complication that a file has.
    mutating func restore(_ complication: ComplicationState?, revision: UInt64) {
        if let complication { face.restore(complication, revision: revision) }
    }

    /// The medications as a store keeps them, in the order they came.
    var stored: [StoredMedication] {
        medications.values.compactMap { $0.decoded?.stored($0.encoding) }
    }

    /// The dosings of the medications.
    var dosings: StoredDosings { StoredDosings(medications.values) }

    /// The medication `id`; nil if it is not in the list.
    func medication(_ id: MedicationID) -> LightweightMedication? {
        medications[id.recordKey]?.decoded
    }

    /// The encoding of a medication, if it equals these bytes.
    func encoding(of key: RecordKey, equalTo bytes: [UInt8]) -> [UInt8]? {
        medications[key].flatMap { $0.encoding == bytes ? $0.encoding : nil }
    }

    /// Takes in a medication that is not older than the one it replaces.
    mutating func put(_ medication: LightweightMedication, _ payload: [UInt8]) {
        changes += 1
        let key = medication.recordKey
        if let old = medications[key] { digest.remove(key, .medication, old.encoding) }
        let kept = StoredEncoding(medication, payload)
        medications[key] = kept
        digest.insert(key, .medication, payload)
        if key == face.next?.recordKey {
            face.next = soonest
        } else if kept.due < face.next?.due ?? .never {
            face.next = medication
        }
    }

    /// Takes a medication out.
    mutating func remove(_ key: RecordKey) {
        changes += 1
        guard let old = medications.remove(key) else { return }
        digest.remove(key, .medication, old.encoding)
        if key == face.next?.recordKey { face.next = soonest }
    }

    /// The medication whose dose is due first.
    private var soonest: LightweightMedication? {
        guard let first = medications.values.min(by: { $0.due < $1.due }), first.due < .never
        else { return nil }
        return first.decoded
    }

    /// Shows a new state in the complication.
    mutating func show(_ state: ComplicationState) { face.show(state) }

    /// The medication at `index` in the order they came. An index beyond the end begins again.
    func medication(at index: Int) -> LightweightMedication? {
        count == 0 ? nil : medications.values[index % count].decoded
    }

    /// The place of a medication in the order they came.
    func place(of medication: MedicationID) -> Int? {
        medications.keys.firstIndex(of: RecordKey(rawValue: medication.rawValue))
    }
}

/// The dosings of the watch's medications. Each is read in place whenever it is asked for, so that
/// those of a long list take no memory.
struct StoredDosings: RandomAccessCollection {
    private let stored: [StoredEncoding]

    fileprivate init(_ stored: [StoredEncoding]) { self.stored = stored }

    var startIndex: Int { 0 }
    var endIndex: Int { stored.count }
    subscript(place: Int) -> FaceDosing {
        // On a device with one processor a tap waits for 128 of them, not for the whole of a look.
        if place % 128 == 127 { SystemThread.giveWay() }
        return stored[place].dosing
    }
}

/// A medication as the watch keeps it in memory.
struct StoredEncoding {
    let encoding: [UInt8]
    let due: WallMinute

    fileprivate init(_ medication: LightweightMedication, _ encoding: [UInt8]) {
        self.encoding = encoding
        due = medication.due
    }

    /// The dosing, read in place. The bytes were decoded before they were kept.
    fileprivate var dosing: FaceDosing {
        do {
            return FaceDosing(try MedicationView(encoding.span))
        } catch {
            return FaceDosing(MedicationID(rawValue: 0), ScheduleEntries([]), isActive: false)
        }
    }

    /// The medication; it was decoded before it was kept.
    fileprivate var decoded: LightweightMedication? {
        try? LightweightMedication(decoding: encoding)
    }
}

extension LightweightMedication {
    /// The dose that an act of the minute `moment` is about.
    func doseTarget(at moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget {
        DoseTarget(
            medication: id, planned: FaceDosing(self).planned(at: moment, zone), entries: entries,
            amount: dosage.amount, limits: limits)
    }

    /// When its next dose is due; never where it is paused or has none.
    fileprivate var due: WallMinute {
        flags.contains(.isActive) ? nextDose ?? .never : .never
    }
}

extension WallMinute {
    fileprivate static let never = WallMinute(minutes: .max)
}

/// The watch's face: the complication that the phone sent, and the next dose of its store.
struct WatchFace {
    private(set) var complication: ComplicationState?
    /// The number of states that the complication has shown.
    private(set) var revision: UInt64 = 0
    fileprivate(set) var next: LightweightMedication?

    mutating func show(_ state: ComplicationState) {
        complication = state
        revision += 1
    }

    /// Shows what was shown before.
    mutating func restore(_ state: ComplicationState, revision: UInt64) {
        complication = state
        self.revision = revision
    }
}

import PhoneKit
import SimulatorKit
import WatchProto

/// What the phone holds: its store, and the watch's record of each medication as it was last made,
/// ready to be sent.
struct PhoneLibrary {
    /// The watch's record of one medication.
    struct Projected {
        var key: RecordKey
        var revision: UInt32
        var payload: [UInt8]

        /// What synchronizing a set takes.
        var syncValue: SyncValue { SyncValue(key: key, kind: .medication, payload: payload) }
    }

    /// Why a medication has no record for the watch, in words without its name.
    struct Failure: Error { var text: String }

    private(set) var store = MedicationStore()

    /// A file has been imported: from then on the list is the phone's word, also when it is empty.
    private(set) var hasList = false

    var count: Int { store.medications.count }

    /// Takes in what a file brought.
    mutating func take(_ summary: ImportSummary, at now: WallTime) {
        _ = store.take(summary, at: now)
        hasList = hasList || count > 0
    }

    /// Takes the medication at `index` out; gives its key.
    mutating func remove(at index: Int, _ clock: WallClock) throws(Failure) -> RecordKey {
        let key = try projection(at: index, clock).key
        do {
            _ = try store.remove(store.medications[index % count].id)
        } catch {
            throw Failure(text: "the medication at \(index) is not in the list")
        }
        return key
    }

    /// Takes in a dose event; says whether it was new.
    mutating func record(_ event: DoseEvent) -> Bool { store.record(event) }

    /// The watch's record of the medication at `index`, counted on from the start beyond the end.
    func projection(at index: Int, _ clock: WallClock) throws(Failure) -> Projected {
        guard count > 0 else { throw Failure(text: "the list is empty") }
        let medication = store.medications[index % count]
        do {
            let record = try store.projection(of: medication.id, at: clock)
            return Projected(
                key: record.recordKey, revision: record.revision, payload: try record.encoded())
        } catch {
            throw Failure(text: "the medication at \(index % count) does not fit a watch")
        }
    }

    /// All of them, in the order of the list.
    func projections(_ clock: WallClock) throws(Failure) -> [Projected] {
        var all: [Projected] = []
        for index in 0..<count { all.append(try projection(at: index, clock)) }
        return all
    }

    /// Edits the medication at `index` in a way that the watch can see: it counts one more edit.
    mutating func change(at index: Int, _ clock: WallClock) throws(Failure) -> Projected {
        guard count > 0 else { throw Failure(text: "the list is empty") }
        let id = store.medications[index % count].id
        do {
            // The lowest bits of the colour: visible to the watch, of no meaning to the wearer.
            try store.change(id, at: clock.time) { $0.color ^= 0x0000_0100 }
        } catch {
            throw Failure(text: "the change of the medication at \(index % count) was refused")
        }
        return try projection(at: index, clock)
    }

    /// What the watch's face should show.
    func complicationState(_ clock: WallClock) -> ComplicationState {
        store.complicationState(at: clock)
    }

    /// The fingerprint of what the watch should hold.
    static func digest(of projections: [Projected]) -> SetDigest {
        var digest = SetDigest()
        for one in projections { digest.insert(one.key, .medication, one.payload) }
        return digest
    }
}

import ReferenceDevice
import WatchProto

/// The phone's store, and the watch's record of each medication as it was last made, ready to be
/// sent.
struct PhoneLibrary {
    /// The watch's record of one medication.
    struct Projected {
        var key: RecordKey
        var revision: UInt32
        var payload: [UInt8]

        /// The record as a value for synchronizing a set.
        var syncValue: SyncValue { SyncValue(key: key, kind: .medication, payload: payload) }
    }

    /// Why a medication has no record for the watch, in words without its name.
    struct Failure: Error {
        var text: String
        /// Whether the file of the list could not be read.
        var isOfFile = false

        init(text: String) { self.text = text }

        init(_ error: UnreadableMedication) {
            text = "the list cannot be read: \(error)"
            isOfFile = true
        }

        /// The reason why the store refused; `text` says so of a medication.
        init(_ refusal: MedicationStore.Refusal, _ text: String) {
            switch refusal {
            case .unreadable(let error): self.init(error)
            case .lastRevision:
                self.init(text: "the medication has the last revision; remove it and add it anew")
            default: self.init(text: text)
            }
        }
    }

    private(set) var store = MedicationStore()
    /// The offsets of local time of the last days.
    var zones = ZoneLog()

    /// A file has been imported: from then on the list is the phone's word, also when it is empty.
    private(set) var hasList = false

    /// An act on one medication, to be carried on or taken back.
    struct Act {
        var index: Int
        var before: KeptMedication
        /// Nil when it was removed.
        var after: KeptMedication?
    }

    init() {}

    /// Takes up what a file holds. The doses stay.
    mutating func restore(_ medications: PhoneList, hasList: Bool) {
        store.replace(medications)
        self.hasList = hasList
    }

    var count: Int { store.medications.count }

    /// Takes in what a file brought; gives the medications that are new or differ.
    mutating func take(
        _ summary: ImportSummary, at clock: WallClock
    ) throws(UnreadableMedication) -> [KeptMedication] {
        let changed = Set(try store.take(summary, at: clock).map(\.id))
        hasList = hasList || count > 0
        return store.medications.kept(changed)
    }

    /// Lets go of the encoded medications, which the file has: `reader` reads them from there.
    mutating func release(_ reader: @escaping MedicationReader) { store.release(reader) }

    /// Tells the cause that the edits since the last call are for a face; nil without edits.
    mutating func takeEdits() -> UpdateCause? { store.takeEdits() }

    /// Takes the medication at `index` out.
    mutating func remove(at index: Int) throws(Failure) -> Act {
        guard count > 0 else { throw Failure(text: "the list is empty") }
        let place = index % count
        let act = try act(at: place)
        do throws(MedicationStore.Refusal) {
            try store.remove(act.before.id)
        } catch {
            throw Failure(error, "the medication at \(index) is not in the list")
        }
        return act
    }

    /// An act that has changed nothing yet.
    private mutating func act(at place: Int) throws(Failure) -> Act {
        Act(index: place, before: try load(at: place))
    }

    /// The medication at a place of the list, encoded.
    private mutating func load(at place: Int) throws(Failure) -> KeptMedication {
        do throws(UnreadableMedication) {
            return try store.load(at: place)
        } catch {
            throw Failure(error)
        }
    }

    /// Takes an act back that could not be carried on.
    mutating func takeBack(_ act: Act) { store.takeBack(act.before.medication, at: act.index) }

    /// Takes in a dose event of the ledger.
    mutating func record(_ event: DoseEvent) { store.record(event) }

    /// Forgets all dose events.
    mutating func forgetDoses() { store.forgetDoses() }

    /// The offsets of the wearer's local time around the present minute.
    mutating func zone(at now: WallMinute) -> ZoneTimeline { zones.offsets(at: now) }

    /// The watch's record of `medication`, which is the one at `place`.
    private func projection(
        of medication: Medication, at place: Int, _ clock: WallClock, _ zone: ZoneTimeline
    ) throws(Failure) -> Projected {
        do {
            let record = try store.projection(of: medication, at: clock, zone: zone)
            return Projected(
                key: record.recordKey, revision: record.revision, payload: try record.encoded())
        } catch {
            throw Failure(text: "the medication at \(place) does not fit a watch")
        }
    }

    /// All of them, in the order of the list, and the names of the first `named` medications.
    mutating func projections(
        _ clock: WallClock, named: Int
    ) throws(Failure) -> (records: [Projected], names: [String]) {
        let zone = self.zone(at: WallMinute(clock.time))
        var records: [Projected] = []
        var names: [String] = []
        for place in 0..<count {
            let medication: Medication
            do throws(UnreadableMedication) {
                medication = try store.medications.medication(at: place)
            } catch {
                throw Failure(error)
            }
            records.append(try projection(of: medication, at: place, clock, zone))
            if place < named { names.append(medication.name) }
        }
        return (records, names)
    }

    /// Edits the medication at `index` in a way that the watch can see: it counts one more edit.
    mutating func change(at index: Int, _ clock: WallClock) throws(Failure) -> (Projected, Act) {
        guard count > 0 else { throw Failure(text: "the list is empty") }
        let act = try act(at: index % count)
        let after: Medication
        do throws(MedicationStore.Refusal) {
            // The lowest bits of the colour: visible to the watch, of no meaning to the wearer.
            after = try store.change(act.before.id, at: clock) { $0.color ^= 0x0000_0100 }
        } catch {
            throw Failure(error, "the change of the medication at \(act.index) was refused")
        }
        return try projected(after, act, clock)
    }

    /// The watch's record of a medication after an act on it. Takes the act back if there is none.
    private mutating func projected(
        _ after: Medication, _ act: Act, _ clock: WallClock
    ) throws(Failure) -> (Projected, Act) {
        var act = act
        let zone = self.zone(at: WallMinute(clock.time))
        do throws(Failure) {
            // An act without an outcome would be a removal.
            act.after = try load(at: act.index)
            return (try projection(of: after, at: act.index, clock, zone), act)
        } catch {
            takeBack(act)
            throw error
        }
    }

    /// Edits the medications at these places, all of them or none, or with `isPartial` those before
    /// the first that cannot be edited.
    mutating func change(
        _ places: Range<Int>, isPartial: Bool, _ clock: WallClock
    ) throws(Failure) -> [(Projected, Act)] {
        var made: [(Projected, Act)] = []
        for place in places {
            do throws(Failure) {
                made.append(try change(at: place, clock))
            } catch {
                if isPartial, !made.isEmpty { break }
                for (_, act) in made.reversed() { takeBack(act) }
                throw error
            }
        }
        return made
    }

    /// Makes what the library says of a medication newer than `revision`, which the watch holds.
    /// Gives nothing when it is not in the library.
    mutating func reassert(
        _ id: MedicationID, over revision: UInt32, _ clock: WallClock
    ) throws(Failure) -> (Projected, Act)? {
        guard let index = store.medications.index(of: id) else { return nil }
        let act = try act(at: index)
        let after: Medication
        do throws(MedicationStore.Refusal) {
            after = try store.reassert(id, over: revision, at: clock.time)
        } catch {
            throw Failure(error, "the medication at \(index) is not in the list")
        }
        return try projected(after, act, clock)
    }

    /// The state that the watch's face is to show.
    ///
    /// - Throws: the error of a read of the ledger; the file is at fault.
    mutating func complicationState(
        _ clock: WallClock, _ ledger: any LedgerStore
    ) throws -> ComplicationState {
        // Doses that come meanwhile are in the content, and the next state says so.
        let digest = try ledger.digest()
        try store.holdDoses(around: clock) { try ledger.events(on: $0) }
        let zone = self.zone(at: WallMinute(clock.time))
        return try store.complicationState(at: clock, zone: zone, ledger: digest)
    }

    /// The reminders as they are now.
    ///
    /// - Throws: the error of a read of the ledger; the file is at fault.
    mutating func look(
        _ reminders: inout DoseReminders, _ clock: WallClock, _ ledger: any LedgerStore
    ) throws -> [DoseReminders.Change] {
        try store.holdDoses(around: clock) { try ledger.events(on: $0) }
        let now = WallMinute(clock.time)
        let zone = self.zone(at: now)
        return store.look(&reminders, at: now, zone: zone)
    }

    /// The fingerprint of what the watch should hold.
    static func digest(of projections: [Projected]) -> SetDigest {
        var digest = SetDigest()
        for one in projections { digest.insert(one.key, .medication, one.payload) }
        return digest
    }
}

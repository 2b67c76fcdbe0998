package import WatchProto

/// The phone's list of medications, in the order they came, and its dose events.
///
/// Every change counts the record's revision up by one and is refused, with nothing changed, when
/// the watch's record could not hold the outcome.
package struct MedicationStore: Sendable {
    /// The effect of a call on one medication.
    package enum Change: Hashable, Sendable {
        /// It was not in the list.
        case added(MedicationID)
        /// It is in the list with other content.
        case updated(MedicationID)

        /// The medication concerned.
        package var id: MedicationID {
            switch self {
            case .added(let id), .updated(let id): id
            }
        }
    }

    /// Why a call was refused; our caller is at fault, nothing was changed.
    package enum Refusal: Error, Hashable, Sendable {
        /// No medication has this identity.
        case unknown(MedicationID)
        /// The watch's record could not hold the outcome.
        case doesNotFit(ProjectionRefusal)
        /// A change may not give a medication another identity.
        case identityChanged
        /// The medication has the last revision: the watch would not take another content.
        case lastRevision
        /// The file of the list cannot be read.
        case unreadable(UnreadableMedication)
    }

    /// The medications in the order they came.
    package private(set) var medications = PhoneList()
    /// The dose events of the last days; see ``record(_:)``.
    var doseLog = DoseLog()
    /// The cause that the edits since ``takeEdits()`` are for a face; nil without edits.
    var edits: UpdateCause?

    /// Makes a store with nothing in it.
    package init() {}

    /// Makes these the medications of the store, in the order they came.
    package mutating func replace(_ medications: PhoneList) {
        self.medications = medications
        // Edits that did not leave before are not known any more.
        if medications.count > 0, edits != .urgentChange { edits = .change }
    }

    /// The medication at a place, encoded. One that is in the file is in memory from now on.
    ///
    /// - Throws: ``UnreadableMedication``; the file is at fault.
    package mutating func load(at place: Int) throws(UnreadableMedication) -> KeptMedication {
        try medications.load(at: place)
    }

    /// Lets go of the encoded medications, which the file has: `reader` reads them from there.
    package mutating func release(_ reader: @escaping MedicationReader) {
        medications.release(reader)
    }

    /// The medication `id`; nil if it is not in the list.
    ///
    /// - Throws: ``UnreadableMedication``; the file is at fault.
    package subscript(id: MedicationID) -> Medication? {
        get throws(UnreadableMedication) {
            guard let place = index(of: id) else { return nil }
            return try medications.medication(at: place)
        }
    }

    /// Takes in what an import brought. A medication that is there already and differs is replaced,
    /// its revision counted on; one that does not differ is left alone.
    ///
    /// - Returns: what changed, in the order of the import.
    /// - Throws: ``UnreadableMedication`` with nothing changed; the file is at fault.
    package mutating func take(
        _ summary: ImportSummary, at clock: WallClock
    ) throws(UnreadableMedication) -> [Change] {
        var next = self
        var places: [MedicationID: Int] = [:]
        for (place, entry) in medications.entries.enumerated() {
            places[entry.dosing.medication] = place
        }
        var changes: [Change] = []
        for kept in summary.medications.kept {
            if let place = places[kept.id] {
                if try next.take(kept, at: place, clock) { changes.append(.updated(kept.id)) }
            } else {
                places[kept.id] = next.medications.count
                next.takeNew(kept, at: clock)
                changes.append(.added(kept.id))
            }
        }
        self = next
        return changes
    }

    private mutating func takeNew(_ kept: KeptMedication, at clock: WallClock) {
        let incoming = kept.medication
        let medication = newcomer(incoming, at: clock)
        // The encoding that the import made is shared: two of a long list are 40 MB.
        medications.append(medication, medication == incoming ? kept : nil)
        noteEdit(from: nil, to: medication)
    }

    /// Takes in a medication in the place of one with its identity. Tells whether they differ.
    private mutating func take(
        _ kept: KeptMedication, at place: Int, _ clock: WallClock
    ) throws(UnreadableMedication) -> Bool {
        let (incoming, current) = (kept.medication, try medications.medication(at: place))
        var next = entries(of: incoming, editedFrom: current, at: clock)
        next.revision = current.revision
        (next.updatedAt, next.createdAt) = (current.updatedAt, current.createdAt)
        next.history = current.history
        guard next != current else { return false }
        next.revision = Self.after(max(current.revision, incoming.revision))
        next.updatedAt = max(clock.time, current.updatedAt)
        next = fitted(next, at: clock)
        medications.replace(at: place, with: next)
        noteEdit(from: current, to: next)
        return true
    }

    /// Changes the medication `id`; revision and time of the edit are kept here.
    ///
    /// - Returns: the medication as it is now; the same as before when `edit` changed nothing.
    /// - Throws: ``Refusal``, with nothing changed.
    @discardableResult
    package mutating func change(
        _ id: MedicationID, at clock: WallClock, _ edit: (inout Medication) -> Void
    ) throws(Refusal) -> Medication {
        let (index, current) = try find(id)
        var next = current
        edit(&next)
        guard next.id == id else { throw .identityChanged }
        next = entries(of: next, editedFrom: current, at: clock)
        next.revision = current.revision
        next.updatedAt = current.updatedAt
        guard next != current else { return current }
        guard current.revision < .max else { throw .lastRevision }
        next.revision = Self.after(next.revision)
        next.updatedAt = max(clock.time, current.updatedAt)
        next = fitted(next, at: clock)
        do {
            _ = try MedicationProjection.project(next, nextDose: WallMinute(minutes: 0))
        } catch {
            throw .doesNotFit(error)
        }
        medications.replace(at: index, with: next)
        noteEdit(from: current, to: next)
        return next
    }

    /// Counts the medication `id` as edited after `revision`, which the watch holds and this store
    /// has never heard of, or has forgotten. The content here counts, and goes to the watch anew.
    ///
    /// - Throws: ``Refusal/unknown(_:)`` or ``Refusal/unreadable(_:)``.
    @discardableResult
    package mutating func reassert(
        _ id: MedicationID, over revision: UInt32, at now: WallTime
    ) throws(Refusal) -> Medication {
        let found = try find(id)
        var medication = found.medication
        medication.revision = Self.after(max(medication.revision, revision))
        medication.updatedAt = max(now, medication.updatedAt)
        medications.replace(at: found.place, with: medication)
        return medication
    }

    /// Adds a medication; one with the same identity is replaced as in ``change(_:at:_:)``.
    ///
    /// - Throws: ``Refusal/doesNotFit(_:)`` or ``Refusal/unreadable(_:)``, with nothing changed.
    @discardableResult
    package mutating func put(
        _ medication: Medication, at clock: WallClock
    ) throws(Refusal) -> Change {
        if index(of: medication.id) != nil {
            try change(medication.id, at: clock) { $0 = medication }
            return .updated(medication.id)
        }
        do {
            _ = try MedicationProjection.project(medication, nextDose: WallMinute(minutes: 0))
        } catch {
            throw .doesNotFit(error)
        }
        medications.append(newcomer(medication, at: clock))
        noteEdit(from: nil, to: medication)
        return .added(medication.id)
    }

    /// Removes the medication `id`.
    ///
    /// - Throws: ``Refusal/unknown(_:)`` or ``Refusal/unreadable(_:)``, with nothing changed.
    package mutating func remove(_ id: MedicationID) throws(Refusal) {
        let (index, former) = try find(id)
        medications.remove(at: index)
        noteEdit(from: former, to: nil)
    }

    /// The watch's record of `medication`, which is of this store, as it stands at `clock`. `zone`
    /// has the offsets of the days around; if nil, they are the clock's at every moment.
    ///
    /// - Throws: ``Refusal/doesNotFit(_:)`` which no medication of this store should give.
    package func projection(
        of medication: Medication, at clock: WallClock, zone: ZoneTimeline? = nil
    ) throws(Refusal) -> LightweightMedication {
        let now = WallMinute(clock.time)
        let zone = zone ?? ZoneTimeline(ZoneOffset(clamping: Int(clock.zoneOffsetMinutes)))
        do {
            return try MedicationProjection.project(
                medication, nextDose: medication.nextDose(after: clock),
                isOverdue: isOverdue(medication, at: now, zone), now: now)
        } catch {
            throw .doesNotFit(error)
        }
    }

    /// Takes back a change or a removal that could not be carried on: the medication is as it was,
    /// in its place.
    package mutating func takeBack(_ medication: Medication, at index: Int) {
        if let place = self.index(of: medication.id) {
            medications.replace(at: place, with: medication)
        } else {
            medications.insert(medication, at: min(index, medications.count))
        }
    }

    /// The revision after `revision`; the last one, which no user lives to see, stays.
    private static func after(_ revision: UInt32) -> UInt32 {
        revision == .max ? .max : revision + 1
    }

    private func index(of id: MedicationID) -> Int? { medications.index(of: id) }

    private func find(_ id: MedicationID) throws(Refusal) -> (place: Int, medication: Medication) {
        guard let place = index(of: id) else { throw .unknown(id) }
        do throws(UnreadableMedication) {
            return (place, try medications.medication(at: place))
        } catch {
            throw .unreadable(error)
        }
    }
}

package import WatchProto

/// The phone's list of medications, in memory, in the order they came.
///
/// Every change counts the record's revision up by one and is refused, with nothing changed, when
/// the watch's record could not hold the outcome.
package struct MedicationStore: Sendable {
    /// What a call did to one medication.
    package enum Change: Hashable, Sendable {
        /// It was not in the list.
        case added(MedicationID)
        /// It is in the list with other content.
        case updated(MedicationID)
        /// It is no longer in the list.
        case removed(MedicationID)

        /// The medication concerned.
        package var id: MedicationID {
            switch self {
            case .added(let id), .updated(let id), .removed(let id): id
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
    }

    /// The medications in the order they came.
    package private(set) var medications = MedicationList()
    /// The dose events of the last days; see ``record(_:)``.
    var doseLog = DoseLog()
    /// The cause that the edits since ``takeEdits()`` are for a face; nil without edits.
    var edits: UpdateCause?

    /// Makes a store with nothing in it.
    package init() {}

    /// Makes these the medications of the store, in the order they came.
    package mutating func replace(_ medications: MedicationList) {
        self.medications = medications
        // Edits that did not leave before are not known any more.
        if !medications.isEmpty { edits = .change }
    }

    /// The medication `id`.
    package subscript(id: MedicationID) -> Medication? {
        index(of: id).map { medications[$0] }
    }

    /// Takes in what an import brought. A medication that is there already and differs is replaced,
    /// its revision counted on; one that does not differ is left alone.
    ///
    /// - Returns: what changed, in the order of the import.
    package mutating func take(_ summary: ImportSummary, at clock: WallClock) -> [Change] {
        var places: [MedicationID: Int] = [:]
        for (place, kept) in medications.kept.enumerated() { places[kept.id] = place }
        return summary.medications.kept.compactMap { kept in
            guard let index = places[kept.id] else {
                places[kept.id] = medications.count
                let incoming = kept.medication
                let medication = newcomer(incoming, at: clock)
                // The encoding that the import made is shared: two of a long list are 40 MB.
                if medication == incoming {
                    medications.append(kept)
                } else {
                    medications.append(medication)
                }
                noteEdit(from: nil, to: medication)
                return .added(kept.id)
            }
            let (incoming, current) = (kept.medication, medications[index])
            var next = entries(of: incoming, editedFrom: current, at: clock)
            next.revision = current.revision
            next.updatedAt = current.updatedAt
            next.createdAt = current.createdAt
            next.history = current.history
            guard next != current else { return nil }
            next.revision = Self.after(max(current.revision, incoming.revision))
            next.updatedAt = max(clock.time, current.updatedAt)
            next = fitted(next, at: clock)
            medications[index] = next
            noteEdit(from: current, to: next)
            return .updated(next.id)
        }
    }

    /// Changes the medication `id`; revision and time of the edit are kept here.
    ///
    /// - Returns: the medication as it is now; the same as before when `edit` changed nothing.
    /// - Throws: ``Refusal``, with nothing changed.
    @discardableResult
    package mutating func change(
        _ id: MedicationID, at clock: WallClock, _ edit: (inout Medication) -> Void
    ) throws(Refusal) -> Medication {
        guard let index = index(of: id) else { throw .unknown(id) }
        let current = medications[index]
        var next = current
        edit(&next)
        guard next.id == id else { throw .identityChanged }
        next = entries(of: next, editedFrom: current, at: clock)
        next.revision = current.revision
        next.updatedAt = current.updatedAt
        guard next != current else { return current }
        next.revision = Self.after(next.revision)
        next.updatedAt = max(clock.time, current.updatedAt)
        next = fitted(next, at: clock)
        do {
            _ = try MedicationProjection.project(next, nextDose: WallMinute(minutes: 0))
        } catch {
            throw .doesNotFit(error)
        }
        medications[index] = next
        noteEdit(from: current, to: next)
        return next
    }

    /// Counts the medication `id` as edited after `revision`, which the watch holds and this store
    /// has never heard of, or has forgotten: what it says here counts, and goes to the watch anew.
    ///
    /// - Throws: ``Refusal/unknown(_:)``.
    @discardableResult
    package mutating func reassert(
        _ id: MedicationID, over revision: UInt32, at now: WallTime
    ) throws(Refusal) -> Medication {
        guard let index = index(of: id) else { throw .unknown(id) }
        var medication = medications[index]
        medication.revision = Self.after(max(medication.revision, revision))
        medication.updatedAt = max(now, medication.updatedAt)
        medications[index] = medication
        return medication
    }

    /// Adds a medication; one with the same identity is replaced as in ``change(_:at:_:)``.
    ///
    /// - Throws: ``Refusal/doesNotFit(_:)``, with nothing changed.
    @discardableResult
    package mutating func put(
        _ medication: Medication, at clock: WallClock
    ) throws(Refusal) -> Change {
        if self[medication.id] != nil {
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
    /// - Throws: ``Refusal/unknown(_:)``.
    @discardableResult
    package mutating func remove(_ id: MedicationID) throws(Refusal) -> Change {
        guard let index = index(of: id) else { throw .unknown(id) }
        noteEdit(from: medications.remove(at: index), to: nil)
        return .removed(id)
    }

    /// When `id` is due next after `clock`; nil when it is not active, taken as needed, or never
    /// due.
    package func nextDose(of id: MedicationID, after clock: WallClock) -> WallMinute? {
        self[id].flatMap { $0.nextDose(after: clock) }
    }

    /// The watch's record of `id` as it stands at `clock`.
    ///
    /// - Throws: ``Refusal/unknown(_:)``, or ``Refusal/doesNotFit(_:)`` which no medication of this
    ///   store should give.
    package func projection(
        of id: MedicationID, at clock: WallClock
    ) throws(Refusal) -> LightweightMedication {
        guard let medication = self[id] else { throw .unknown(id) }
        return try projection(of: medication, at: clock)
    }

    /// The watch's record of `medication`, which is of this store, as it stands at `clock`.
    ///
    /// - Throws: ``Refusal/doesNotFit(_:)`` which no medication of this store should give.
    package func projection(
        of medication: Medication, at clock: WallClock
    ) throws(Refusal) -> LightweightMedication {
        do {
            return try MedicationProjection.project(
                medication, nextDose: medication.nextDose(after: clock),
                isOverdue: overdueDoses(of: medication, at: clock) > 0,
                now: WallMinute(clock.time))
        } catch {
            throw .doesNotFit(error)
        }
    }

    /// Takes back a change or a removal that could not be carried on: the medication is as it was,
    /// in its place.
    package mutating func takeBack(_ medication: Medication, at index: Int) {
        if let place = self.index(of: medication.id) {
            medications[place] = medication
        } else {
            medications.insert(medication, at: min(index, medications.count))
        }
    }

    /// The revision after `revision`; the last one, which no user lives to see, stays.
    private static func after(_ revision: UInt32) -> UInt32 {
        revision == .max ? .max : revision + 1
    }

    private func index(of id: MedicationID) -> Int? { medications.index(of: id) }
}

extension Medication {
    /// When it is due next after `clock`; nil when it is not active, taken as needed, or never due.
    package func nextDose(after clock: WallClock) -> WallMinute? {
        isActive && !isAsNeeded ? schedule.nextDose(after: clock) : nil
    }
}

/// A set of dose events that only grows, in memory: the model of the ledgers that devices keep in
/// files. All devices that have the same events show the same states.
package struct DoseLedger: Hashable, Sendable {
    /// The effect of an insertion.
    package enum Insertion: Hashable, Sendable {
        /// The event was added.
        case new
        /// The ledger has the event; it counts once.
        case known
        /// The ledger has another event of this identity. Nothing was changed; report it.
        case refused
    }

    /// One slot, or all doses of a medication taken as needed.
    private struct Subject: Hashable {
        var medication: MedicationID
        var slot: DoseSlot?
    }

    private var byID: [DoseEventID: DoseEvent] = [:]
    private var bySubject: [Subject: Set<DoseEventID>] = [:]

    /// Makes the ledger of `events`. Of several events with one identity, the first one stays.
    package init(_ events: some Sequence<DoseEvent> = []) {
        for event in events { insert(event) }
    }

    /// The number of events.
    package var count: Int { byID.count }

    /// The events, ascending by identity.
    package var events: [DoseEvent] { byID.values.sorted { $0.id < $1.id } }

    /// The event with this identity; nil if the ledger does not have it.
    package subscript(id: DoseEventID) -> DoseEvent? { byID[id] }

    /// Adds an event, unless the ledger has its identity.
    @discardableResult
    package mutating func insert(_ event: DoseEvent) -> Insertion {
        if let known = byID[event.id] { return known == event ? .known : .refused }
        byID[event.id] = event
        let subject = Subject(medication: event.medication, slot: event.slot)
        bySubject[subject, default: []].insert(event.id)
        return .new
    }

    /// Adds the events of another ledger; returns those that were refused.
    @discardableResult
    package mutating func merge(_ other: DoseLedger) -> [DoseEvent] {
        var refused: [DoseEvent] = []
        for event in other.byID.values where insert(event) == .refused { refused.append(event) }
        return refused
    }

    /// The slots with events, ascending.
    package var slots: [DoseSlot] { bySubject.keys.compactMap(\.slot).sorted() }

    /// The state of a slot.
    package func state(of slot: DoseSlot) -> DoseSlotState {
        DoseSlotState(of: slot, events(of: slot.medication, slot))
    }

    /// The doses of a medication that were taken as needed, ascending by moment.
    package func asNeeded(_ medication: MedicationID) -> [AsNeededDose] {
        AsNeededDose.list(of: medication, events(of: medication, nil))
    }

    /// The doses of a medication that count for its limits: each one that is said to be taken,
    /// ascending by moment.
    package func taken(_ medication: MedicationID) -> [DoseEvent] {
        let planned = bySubject.keys.filter { $0.medication == medication }.compactMap(\.slot)
            .flatMap { state(of: $0).taken }
        return (planned + asNeeded(medication).map(\.event)).sorted {
            ($0.moment, $0.id) < ($1.moment, $1.id)
        }
    }

    private func events(of medication: MedicationID, _ slot: DoseSlot?) -> [DoseEvent] {
        let ids = bySubject[Subject(medication: medication, slot: slot)] ?? []
        return ids.compactMap { byID[$0] }
    }
}

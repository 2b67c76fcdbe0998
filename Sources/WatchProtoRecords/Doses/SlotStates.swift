/// The states of slots, for a look at every medication of a long list. Most medications have no
/// events, and none of their slots is searched for.
struct SlotStates {
    private let states: [DoseSlot: DoseSlotState]
    private let medications: Set<MedicationID>

    /// The states of the slots with events. All other slots are open.
    init(_ states: [DoseSlot: DoseSlotState]) {
        self.states = states
        medications = Set(states.keys.lazy.map(\.medication))
    }

    /// The states of the slots of one medication.
    func of(_ medication: MedicationID) -> MedicationStates {
        MedicationStates(states: medications.contains(medication) ? states : [:])
    }

    /// The states of the slots of one medication.
    struct MedicationStates {
        fileprivate let states: [DoseSlot: DoseSlotState]

        /// Whether the medication has no events.
        var isEmpty: Bool { states.isEmpty }

        /// The state of a slot.
        subscript(slot: DoseSlot) -> DoseSlotState {
            if states.isEmpty { return DoseSlotState(open: slot) }
            return states[slot] ?? DoseSlotState(open: slot)
        }
    }
}

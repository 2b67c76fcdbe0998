package import WatchProtoRecords

/// The events that count, and the events that replace them.
extension LedgerStore {
    /// Makes the events that replace a dose: an undo, a correction or a resolution. Nothing is
    /// recorded.
    ///
    /// An undo or a resolution replaces every event that counts for the slot of `id`, and a
    /// correction replaces `id` alone. Of a dose taken as needed all of them replace `id` alone.
    ///
    /// - Throws: ``DoseRefusal`` if the ledger does not have the event or cannot be read, or if
    ///   there is nothing to replace.
    package func replacing(
        _ id: DoseEventID, by action: DoseAction, _ status: DoseStatus?, at time: DoseTime,
        newID: () -> DoseEventID
    ) throws(DoseRefusal) -> [DoseEvent] {
        let state: DoseSlotState?
        let event: DoseEvent?
        var heads: [DoseEvent] = []
        do {
            event = try self.event(id.rawValue).flatMap { try? DoseEvent(decoding: $0) }
            state = try event?.slot.map { try self.state(of: $0) }
            if let event {
                heads =
                    try state?.heads
                    ?? DoseHeads.of(asNeededEvents(of: event.medication)).filter { $0.id == id }
            }
        } catch {
            throw DoseRefusal(id, "the ledger cannot be read: \(error)")
        }
        guard event != nil else {
            throw DoseRefusal(id, "the ledger has no event of this identity")
        }
        if action == .resolve, state?.isConflicting != true {
            throw DoseRefusal(
                id, "the events of this dose do not conflict; correct or withdraw the dose instead")
        }
        if action == .correct { heads.removeAll { $0.id != id } }
        guard !heads.isEmpty else {
            throw DoseRefusal(
                id,
                "later events replaced this one; name an event of the dose that still counts, if "
                    + "there is one")
        }
        guard action.allows(status) else {
            throw DoseRefusal(id, "only a record snoozes a dose; say that it was taken or skipped")
        }
        return DoseEvent.replacing(heads, by: action, status, at: time, newID: newID)
    }

    /// The state of a slot by the events of this ledger.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func state(of slot: DoseSlot) throws -> DoseSlotState {
        DoseSlotState(of: slot, try events(of: slot))
    }
}

package import WatchProtoRecords

/// The events that count, and the events that replace them.
extension LedgerStore {
    /// Makes the events that replace a dose: an undo, a correction or a resolution. Nothing is
    /// recorded.
    ///
    /// An undo or a resolution replaces every event that counts for the slot of `id`, and a
    /// correction replaces `id` alone. Of a dose taken as needed all of them replace `id` alone.
    ///
    /// - Parameters:
    ///   - id: an event of the dose.
    ///   - action: the action.
    ///   - status: the status that the dose gets.
    ///   - time: the time of the act.
    ///   - first: the identity of the first new event; the others count on from it. If the ledger
    ///     has these events of an earlier attempt, they are returned. Nil for random identities.
    /// - Throws: ``DoseRefusal`` if the ledger does not have the event or cannot be read, or if
    ///   there is nothing to replace.
    package func replacing(
        _ id: DoseEventID, by action: DoseAction, _ status: DoseStatus?, at time: DoseTime,
        as first: DoseEventID? = nil
    ) throws(DoseRefusal) -> [DoseEvent] {
        let state: DoseSlotState?
        let event: DoseEvent?
        var heads: [DoseEvent] = []
        var former: [DoseEvent] = []
        do {
            event = try self.event(id.rawValue).flatMap { try? DoseEvent(decoding: $0) }
            state = try event?.slot.map { try self.state(of: $0) }
            if let event {
                heads =
                    try state?.heads
                    ?? DoseHeads.of(asNeededEvents(from: event)).filter { $0.id == id }
            }
            former = try first.map { try act(from: $0) } ?? []
        } catch {
            // An earlier attempt may have made the events durable.
            throw DoseRefusal(id, "the ledger cannot be read: \(error)", isUnknown: true)
        }
        guard let event else {
            throw DoseRefusal(id, "the ledger has no event of this identity")
        }
        if let one = former.first {
            let replacesAll = event.slot != nil && action != .correct
            guard one.action == action, one.status == status, one.medication == event.medication,
                one.slot == event.slot, replacesAll || one.replaces == [id]
            else {
                throw DoseRefusal(
                    one.id, "the ledger has another event of this identity; give each act its own")
            }
            return former
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
        var next = first
        return DoseEvent.replacing(heads, by: action, status, at: time) {
            defer { next = next.map { DoseEventID(rawValue: $0.rawValue &+ 1) } }
            return next ?? .random()
        }
    }

    /// A dose taken as needed, and all events that decide whether it counts.
    private func asNeededEvents(from event: DoseEvent) throws -> [DoseEvent] {
        var found = [event.id: event]
        var next = [event]
        while let one = next.popLast() {
            for other in try events(replacing: one.id.rawValue)
            where other.medication == event.medication && other.slot == nil
                && found.updateValue(other, forKey: other.id) == nil
            {
                next.append(other)
            }
        }
        return Array(found.values)
    }

    /// The events of the act whose first event has this identity; none if the ledger lacks it.
    private func act(from first: DoseEventID) throws -> [DoseEvent] {
        var events: [DoseEvent] = []
        while let bytes = try event(first.rawValue &+ UInt128(events.count)) {
            let event = try DoseEvent(decoding: bytes)
            guard events.isEmpty || event.time == events[0].time else { break }
            events.append(event)
        }
        return events
    }

    /// The state of a slot by the events of this ledger.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func state(of slot: DoseSlot) throws -> DoseSlotState {
        DoseSlotState(of: slot, try events(of: slot))
    }
}

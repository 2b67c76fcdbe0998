import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The acts of a wearer, on what a device shows at that moment.
extension DoseSimulation {
    static let slots: [DoseSlot] = [(1, 480), (1, 1_200), (2, 480)].flatMap { medication, entry in
        (2_200..<2_202).map { day in
            DoseSlot(
                medication: MedicationID(rawValue: medication), entry: UInt16(entry),
                day: UInt16(day))
        }
    }

    /// Its doses are taken as needed.
    static let asNeeded = MedicationID(rawValue: 3)

    func act(on device: DoseDevice) {
        guard let act = makeAct(device), !act.events.isEmpty else { return }
        let events = act.events
        for event in events { known[event.id.rawValue] = event }
        if act.isTap { tapped.formUnion(events.map(\.id.rawValue)) }
        note(
            .act, device.index,
            events.map { event in
                "\(Self.hex(event.id.rawValue)) \(event.action.code):\(event.statusCode)"
                    + (event.slot.map { " \($0.medication.rawValue)/\($0.entry)/\($0.day)" } ?? "")
                    + event.replaces.map { " -\(Self.hex($0.rawValue))" }.joined()
            }.joined(separator: ", ") + (act.isTap ? " if it is open" : ""))
        let notes = device.notes
        if mutant == .losesTap, act.isTap, isReplaced(events[0], device) {
            return notes.ended(act, .success(()))
        }
        let onlyIfOpen = act.isTap && mutant != .countsSecondTap
        device.ledger.add(events, onlyIfOpen: onlyIfOpen) { notes.ended(act, $0) }
    }

    private func makeAct(_ device: DoseDevice) -> DoseAct? {
        let slot = Self.slots.randomElement(using: &random) ?? Self.slots[0]
        let events: [DoseEvent]?
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5:
            let event = record(slot, device)
            return DoseAct(events: [event], isTap: plan.hasApplication && random.chance(0.5))
        case 5..<8: events = [takeAsNeeded(device)]
        case 8: events = [record(slot, device), takeAsNeeded(device), record(slot, device)]
        case 9:
            // The outcome of an act is unknown, and it is repeated.
            return device.unsure.isEmpty ? nil : device.unsure.removeFirst()
        case 10:
            // The same act on two devices, such as a tap on the same face entry.
            return known.isEmpty ? nil : sameAct()
        case 11: events = replaceAsNeeded(device)
        default: events = replace(slot, device)
        }
        return events.map { DoseAct(events: $0) }
    }

    private func sameAct() -> DoseAct? {
        let identities = known.keys.sorted()
        guard let identity = identities.randomElement(using: &random), let event = known[identity]
        else { return nil }
        return DoseAct(events: [event], isTap: tapped.contains(identity))
    }

    private func record(_ slot: DoseSlot, _ device: DoseDevice) -> DoseEvent {
        let end = WallMinute(minutes: Int32.random(in: 3_168_000...3_171_000, using: &random))
        let status: DoseStatus =
            [
                .taken, .taken, .taken, .skipped, .snoozed(until: end),
            ].randomElement(using: &random) ?? .taken
        let planned = PlannedDose(
            day: slot.day, minute: Int(slot.entry) + Int.random(in: 0...1, using: &random),
            entry: slot.entry)
        return DoseEvent(
            id: newID(), medication: slot.medication, planned: planned, status: status,
            time: time(device))
    }

    private func takeAsNeeded(_ device: DoseDevice) -> DoseEvent {
        DoseEvent(
            id: newID(), medication: Self.asNeeded, planned: nil, status: .taken,
            time: time(device))
    }

    private func replaceAsNeeded(_ device: DoseDevice) -> [DoseEvent]? {
        guard let shown = asNeededEvents(device) else { return nil }
        let list = AsNeededDose.list(of: Self.asNeeded, shown)
        guard let one = list.randomElement(using: &random)?.event else { return nil }
        let isUndo = random.chance(0.5)
        return DoseEvent(
            id: newID(), isUndo ? .withdraw : .correct, [one], status: isUndo ? nil : .taken,
            time: time(device)
        ).map { [$0] }
    }

    /// A correction, an undo or a resolution of what the device shows.
    private func replace(_ slot: DoseSlot, _ device: DoseDevice) -> [DoseEvent]? {
        guard let events = try? device.disk.events(of: slot) else { return nil }
        let state = DoseSlotState(of: slot, events)
        guard let one = state.heads.randomElement(using: &random) else { return nil }
        let status: DoseStatus = random.chance(0.6) ? .taken : .skipped
        let time = time(device)
        let action: [DoseAction] = [.correct, .withdraw, .withdraw, .resolve]
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<4:
            let action = action.randomElement(using: &random) ?? .withdraw
            return DoseEvent.replacing(
                state.heads, by: action, action == .withdraw ? nil : status, at: time, newID: newID)
        case 4:
            return DoseEvent(id: newID(), .correct, [one], status: status, time: time).map { [$0] }
        default:
            return DoseEvent(id: newID(), .withdraw, [one], status: nil, time: time).map { [$0] }
        }
    }

    private func newID() -> DoseEventID {
        DoseEventID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
    }

    private func time(_ device: DoseDevice) -> DoseTime {
        DoseTime(device.clock.now, device: UInt32(device.index))
    }

    /// The events of doses taken as needed that a device shows; nil if it cannot read them.
    func asNeededEvents(_ device: DoseDevice) -> [DoseEvent]? {
        try? device.disk.asNeededEvents(of: Self.asNeeded)
    }
}

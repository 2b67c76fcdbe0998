import WatchProtoCore
import WatchProtoRecords

/// The acts of the wearer.
extension LifeRun {
    /// Draws what becomes of the doses of a day.
    mutating func planDay(_ number: Int) {
        let doses = phone.doses(on: plan.zones.firstDay + number)
        figures.doses[number] = doses.count
        for (medication, dose) in doses {
            let fate = random.unitInterval()
            if fate > 0.95 { continue }
            var kind = LifeAct.Kind.take
            if fate > 0.78 { kind = fate > 0.86 ? .snooze : .skip }
            if fate < 0.01 { kind = .takeTwice }
            let at = plan.zones.moment(number, hour(of: Int(dose.minute)))
            let within = LifeMoment(random.uniform(in: 0...40_000))
            let act = LifeAct(kind: kind, medication: medication.id, dose: dose)
            queue.add(.act(act), at: at + within)
        }
    }

    /// The minute of the day at which the wearer gets to a dose of this minute.
    private mutating func hour(of minute: Int) -> Int {
        // Not in the sleep, and all at once in the morning.
        if minute < 415 { return 425 + Int(random.uniform(in: 0...2)) }
        if minute < 470 { return 470 }
        if random.chance(0.1) { return minute - Int(random.uniform(in: 0...15)) }
        return min(1410, minute + Int(random.uniform(in: 0...35)))
    }

    mutating func perform(_ act: LifeAct) {
        let isPhoneHere = isPhoneAlive && !LifePlan.isIn(plan.phoneAway, now)
        guard isPhoneHere || isWatchOn else {
            return queue.add(.act(act), at: now + 10 * LifeZones.minute)
        }
        let onWatch = isWatchOn && (!isPhoneHere || random.chance(0.6))
        let device = onWatch ? watch : phone
        let state = device.states[act.slot] ?? DoseSlotState(of: act.slot, [DoseEvent]())
        let later = now + LifeMoment(random.uniform(in: 1...5)) * LifeZones.minute
        switch act.kind {
        case .take, .skip, .takeTwice:
            guard !state.isClosed else { return }
            record(act, act.kind == .skip ? .skipped : .taken, onWatch)
            if act.kind == .takeTwice, isPhoneHere, isWatchOn {
                record(act, .taken, !onWatch)
                queue.add(.act(changed(act, .resolve)), at: later)
            } else if random.chance(0.03) {
                queue.add(.act(changed(act, .undo)), at: later)
            }
        case .snooze:
            guard !state.isClosed else { return }
            let minutes = Int32(10 * random.uniform(in: 1...3))
            let clock = onWatch ? watchMinute : plan.zones.minute(at: now)
            record(act, .snoozed(until: WallMinute(minutes: clock.minutes + minutes)), onWatch)
            let end = now + LifeMoment(minutes + 1) * LifeZones.minute
            queue.add(.act(changed(act, .take)), at: end)
        case .undo:
            replace(state, .withdraw, nil, onWatch)
            queue.add(.act(changed(act, .take)), at: later)
        case .resolve:
            guard state.isConflicting else { return }
            replace(state, .resolve, .taken, onWatch)
        }
    }

    private func changed(_ act: LifeAct, _ kind: LifeAct.Kind) -> LifeAct {
        LifeAct(kind: kind, medication: act.medication, dose: act.dose)
    }

    private mutating func record(_ act: LifeAct, _ status: DoseStatus, _ onWatch: Bool) {
        let event = DoseEvent(
            id: newID(), medication: act.medication, planned: act.dose, status: status,
            time: time(onWatch))
        add(event, onWatch)
    }

    private mutating func replace(
        _ state: DoseSlotState, _ action: DoseAction, _ status: DoseStatus?, _ onWatch: Bool
    ) {
        var random = self.random
        let events = DoseEvent.replacing(state.heads, by: action, status, at: time(onWatch)) {
            DoseEventID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
        }
        self.random = random
        for event in events { add(event, onWatch) }
    }

    private mutating func newID() -> DoseEventID {
        DoseEventID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
    }

    private func time(_ onWatch: Bool) -> DoseTime {
        DoseTime(
            plan.zones.wall(at: now, ahead: onWatch ? options.clockError : 0),
            device: onWatch ? 2 : 1)
    }

    private mutating func add(_ event: DoseEvent, _ onWatch: Bool) {
        changes.append((now, link.session))
        if onWatch { watchRecords(event) } else { phoneRecords(event) }
    }

    /// A person edits the list on the phone.
    mutating func change(_ edit: LifePlan.Edit) {
        guard isPhoneAlive, !phone.medications.isEmpty else { return }
        let place = Int(random.uniform(in: 0...UInt64(phone.medications.count - 1)))
        var medication = phone.medications[place]
        medication.revision &+= 1
        let minutes = medication.entries.list.map(\.minute)
        if edit == .time, let first = minutes.first {
            let moved = min(1435, max(0, first - 15 + 5 * Int(random.uniform(in: 0...6))))
            let rest = minutes.dropFirst().filter { $0 != moved }
            if let slots = DoseSlots(minutes: [moved] + rest) {
                let former = medication.entries
                medication.schedule.slots = slots
                medication.entries = former.edited(to: slots.minutes)
            }
        }
        if (try? medication.encoded()) == nil { return }
        phone.take(medication)
        changes.append((now, link.session))
        phoneEdited(medication, isUrgent: edit != .note)
    }
}

internal import ControlProtocol
internal import Locks
package import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The dose of a medication that an act is about.
package struct DoseTarget: Sendable {
    /// The medication.
    package var medication: MedicationID
    /// The planned dose; nil where no times are planned.
    package var planned: PlannedDose?
    /// The entries of the schedule.
    package var entries: ScheduleEntries
    /// The amount of a dose, if it is known.
    package var amount: Amount?
    /// The limits of its doses.
    package var limits: AsNeededLimits

    /// Makes the target.
    package init(
        medication: MedicationID, planned: PlannedDose?, entries: ScheduleEntries, amount: Amount?,
        limits: AsNeededLimits
    ) {
        self.medication = medication
        self.planned = planned
        self.entries = entries
        self.amount = amount
        self.limits = limits
    }
}

/// Doses are recorded on both devices alike.
extension Simulator {
    /// Forgets all doses, as they are of another person: in memory at once, and in the file by the
    /// writes that are returned.
    func forgetDoses() -> [SQLWrite] {
        application.forgetDoses()
        faceMayChange(.other)
        return ledger.store.removeAll()
    }

    /// Records doses, all of them or none.
    func recordDoses(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let index = try doseIndex(request)
        // The reply of more would be longer than a line may be.
        let count = Int(try request.optionalInteger("count", in: 1...5000) ?? 1)
        let named = try doseIdentity(request)
        // They count on from the first, so that who knows that one can repeat the command.
        let first = named ?? DoseEventID.random().rawValue
        let entry = try DoseEntry(request)
        guard count == 1 || !entry.isTap else {
            throw .badField("count", expected: "1 with 'entry'", found: "\(count)")
        }
        let clock = SystemClock.wall
        let now = WallMinute(clock.time)
        let zone = application.zone(at: now)
        // A dose that was taken before is nearest to another planned one.
        let moment = entry.takenMinute ?? now
        var events: [DoseEvent] = []
        var limits: [MedicationID: AsNeededLimits] = [:]
        for number in 0..<count {
            let id = DoseEventID(rawValue: first &+ UInt128(number))
            guard var target = try doseTarget(at: index + number, moment, zone) else {
                throw .noMedication
            }
            if named != nil { repeated(id, &target) }
            events.append(dose(id, of: target, entry, clock))
            if target.limits != AsNeededLimits() { limits[target.medication] = target.limits }
        }
        var reply = entry.isTap ? try tapped(events) : try recorded(events)
        if reply["recorded"] != 0 { reply["warnings"] = warnings(about: events, limits) }
        return reply
    }

    /// A command that is repeated is about what it was about before, whatever is nearest by now.
    private func repeated(_ id: DoseEventID, _ target: inout DoseTarget) {
        // An event that cannot be read is refused when it is added.
        guard let known = try? ledger.store.event(id.rawValue),
            let event = try? DoseEvent(decoding: known), event.medication == target.medication
        else { return }
        target.planned = event.planned
        if let status = event.status, status.isTaken { target.amount = status.amount }
    }

    /// Records the tap on an entry of a face, unless its slot is closed here already.
    private func tapped(_ events: [DoseEvent]) throws(ControlError) -> JSONObject {
        try record(events, onlyIfOpen: true)
        do {
            let recorded = try events.filter { try ledger.store.event($0.id.rawValue) != nil }
            let slots = events.compactMap(\.slot)
            let heads = try slots.flatMap { try ledger.store.state(of: $0).heads }
            return [
                "recorded": .whole(recorded.count),
                "doses": .array(heads.map { .string($0.id.recordKey.hex) }),
            ]
        } catch {
            throw .journalFailed("\(error)", outcome: "unknown")
        }
    }

    /// Undoes, corrects or resolves a dose.
    func replaceDose(
        _ request: ControlRequest, by action: DoseAction
    ) throws(ControlError) -> JSONObject {
        _ = try request.string("dose", expected: Self.identityText)
        let id = try doseIdentity(request) ?? 0
        let first = try doseIdentity(request, "new_dose").map { DoseEventID(rawValue: $0) }
        let status = action == .withdraw ? nil : try DoseEntry(request, isNew: false).status(nil)
        let events: [DoseEvent]
        do throws(DoseRefusal) {
            events = try ledger.store.replacing(
                DoseEventID(rawValue: id), by: action, status, at: time(SystemClock.wall),
                as: first)
        } catch {
            throw ControlError(error)
        }
        return try recorded(events)
    }

    private func recorded(_ events: [DoseEvent]) throws(ControlError) -> JSONObject {
        do throws(ControlError) {
            try record(events)
        } catch {
            throw error.naming(events.count == 1 ? events.first?.planned : nil)
        }
        var object = JSONObject()
        object["recorded"] = .whole(events.count)
        object["doses"] = .array(events.map { .string($0.id.recordKey.hex) })
        return object
    }

    /// Adds events to the ledger, and waits until they are durable.
    func record(_ events: [DoseEvent], onlyIfOpen: Bool = false) throws(ControlError) {
        try awaitLedger { answer in
            ledger.add(events, onlyIfOpen: onlyIfOpen, answer: answer)
        }
    }

    /// Records a dose of a load; nothing is waited for.
    package func recordDose(_ index: Int, _ shot: LoadShot) {
        let id = DoseEventID.random()
        let clock = SystemClock.wall
        let now = WallMinute(clock.time)
        guard let target = try? doseTarget(at: index, now, application.zone(at: now)) else {
            return
        }
        let event = dose(id, of: target, DoseEntry(), clock)
        shots.withLock { $0[id] = shot }
        ledger.add([event]) { [self] answer in
            guard case .failure = answer, let shot = shots.withLock({ $0.removeValue(forKey: id) })
            else { return }
            trace.failed(
                SendOrigin(
                    .doseEvent, payload: nil, intended: shot.intended, isWarmUp: shot.isWarmUp),
                at: SystemClock.now)
        }
    }

    private func dose(
        _ id: DoseEventID, of target: DoseTarget, _ entry: DoseEntry, _ clock: WallClock
    ) -> DoseEvent {
        DoseEvent(
            id: id, medication: target.medication, planned: entry.planned(of: target),
            status: entry.status(target.amount), time: time(clock))
    }

    private func time(_ clock: WallClock) -> DoseTime {
        // To ask for the number would open a failed journal again.
        ledger.now(device: file?.failure == nil ? storage.deviceNumber : nil, clock)
    }

    /// The members `doses` of `status`.
    var doses: JSONValue {
        guard let digest = try? ledger.store.digest() else { return .null }
        return [
            "count": .whole(digest.count), "digest": .string(digest.text),
            "sending": .bool(ledger.isSending), "settled": .bool(ledger.isSettled),
        ]
    }
}

extension Simulator: LedgerObserver {
    package func queued(
        _ event: DoseEventID, _ encoding: [UInt8], as id: RecordID, at now: Instant
    ) {
        let shot = shots.withLock { $0.removeValue(forKey: event) }
        trace.accepted(
            id,
            SendOrigin(
                .doseEvent, payload: encoding, intended: shot?.intended,
                isWarmUp: shot?.isWarmUp ?? false, recorded: shot?.recorded), at: now)
    }

    package func recorded(_ events: [DoseEvent]) {
        let now = SystemClock.now
        shots.withLock { shots in
            if !shots.isEmpty { for event in events { shots[event.id]?.recorded = now } }
        }
        application.doses(events)
        faceMayChange(.recorded(events))
    }

    package func arrived(_ arrivals: [LedgerArrival]) {
        let events = arrivals.compactMap { $0.isKnown ? nil : $0.event }
        application.doses(events)
        if !events.isEmpty { faceMayChange(.arrived(events)) }
        for arrival in arrivals { observer.arrived(arrival) }
    }

    package func checked(_ pairing: PairingID) {
        faceMayChange(.other)
        observer.hub.post("doses.checked", ["pairing": .string(pairing.hex)])
    }
}

extension ControlError {
    /// There is no medication to record a dose of.
    static var noMedication: ControlError {
        ControlError("no_medication", ["expected": "a store with medications in it"])
    }
}

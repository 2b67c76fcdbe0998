package import WatchProto

extension MedicationStore {
    /// The timeline of the watch's face from `clock` on, with the doses that the store holds.
    ///
    /// - Parameters:
    ///   - clock: the wall clock's time and offset.
    ///   - zone: the offsets of the days around; nil for the clock's at every moment.
    ///   - checked: the minute of the last comparison of the ledgers.
    package func timeline(
        at clock: WallClock, zone: ZoneTimeline? = nil, checked: WallMinute? = nil
    ) -> FaceTimeline {
        FaceTimeline(
            medications.entries.map(\.dosing), doseLog.states, at: WallMinute(clock.time),
            zone: zone ?? ZoneTimeline(ZoneOffset(clamping: Int(clock.zoneOffsetMinutes))),
            checked: checked)
    }

    /// The reminders of the doses that the store holds.
    package func look(
        _ reminders: inout DoseReminders, at now: WallMinute, zone: ZoneTimeline
    ) -> [DoseReminders.Change] {
        reminders.look(
            medications.entries.map(\.dosing), doseLog.states, at: now, zone: zone)
    }

    /// The content of a watch face at `clock`: the first entry of the timeline. It names the dose
    /// that is overdue or due, or else the next one.
    ///
    /// An amount that does not fit is left out rather than cut.
    ///
    /// - Parameters:
    ///   - clock: the wall clock's time and offset.
    ///   - zone: the offsets of the days around; nil for the clock's at every moment.
    ///   - ledger: the doses that the content includes; nil where nobody compares them.
    /// - Throws: ``UnreadableMedication``; the file is at fault.
    package func complicationState(
        at clock: WallClock, zone: ZoneTimeline? = nil, ledger: LedgerDigest? = nil
    ) throws(UnreadableMedication) -> ComplicationState {
        let timeline = timeline(at: clock, zone: zone)
        var state = ComplicationState(timeline.entries[0], active: timeline.active)
        state.ledger = ledger
        guard let dose = timeline.entries[0].headline,
            let medication = try self[dose.slot.medication]
        else { return state }
        state.nextDose = dose.minute
        state.color = medication.color
        Self.name(medication, in: &state)
        return state
    }

    /// Puts the amount, whole or not at all, and as much of the name as is safe.
    private static func name(_ medication: Medication, in state: inout ComplicationState) {
        let amount = amountText(of: medication)
        let smallest = NameShortening.smallestSize(
            of: medication.name, strength: medication.strength)
        let budget = ComplicationState.byteBudget
        state.amountText = amount.utf8.count <= budget ? amount : ""
        if amount.utf8.count > budget || state.encodedSize + smallest > budget {
            state.amountText = ""
        }
        let room = budget - state.encodedSize
        // Without its strength a shortened name may lose no number at all.
        let strength = state.amountText.isEmpty ? "" : medication.strength
        switch NameShortening.shorten(medication.name, room: room, strength: strength) {
        case .success(let name): state.name = name
        case .failure: state.name = InstructionShortening.mark
        }
    }

    /// The amount to take, in short; see ``AmountText``.
    static func amountText(of medication: Medication) -> String {
        guard case .exact(let amount) = medication.dose else {
            let dose = medication.dose.description
            return dose.isEmpty ? medication.strength : dose
        }
        return AmountText.of(amount, medication.strength, medication.form)
    }
}

/// An amount in short: `2 × 5 mg`, `10 unit`.
package enum AmountText {
    /// The text of `amount`. Pieces are multiplied only by a single plain strength: `1 × 100
    /// unit/mL` would read as an amount of 100 units.
    static func of(_ amount: Amount, _ strength: String, _ form: DoseForm) -> String {
        let counted = DoseUnit(countedAs: form) == amount.unit
        let isPlain = !strength.contains { "/%+,;".contains($0) }
        if counted, isPlain, QuantityScan.groups(of: strength).count == 1 {
            return "\(amount.digits) × \(strength)"
        }
        return amount.description
    }

    /// The text of a watch's record: the strength if no amount is stated.
    package static func of(_ dosage: Dosage) -> String {
        dosage.amount.map { of($0, dosage.strength, dosage.form) } ?? dosage.strength
    }
}

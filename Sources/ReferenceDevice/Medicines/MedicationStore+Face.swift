package import WatchProto

extension MedicationStore {
    /// What a watch face shows at `clock`: the medication due next, and today's count.
    ///
    /// Of several due in the same minute the one that came first is named. An amount that does not
    /// fit is left out rather than cut.
    package func complicationState(at clock: WallClock) -> ComplicationState {
        var state = ComplicationState()
        var next: (medication: Medication, due: WallMinute)?
        var planned = 0
        var taken = 0
        var overdue = 0
        var active = 0
        for medication in medications where medication.isActive {
            active += 1
            guard !medication.isAsNeeded else { continue }
            if let due = medication.nextDose(after: clock), due < next?.due ?? .last {
                next = (medication, due)
            }
            let doses = medication.schedule.doses(on: clock)
            planned += doses.count
            taken += doses.count { self.state(of: $0.planned, medication.id) == .taken }
            overdue += overdueDoses(of: medication, at: clock)
        }
        state.total = UInt8(clamping: planned)
        state.taken = UInt8(clamping: taken)
        state.overdue = UInt8(clamping: overdue)
        state.active = UInt8(clamping: active)
        guard let next else { return state }
        state.nextDose = next.due
        state.color = next.medication.color
        Self.name(next.medication, in: &state)
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

    /// What to take, in short: `2 × 5 mg`, `1–2 tablet`, `10 unit`; the strength where no amount is
    /// stated. Pieces are multiplied only by a single plain strength: `1 × 100 unit/mL` would read
    /// as an amount of 100 units.
    static func amountText(of medication: Medication) -> String {
        guard case .exact(let amount) = medication.dose else {
            let dose = medication.dose.description
            return dose.isEmpty ? medication.strength : dose
        }
        let counted = DoseUnit(countedAs: medication.form) == amount.unit
        let isPlain = !medication.strength.contains { "/%+,;".contains($0) }
        if counted, isPlain, QuantityScan.groups(of: medication.strength).count == 1 {
            return "\(amount.digits) × \(medication.strength)"
        }
        return amount.description
    }
}

extension WallMinute {
    /// After every minute a dose can be due.
    fileprivate static let last = WallMinute(minutes: .max)
}

package import WatchProto

/// The one way from the phone's record to the watch's.
///
/// The watch's record has 196 bytes. Instructions give way first, then the name; a strength and an
/// amount never do. A record that then still does not fit is refused. See `InstructionShortening`
/// and `NameShortening` for the limits of a cut. Marks that turn the direction of writing are
/// removed: a name must not reverse the strength that is shown beside it.
package enum MedicationProjection {
    /// The most bytes of a record, with its identity. The encoding has room for 200; a medication
    /// that leaves uncoded takes no more than this on the wire either.
    package static let byteBudget = 196

    /// The watch's record of `medication`.
    ///
    /// - Parameters:
    ///   - medication: The phone's full record.
    ///   - nextDose: When it is due next, as its schedule says for the wall clock of the moment.
    ///   - isOverdue: Whether a dose was due and neither taken nor skipped.
    ///   - now: The minute of the moment. If an entry was added in the four days before it, the
    ///     record says when, unless it is full of other things than instructions.
    /// - Throws: what does not fit; the record is at fault.
    package static func project(
        _ medication: Medication, nextDose: WallMinute? = nil, isOverdue: Bool = false,
        now: WallMinute? = nil
    ) throws(ProjectionRefusal) -> LightweightMedication {
        var record = try whole(medication, nextDose: nextDose, isOverdue: isOverdue)
        guard let now, record.schedule.slots.count > 0 else { return record }
        let entries = medication.entries.forgetting(
            before: now.advanced(by: 1 - 4 * DoseSlots.minutesPerDay))
        guard entries.list.contains(where: { $0.added != nil }) else { return record }
        let plain = record
        record.entries = entries
        if record.encodedSize <= byteBudget { return record }
        // The instructions give way, but not the name.
        let shorter = try? project(
            medication, nextDose, isOverdue, withTimes: true, entries)
        return shorter.flatMap { $0.name == plain.name ? $0 : nil } ?? plain
    }

    /// The record with the times of the day and the limits. If it does not fit so, the limits are
    /// left to the phone. If it still does not, doses that are not of every day are left to the
    /// next dose that the phone names.
    private static func whole(
        _ medication: Medication, nextDose: WallMinute?, isOverdue: Bool
    ) throws(ProjectionRefusal) -> LightweightMedication {
        var medication = medication
        if medication.limits != AsNeededLimits() {
            if let record = try? project(medication, nextDose, isOverdue, withTimes: true) {
                return record
            }
            medication.limits = AsNeededLimits()
        }
        guard medication.schedule.course != DoseCourse() else {
            return try project(medication, nextDose, isOverdue, withTimes: true)
        }
        if let record = try? project(medication, nextDose, isOverdue, withTimes: true) {
            return record
        }
        return try project(medication, nextDose, isOverdue, withTimes: false)
    }

    private static func project(
        _ medication: Medication, _ nextDose: WallMinute?, _ isOverdue: Bool, withTimes: Bool,
        _ entries: ScheduleEntries? = nil
    ) throws(ProjectionRefusal) -> LightweightMedication {
        var medication = medication
        for text in [\Medication.name, \.strength, \.instructions] as [WritableKeyPath] {
            medication[keyPath: text].unicodeScalars.removeAll(where: turnsDirection)
        }
        var record = try bare(medication, nextDose, isOverdue, withTimes: withTimes)
        if let entries { record.entries = entries }
        let budget = byteBudget
        let (fixed, rest) = instructions(of: medication)
        let bareSize = record.encodedSize
        func refusal(_ field: ProjectionRefusal.Field, _ needed: Int) -> ProjectionRefusal {
            ProjectionRefusal(
                id: medication.id, name: medication.name, field: field, needed: needed,
                budget: budget)
        }
        // The shortest instructions allowed: the protected ones, and a mark where more follow.
        let mark = rest.isEmpty ? "" : InstructionShortening.mark
        let smallest = fixed + (rest.utf8.count <= mark.utf8.count ? rest : mark)
        let room = budget - bareSize
        let smallestName = NameShortening.smallestSize(
            of: medication.name, strength: medication.strength)
        if smallestName + smallest.utf8.count > room {
            let needed = bareSize + smallestName + smallest.utf8.count
            let isStrength = medication.strength.utf8.count > max(fixed.utf8.count, smallestName)
            let words: ProjectionRefusal.Field =
                medication.dose == .unstated ? .instructions : .amount
            throw refusal(
                isStrength ? .strength : fixed.utf8.count > smallestName ? words : .name, needed)
        }

        if medication.name.utf8.count + smallest.utf8.count <= room {
            record.name = medication.name
        } else {
            let nameRoom = room - smallest.utf8.count
            switch NameShortening.shorten(
                medication.name, room: nameRoom, strength: medication.strength)
            {
            case .success(let name): record.name = name
            case .failure: throw refusal(.name, bareSize + smallestName + smallest.utf8.count)
            }
            record.flags.insert(.nameShortened)
        }
        let left = room - record.name.utf8.count - fixed.utf8.count
        let shortened = InstructionShortening.shorten(rest, room: left) ?? mark
        record.instructions = fixed + shortened
        if shortened != rest { record.flags.insert(.instructionsShortened) }
        return record
    }

    /// Whether a scalar embeds, overrides or isolates a direction (UAX #9).
    private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    /// The record without its two texts that may give way.
    private static func bare(
        _ medication: Medication, _ nextDose: WallMinute?, _ isOverdue: Bool, withTimes: Bool
    ) throws(ProjectionRefusal) -> LightweightMedication {
        let schedule = medication.schedule
        let minutes = withTimes && !medication.isAsNeeded ? schedule.minutes : []
        guard let slots = DoseSlots(minutes: minutes) else {
            throw ProjectionRefusal(
                id: medication.id, name: medication.name, field: .schedule,
                needed: Set(minutes).count, budget: DoseSlots.largestCount)
        }
        var flags: MedicationFlags = []
        if medication.isActive { flags.insert(.isActive) }
        if isOverdue { flags.insert(.isOverdue) }
        if medication.isAsNeeded { flags.insert(.asNeeded) }
        if medication.isHighAlert { flags.insert(.isHighAlert) }
        if medication.stock?.needsRefill == true { flags.insert(.needsRefill) }
        var record = LightweightMedication(
            id: medication.id, name: "",
            dosage: Dosage(
                strength: medication.strength, form: medication.form,
                amount: medication.dose.amount),
            schedule: DoseSchedule(
                slots: slots, weekdays: slots.isEmpty ? [] : schedule.weekdays,
                zone: schedule.zone),
            nextDose: nextDose, color: medication.color, flags: flags,
            revision: medication.revision, updatedAt: medication.updatedAt)
        record.limits = medication.limits
        if !slots.isEmpty {
            record.course = schedule.course
            record.entries = schedule.entries.undated
        }
        guard medication.strength.utf8.count <= 255,
            record.encodedSize <= byteBudget
        else {
            throw ProjectionRefusal(
                id: medication.id, name: medication.name, field: .strength,
                needed: record.encodedSize + InstructionShortening.mark.utf8.count,
                budget: byteBudget)
        }
        return record
    }

    /// The instructions in two parts: one that must reach the watch whole, and one that may be cut.
    ///
    /// An amount that only words state is in the first part: a range, amounts in turn, and where no
    /// amount is stated at all the sentences up to the first that states a quantity.
    static func instructions(of medication: Medication) -> (fixed: String, rest: String) {
        let text = medication.instructions
        switch medication.dose {
        case .exact: return ("", text)
        case .range, .text:
            let dose = medication.dose.description
            if text.isEmpty || text == dose { return (dose, "") }
            let rest = text.dropFirst(dose.count)
            if text.hasPrefix(dose), rest.first.map({ !$0.isLetter && !$0.isNumber }) ?? true {
                return (dose, String(rest))
            }
            return (dose + (dose.last == "." ? " " : ". "), text)
        case .unstated:
            let sentences = Sentences.split(text)
            // In a language whose number words are not known here, the first sentence may be the
            // one.
            let stated =
                sentences.first(where: InstructionShortening.statesQuantity)
                ?? sentences.first.flatMap { InstructionShortening.isEnglish($0) ? nil : $0 }
            guard let first = stated else { return ("", text) }
            return (String(text[..<first.endIndex]), String(text[first.endIndex...]))
        }
    }
}

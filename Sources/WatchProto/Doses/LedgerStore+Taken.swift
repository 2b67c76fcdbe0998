package import WatchProtoCore
package import WatchProtoRecords

/// The doses of a medication that were taken within some time. The events of that time are read,
/// and those that replace them.
extension LedgerStore {
    /// The warnings about a dose that was taken, recorded or not.
    ///
    /// - Parameters:
    ///   - event: the dose.
    ///   - limits: those of its medication.
    /// - Throws: the error of a read; the file is at fault.
    package func warnings(
        about event: DoseEvent, _ limits: AsNeededLimits
    ) throws -> DoseWarnings {
        guard event.status?.isTaken == true else { return DoseWarnings() }
        let medication = event.medication
        var warnings = DoseWarnings()
        if limits != AsNeededLimits() {
            let others = try taken(of: medication, near: event.moment, within: limits.reach)
                .filter { $0.id != event.id }
            warnings = limits.warnings(at: event.moment, others.map(\.moment))
        }
        guard event.slot == nil else { return warnings }
        var near = try asNeeded(
            of: medication, near: event.moment...event.moment, within: AsNeededDose.doubleWindow)
        if !near.contains(where: { $0.id == event.id }) { near.append(event) }
        warnings.mayBeDouble = AsNeededDose.list(of: medication, near).contains { dose in
            dose.event.id == event.id && dose.mayBeDouble
        }
        return warnings
    }

    /// The doses of a medication that are said to be taken near `moment`: of a slot in conflict
    /// every one. They count for its limits.
    ///
    /// - Parameters:
    ///   - medication: the medication.
    ///   - moment: the moment of the dose in question.
    ///   - reach: milliseconds before and after it within which a dose is near.
    /// - Throws: the error of a read; the file is at fault.
    package func taken(
        of medication: MedicationID, near moment: WallTime, within reach: Int64
    ) throws -> [DoseEvent] {
        let near = (moment...moment).widened(by: reach)
        let taken = try takenEvents(of: medication, at: near)
        let planned = try Set(taken.compactMap(\.slot)).flatMap { try state(of: $0).taken }
        let asNeeded = DoseHeads.of(try deciding(about: taken.filter { $0.slot == nil }))
        return (planned + asNeeded).filter {
            $0.status?.isTaken == true && near.contains($0.moment)
        }
    }

    /// The events of a medication without a planned dose that decide about those of some moments.
    ///
    /// - Parameters:
    ///   - medication: the medication.
    ///   - moments: the moments of the doses in question.
    ///   - reach: milliseconds before and after them within which a dose is near.
    /// - Throws: the error of a read; the file is at fault.
    package func asNeeded(
        of medication: MedicationID, near moments: ClosedRange<WallTime>, within reach: Int64
    ) throws -> [DoseEvent] {
        let taken = try takenEvents(of: medication, at: moments.widened(by: reach))
        return try deciding(about: taken.filter { $0.slot == nil })
    }

    private func takenEvents(
        of medication: MedicationID, at moments: ClosedRange<WallTime>
    ) throws -> [DoseEvent] {
        try events(of: medication, at: moments).filter { $0.status?.isTaken == true }
    }

    /// The events, those that replace the same ones, and all that replace any of these: they decide
    /// which of them count.
    private func deciding(about events: [DoseEvent]) throws -> [DoseEvent] {
        var open = events
        for replaced in Set(events.flatMap(\.replaces)) {
            open += try self.events(replacing: replaced.rawValue)
        }
        var found: [DoseEventID: DoseEvent] = [:]
        while let event = open.popLast() {
            guard found.updateValue(event, forKey: event.id) == nil else { continue }
            open += try self.events(replacing: event.id.rawValue)
        }
        return found.values.sorted { $0.id < $1.id }
    }
}

extension ClosedRange<WallTime> {
    /// The range with so many milliseconds more, none or some, before and after it.
    fileprivate func widened(by reach: Int64) -> ClosedRange<WallTime> {
        let (first, isBefore) = lowerBound.milliseconds.subtractingReportingOverflow(reach)
        let (last, isAfter) = upperBound.milliseconds.addingReportingOverflow(reach)
        return WallTime(
            milliseconds: isBefore ? .min : first)...WallTime(milliseconds: isAfter ? .max : last)
    }
}

package import WatchProtoCore
package import WatchProtoRecords

/// The doses of a medication that were taken within some time. All of its events are read, and few
/// are in memory at once.
extension LedgerStore {
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
        let found = try scan(medication, near)
        let planned = try found.slots.flatMap { try state(of: $0).taken }
        return (planned + DoseHeads.of(found.asNeeded)).filter {
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
        try scan(medication, moments.widened(by: reach)).asNeeded
    }

    /// The slots with a dose taken at these moments, and of the events without a slot those of
    /// these moments and those that replace others, because they decide which of them count.
    private func scan(
        _ medication: MedicationID, _ moments: ClosedRange<WallTime>
    ) throws -> (slots: Set<DoseSlot>, asNeeded: [DoseEvent]) {
        var slots: Set<DoseSlot> = []
        var asNeeded: [DoseEvent] = []
        var place: Int64?
        repeat {
            let page = try newest(of: medication, before: place, limit: 200)
            for row in page {
                guard let event = try? DoseEvent(decoding: row.encoding) else { continue }
                let isTaken = event.status?.isTaken == true && moments.contains(event.moment)
                if let slot = event.slot {
                    if isTaken { slots.insert(slot) }
                } else if isTaken || !event.replaces.isEmpty {
                    asNeeded.append(event)
                }
            }
            place = page.last?.place
        } while place != nil
        return (slots, asNeeded)
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

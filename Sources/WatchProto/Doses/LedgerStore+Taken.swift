package import WatchProtoCore
package import WatchProtoRecords

/// The doses that count for the limits of a medication.
extension LedgerStore {
    /// The doses of a medication that are said to be taken near `moment`: of a slot in conflict
    /// every one. All events of the medication are read, and few are in memory at once.
    ///
    /// - Parameters:
    ///   - medication: the medication.
    ///   - moment: the moment of the dose in question.
    ///   - reach: milliseconds before and after it within which a dose is near.
    /// - Throws: the error of a read; the file is at fault.
    package func taken(
        of medication: MedicationID, near moment: WallTime, within reach: Int64
    ) throws -> [DoseEvent] {
        func isNear(_ event: DoseEvent) -> Bool {
            let (distance, overflow) = event.moment.milliseconds
                .subtractingReportingOverflow(moment.milliseconds)
            return !overflow && distance.magnitude <= UInt64(reach)
        }
        var slots: Set<DoseSlot> = []
        var asNeeded: [DoseEvent] = []
        var place: Int64?
        repeat {
            let page = try newest(of: medication, before: place, limit: 200)
            for row in page {
                guard let event = try? DoseEvent(decoding: row.encoding) else { continue }
                let counts = event.status?.isTaken == true && isNear(event)
                if let slot = event.slot {
                    if counts { slots.insert(slot) }
                } else if counts || !event.replaces.isEmpty {
                    // An event that replaces others decides which of them count.
                    asNeeded.append(event)
                }
            }
            place = page.last?.place
        } while place != nil
        let planned = try slots.flatMap { try state(of: $0).taken }
        return (planned + DoseHeads.of(asNeeded)).filter {
            $0.status?.isTaken == true && isNear($0)
        }
    }
}

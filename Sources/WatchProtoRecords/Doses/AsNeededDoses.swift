import WatchProtoCore

/// A dose that was taken as needed. Every one counts; none merges with another.
package struct AsNeededDose: Hashable, Sendable {
    /// The event that counts.
    package let event: DoseEvent
    /// Whether it may be another entry of the same dose: a different device has one within ten
    /// minutes, or two events replace the same one.
    package let mayBeDouble: Bool
}

extension AsNeededDose {
    /// Milliseconds between two doses of different devices that may be one.
    package static let doubleWindow: Int64 = 600_000

    /// The doses of one medication among `events` that were taken as needed, ascending by moment.
    package static func list(
        of medication: MedicationID, _ events: some Sequence<DoseEvent>
    ) -> [AsNeededDose] {
        let heads = DoseHeads.of(events.filter { $0.medication == medication && $0.slot == nil })
        let taken = heads.filter { $0.status?.isTaken == true }
            .sorted { ($0.moment, $0.id) < ($1.moment, $1.id) }
        var replacements: [DoseEventID: Int] = [:]
        for event in heads {
            for id in event.replaces { replacements[id, default: 0] += 1 }
        }
        // The doses within ten minutes of the one in question, by device.
        var near: [UInt32?: Int] = [:]
        var first = 0
        var end = 0
        return taken.map { event in
            let moment = event.moment.milliseconds
            while end < taken.count, taken[end].isNear(after: moment) {
                near[taken[end].time.device, default: 0] += 1
                end += 1
            }
            while !taken[first].isNear(before: moment) {
                near[taken[first].time.device, default: 0] -= 1
                first += 1
            }
            let others = end - first - near[event.time.device, default: 0]
            return AsNeededDose(
                event: event,
                mayBeDouble: others > 0 || event.replaces.contains { replacements[$0]! > 1 })
        }
    }
}

extension DoseEvent {
    /// Whether the moment is at most ten minutes after `other`, or before it.
    fileprivate func isNear(after other: Int64) -> Bool {
        let (limit, overflow) = other.addingReportingOverflow(AsNeededDose.doubleWindow)
        return overflow || moment.milliseconds <= limit
    }

    /// Whether the moment is at most ten minutes before `other`, or after it.
    fileprivate func isNear(before other: Int64) -> Bool {
        let (limit, overflow) = other.subtractingReportingOverflow(AsNeededDose.doubleWindow)
        return overflow || moment.milliseconds >= limit
    }
}

package import WatchProtoCore

/// A dose that was taken as needed. Every one counts; none merges with another.
public struct AsNeededDose: Hashable, Sendable {
    /// The event that counts.
    public let event: DoseEvent
    /// Whether it may be another entry of the same dose: a different device has one within ten
    /// minutes, or two events replace the same one.
    public let mayBeDouble: Bool
}

extension AsNeededDose {
    /// Milliseconds between two doses of different devices that may be one.
    static let doubleWindow: Int64 = 600_000

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

/// Limits of a dose taken as needed. They warn, and never block a record of the truth.
package struct AsNeededLimits: Hashable, Sendable {
    /// Minutes from one dose to the next, at least.
    package var minimumInterval: Int?
    /// Doses in any 24 hours, at most.
    package var maximumPerDay: Int?

    /// Makes the limits.
    package init(minimumInterval: Int? = nil, maximumPerDay: Int? = nil) {
        self.minimumInterval = minimumInterval
        self.maximumPerDay = maximumPerDay
    }

    /// The warnings about a dose at `moment` beside `others`, the moments of all doses that count.
    package func warnings(at moment: WallTime, _ others: [WallTime]) -> DoseWarnings {
        let time = moment.bounded
        let times = others.map(\.bounded)
        var warnings = DoseWarnings()
        if let minimumInterval {
            // A longer interval than any two moments have is no other warning.
            let least = Int64(max(0, min(minimumInterval, 1 << 40))) * 60_000
            warnings.isTooSoon = times.contains { abs($0 - time) < least }
        }
        if let maximumPerDay {
            // Every 24 hours that contain the dose begin at it or at an earlier one.
            let near = (times.filter { abs($0 - time) < Self.day } + [time]).sorted()
            var end = 0
            for (start, first) in near.enumerated() where first <= time {
                while end < near.count, near[end] - first < Self.day { end += 1 }
                warnings.dosesInDay = max(warnings.dosesInDay, end - start)
            }
            warnings.isOverMaximum = warnings.dosesInDay > maximumPerDay
        }
        return warnings
    }

    private static let day: Int64 = 86_400_000
}

extension WallTime {
    /// Milliseconds, clamped so that differences do not overflow.
    fileprivate var bounded: Int64 { min(max(milliseconds, -1 << 60), 1 << 60) }
}

/// Warnings for a person before a dose is recorded.
package struct DoseWarnings: Hashable, Sendable {
    /// Whether another dose is nearer than the minimum interval.
    package var isTooSoon = false
    /// The most doses in 24 hours that contain this one; 0 if there is no maximum.
    package var dosesInDay = 0
    /// Whether these are more than the maximum.
    package var isOverMaximum = false
}

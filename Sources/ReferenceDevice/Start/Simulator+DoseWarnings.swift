internal import ControlProtocol
internal import WatchProto

/// The warnings that the reply to `dose.record` has.
extension Simulator {
    /// The most warnings in one reply.
    private static let mostWarnings = 100

    /// The warnings about doses that are recorded, for each medication about its last dose; nil
    /// without any. If the ledger cannot be read, nothing is warned of: the doses are recorded.
    ///
    /// - Parameters:
    ///   - events: the doses.
    ///   - limits: the limits of the medications that have some.
    func warnings(
        about events: [DoseEvent], _ limits: [MedicationID: AsNeededLimits]
    ) -> JSONValue? {
        var list: [JSONValue] = []
        var seen: Set<MedicationID> = []
        for event in events.reversed() where event.status?.isTaken == true {
            guard let limits = limits[event.medication], seen.insert(event.medication).inserted,
                list.count < Self.mostWarnings,
                let found = try? ledger.store.warnings(about: event, limits)
            else { continue }
            let key = JSONValue.string(event.medication.recordKey.hex)
            if let next = found.tooSoonUntil {
                list.append([
                    "warning": "too_soon", "key": key, "next_minute": .whole(next.minutes),
                    "interval_minutes": .whole(limits.minimumInterval ?? 0),
                ])
            }
            if found.isOverMaximum {
                list.append([
                    "warning": "over_daily_maximum", "key": key,
                    "taken": .whole(found.dosesInDay), "maximum": .whole(limits.maximumPerDay ?? 0),
                ])
            }
        }
        guard !list.isEmpty else { return nil }
        return .array(Array(list.prefix(Self.mostWarnings)))
    }
}

import WatchProtoCore
import WatchProtoRecords

/// What became of doses: events in the order they came, each once.
///
/// Events are never merged away. Two for one dose both stay; a correction takes the place of the
/// event it names. The oldest go when there are more than ``capacity``.
struct DoseLog: Sendable {
    /// Events kept.
    static let capacity = 16_384

    private(set) var events: [DoseEvent] = []
    private var byDose: [DoseKey: [DoseEvent]] = [:]
    private var ids: Set<DoseEventID> = []
    private var corrected: Set<DoseEventID> = []

    /// Adds `event`; says whether it was new.
    mutating func insert(_ event: DoseEvent) -> Bool {
        guard ids.insert(event.id).inserted else { return false }
        events.append(event)
        byDose[event.doseKey, default: []].append(event)
        if let earlier = event.corrects { corrected.insert(earlier) }
        if events.count > Self.capacity {
            let gone = events.removeFirst()
            byDose[gone.doseKey]?.removeFirst()
            if byDose[gone.doseKey]?.isEmpty == true { byDose[gone.doseKey] = nil }
            ids.remove(gone.id)
            corrected.remove(gone.id)
        }
        return true
    }

    /// The events about one dose that count: neither corrected nor withdrawn.
    func standing(_ key: DoseKey) -> [DoseEvent] {
        (byDose[key] ?? []).filter(stands)
    }

    private func stands(_ event: DoseEvent) -> Bool {
        !corrected.contains(event.id) && event.action != .withdrawn
    }
}

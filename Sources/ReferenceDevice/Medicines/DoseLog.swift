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
    private var bySlot: [DoseSlot?: [DoseEvent]] = [:]
    private var ids: Set<DoseEventID> = []
    private var replaced: Set<DoseEventID> = []

    /// Adds `event`; says whether it was new.
    mutating func insert(_ event: DoseEvent) -> Bool {
        guard ids.insert(event.id).inserted else { return false }
        events.append(event)
        bySlot[event.slot, default: []].append(event)
        replaced.formUnion(event.replaces)
        if events.count > Self.capacity {
            let gone = events.removeFirst()
            bySlot[gone.slot]?.removeFirst()
            if bySlot[gone.slot]?.isEmpty == true { bySlot[gone.slot] = nil }
            ids.remove(gone.id)
            replaced.remove(gone.id)
        }
        return true
    }

    /// The events of one slot that count: neither replaced nor withdrawals.
    func standing(_ slot: DoseSlot) -> [DoseEvent] {
        (bySlot[slot] ?? []).filter(stands)
    }

    private func stands(_ event: DoseEvent) -> Bool {
        !replaced.contains(event.id) && event.action != .withdraw
    }
}

import WatchProtoCore
import WatchProtoRecords

/// The dose events of the last days, by their slots. The ledger has all of them.
struct DoseLog: Sendable {
    private var bySlot: [DoseSlot: [DoseEvent]] = [:]

    /// Adds an event, unless it is there.
    mutating func insert(_ event: DoseEvent) {
        guard let slot = event.slot,
            !bySlot[slot, default: []].contains(where: { $0.id == event.id })
        else { return }
        bySlot[slot, default: []].append(event)
        // Doses of earlier days are asked of the ledger.
        if bySlot.count > Self.slotLimit, let newest = bySlot.keys.map(\.day).max() {
            bySlot = bySlot.filter { $0.key.day + Self.daysKept >= newest }
        }
    }

    private static let slotLimit = 1024
    private static let daysKept: UInt16 = 8

    /// The state of a slot of the last days.
    func state(of slot: DoseSlot) -> PlannedRow.State { PlannedRow.State(bySlot[slot] ?? []) }
}

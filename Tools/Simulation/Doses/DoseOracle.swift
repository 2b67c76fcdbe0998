import WatchProtoCore
import WatchProtoRecords

/// The rules 4 to 7 for the state of doses, written for clarity from their text. The simulation
/// holds what a device shows against it.
enum DoseOracle {
    /// The state of a slot, as a device shows it.
    struct Slot: Hashable {
        var isClosed = false
        var isConflicting = false
        /// 0 taken, 1 skipped, 2 snoozed; nil if the slot is open or conflicting.
        var status: UInt8?
        /// The end of the snooze.
        var end: Int32?
        var heads: Set<UInt128> = []
        /// How many doses count for the maximum per day.
        var doses = 0
    }

    /// A dose taken as needed, as a device shows it.
    struct AsNeeded: Hashable {
        var identity: UInt128
        var mayBeDouble: Bool
    }

    /// Rule 4: the events that nobody replaced, withdrawals aside.
    static func heads(_ events: [DoseEvent]) -> [DoseEvent] {
        events.filter { event in
            event.action != .withdraw
                && !events.contains { $0.id != event.id && $0.replaces.contains(event.id) }
        }
    }

    /// Rules 5 to 7.
    static func slot(_ events: [DoseEvent]) -> Slot {
        let heads = heads(events)
        var shown = Slot(heads: Set(heads.map(\.id.rawValue)))
        let taken = heads.filter { $0.status?.isTaken == true }
        let skipped = heads.filter { $0.status?.isSkipped == true }
        if taken.isEmpty && skipped.isEmpty {
            let ends = heads.compactMap { $0.status?.snoozedUntil?.minutes }
            if let latest = ends.max() { (shown.status, shown.end) = (2, latest) }
            return shown
        }
        shown.isClosed = true
        shown.isConflicting =
            taken.count + skipped.count > 1 && !taken.isEmpty
            && !areEqualResolutions(taken + skipped)
        if !shown.isConflicting { shown.status = taken.isEmpty ? 1 : 0 }
        shown.doses = shown.isConflicting ? taken.count : min(1, taken.count)
        return shown
    }

    private static func areEqualResolutions(_ events: [DoseEvent]) -> Bool {
        events.allSatisfy { event in
            event.action == .resolve && event.status?.isTaken == events[0].status?.isTaken
                && event.status?.amount == events[0].status?.amount
        }
    }

    /// Rule 2: no dose merges with another; two of different devices within ten minutes are
    /// flagged, as are two that replace the same event.
    static func asNeeded(_ events: [DoseEvent]) -> Set<AsNeeded> {
        let heads = heads(events)
        let taken = heads.filter { $0.status?.isTaken == true }
        return Set(
            taken.map { dose in
                let isNear = taken.contains { other in
                    other.time.device != dose.time.device
                        && abs(other.moment.milliseconds - dose.moment.milliseconds) <= 600_000
                }
                let isShared = heads.contains { other in
                    other.id != dose.id && other.replaces.contains { dose.replaces.contains($0) }
                }
                return AsNeeded(
                    identity: dose.id.rawValue, mayBeDouble: isNear || isShared)
            })
    }

    /// Rule 8: a taken or skipped event that nobody undid or replaced keeps its slot closed.
    static func keepsClosed(_ event: DoseEvent, among events: [DoseEvent]) -> Bool {
        isClosing(event) && !events.contains { $0.replaces.contains(event.id) }
    }

    /// Whether an event says that a dose was taken or skipped.
    static func isClosing(_ event: DoseEvent) -> Bool {
        event.status.map { $0.isTaken || $0.isSkipped } ?? false
    }
}

/// The states that a device shows: the library's, unless a mutant is planted.
struct DoseView {
    var mutant: DoseMutant?

    func slot(_ slot: DoseSlot, _ events: [DoseEvent]) -> DoseOracle.Slot {
        var events = events
        switch mutant {
        case .newestWins:
            events = events.max { $0.time.wall < $1.time.wall }.map { [$0] } ?? []
        case .undoLosesHead:
            if events.contains(where: { $0.action == .withdraw }) {
                events.removeAll { $0.action == .record }
            }
        default: break
        }
        let state = DoseSlotState(of: slot, events)
        return DoseOracle.Slot(
            isClosed: state.isClosed, isConflicting: state.isConflicting,
            status: state.status?.code, end: state.status?.snoozedUntil?.minutes,
            heads: Set(state.heads.map(\.id.rawValue)), doses: state.taken.count)
    }

    func asNeeded(_ medication: MedicationID, _ events: [DoseEvent]) -> [DoseOracle.AsNeeded] {
        let list = AsNeededDose.list(of: medication, events).map { dose in
            DoseOracle.AsNeeded(
                identity: dose.event.id.rawValue, mayBeDouble: dose.mayBeDouble)
        }
        guard mutant == .mergesAsNeeded else { return list }
        return list.filter { !$0.mayBeDouble } + list.filter(\.mayBeDouble).prefix(1)
    }
}

/// The state of one slot: a pure function of the events that are about it.
///
/// No device and no clock wins: every order of the same events gives the same state.
public struct DoseSlotState: Hashable, Sendable {
    /// The slot.
    public let slot: DoseSlot
    /// The events that count: nothing replaced them. An undo or a resolution names them all.
    public let heads: [DoseEvent]
    /// The status; nil if the slot is open, or if its events conflict.
    public let status: DoseStatus?
    /// Whether two events say that the dose was taken, or one taken and one skipped. The slot is
    /// closed for reminders until a person resolves it.
    public let isConflicting: Bool
    /// Whether events were recorded and all of them withdrawn.
    public let isWithdrawn: Bool

    /// Makes the state of `slot` of those among `events` that are about it.
    package init(of slot: DoseSlot, _ events: some Sequence<DoseEvent>) {
        let events = events.filter { $0.slot == slot }
        self.slot = slot
        heads = DoseHeads.of(events)
        isWithdrawn = heads.isEmpty && !events.isEmpty
        let statuses = heads.compactMap(\.status)
        let closing = statuses.filter { !$0.isSnoozed }
        let agrees =
            closing.count < 2 || closing.allSatisfy { $0.isSkipped } || Self.agree(heads)
        isConflicting = !agrees
        status =
            isConflicting
            ? nil
            : closing.first
                ?? statuses.max { left, right in
                    (left.minute?.minutes ?? .min) < (right.minute?.minutes ?? .min)
                }
    }

    /// Makes the state of a slot without events.
    package init(open slot: DoseSlot) {
        self.slot = slot
        heads = []
        status = nil
        isConflicting = false
        isWithdrawn = false
    }

    /// Whether the heads, snoozes aside, are resolutions with equal statuses and amounts.
    private static func agree(_ heads: [DoseEvent]) -> Bool {
        let closing = heads.filter { $0.status?.isSnoozed == false }
        return closing.allSatisfy { head in
            head.action == .resolve && head.status?.code == closing[0].status?.code
                && head.status?.amount == closing[0].status?.amount
        }
    }

    /// Whether nothing was recorded, or everything was withdrawn.
    public var isOpen: Bool { heads.isEmpty }

    /// Whether the dose was taken or skipped, or its events conflict: no device reminds of it.
    public var isClosed: Bool { isConflicting || status.map { !$0.isSnoozed } ?? false }

    /// The doses that count for the maximum per day: every one that is said to be taken.
    package var taken: [DoseEvent] {
        let taken = heads.filter { $0.status?.isTaken == true }
        return isConflicting ? taken : Array(taken.prefix(1))
    }

    /// Makes the events that undo the dose: they withdraw every event that counts in this state,
    /// and no other. The slot is open when they are recorded, unless another event came meanwhile.
    ///
    /// - Returns: one event for each eight; none if the slot is open.
    public func undo(at time: DoseTime) -> [DoseEvent] {
        DoseEvent.replacing(heads, by: .withdraw, nil, at: time, newID: DoseEventID.random)
    }

    /// Makes the events of a person's word on a conflict: they replace every event that counts in
    /// this state, and no other.
    ///
    /// - Parameters:
    ///   - status: taken or skipped.
    ///   - time: the time of the act.
    /// - Returns: one event for each eight; none for a snooze, and if nothing conflicts.
    public func resolve(as status: DoseStatus, at time: DoseTime) -> [DoseEvent] {
        guard isConflicting, DoseAction.resolve.allows(status) else { return [] }
        return DoseEvent.replacing(
            heads, by: .resolve, status, at: time, newID: DoseEventID.random)
    }
}

extension DoseEventID {
    /// A new identity, drawn at random.
    package static func random() -> DoseEventID {
        DoseEventID(rawValue: .random(in: 1...UInt128.max))
    }
}

extension DoseEvent {
    /// Makes the events that replace `heads`, one for each eight.
    ///
    /// Equal resolutions agree, and partial undos add up, so that several events act as one.
    package static func replacing(
        _ heads: [DoseEvent], by action: DoseAction, _ status: DoseStatus?, at time: DoseTime,
        newID: () -> DoseEventID
    ) -> [DoseEvent] {
        stride(from: 0, to: heads.count, by: DoseAction.mostReplaced).compactMap { start in
            let part = heads[start..<min(start + DoseAction.mostReplaced, heads.count)]
            return DoseEvent(id: newID(), action, part, status: status, time: time)
        }
    }
}

/// Counts over slots, for adherence.
package struct DoseCounts: Hashable, Sendable {
    /// Slots with a dose taken, at most one each.
    package var taken = 0
    /// Slots that were skipped.
    package var skipped = 0
    /// Slots whose events conflict; those with a dose taken count as taken as well.
    package var conflicting = 0
    /// Slots that are open or snoozed.
    package var open = 0

    /// Counts `states`.
    package init(_ states: some Sequence<DoseSlotState>) {
        for state in states {
            if state.isConflicting { conflicting += 1 }
            if !state.taken.isEmpty {
                taken += 1
            } else if state.isClosed {
                skipped += 1
            } else {
                open += 1
            }
        }
    }
}

import WatchProtoCore

/// The contents of a face from one minute on, without any further event: at most 24 entries, one
/// for each change, and the minute at which they end.
///
/// It is a pure function of its inputs. Two devices with equal medications, ledgers, checks, zones
/// and clocks have equal timelines, byte for byte; the order of the medications has no part in it.
package struct FaceTimeline: Hashable, Sendable {
    /// The most entries.
    package static let largestCount = 24
    /// Minutes after which a timeline ends, if its entries do not end it before: two days.
    package static let longest = 2880
    /// Minutes after which a device makes its timeline anew, at the latest.
    package static let refresh = 15

    /// The entries, ascending. There is always one.
    package let entries: [FaceEntry]
    /// The minute at which the last entry ends. From then on a face says *as of*.
    package let end: WallMinute
    /// The minute of the last comparison of the ledgers that counts; nil for none.
    package let checked: WallMinute?
    /// Medications that are active.
    package let active: UInt16

    /// Makes the timeline from `now` on.
    ///
    /// - Parameters:
    ///   - dosings: the medications, in any order.
    ///   - states: the states of the slots with events, at least from four dates before `now` to
    ///     six after it, and of later ones those up to a medication's next dose. All other slots
    ///     are open.
    ///   - now: the minute of the wall clock.
    ///   - zone: the offsets of the wearer's local time, of the past two days and the next four.
    ///   - checked: the minute of the last comparison that found equal ledgers; nil for none. One
    ///     after `now` does not count: the clock was changed since.
    package init(
        _ dosings: some Collection<FaceDosing>, _ states: [DoseSlot: DoseSlotState],
        at now: WallMinute, zone: ZoneTimeline, checked: WallMinute?
    ) {
        let check = checked.flatMap { $0 > now ? nil : $0 }
        var builder = FaceBuilder(states, at: now, zone: zone, checked: check)
        var active = 0
        for dosing in dosings {
            if dosing.isActive { active += 1 }
            builder.collectMinutes(of: dosing)
        }
        builder.beginEntries()
        for dosing in dosings { builder.addDoses(of: dosing) }
        if builder.needsLaterDose {
            for dosing in dosings { builder.addLaterDose(of: dosing) }
        }
        entries = builder.finishedEntries
        end = builder.end
        self.checked = check
        self.active = UInt16(clamping: active)
    }

    /// Restores a timeline from its parts; nil if they could not be those of one.
    init?(_ entries: [FaceEntry], end: WallMinute, checked: WallMinute?, active: UInt16) {
        guard (1...Self.largestCount).contains(entries.count), let last = entries.last,
            zip(entries, entries.dropFirst()).allSatisfy({ $0.minute < $1.minute }),
            last.minute < end
        else { return nil }
        self.entries = entries
        self.end = end
        self.checked = checked
        self.active = active
    }

    /// The content of the face at `now`.
    ///
    /// After the end of the timeline, and before its begin if the clock was set back, it is that of
    /// the nearest entry, marked with the minute up to which it was right.
    package func shown(at now: WallMinute) -> ShownFace {
        let first = entries[0]
        if now < first.minute { return ShownFace(first, asOf: first.minute) }
        let entry = entries.last { $0.minute <= now } ?? first
        return ShownFace(entry, asOf: now < end ? nil : end)
    }

    /// The minute at which a device looks at its face again: the next entry, the end, or 15
    /// minutes later, whichever is first.
    package func nextLook(after now: WallMinute) -> WallMinute {
        let refresh = now.advanced(by: Self.refresh)
        let next = entries.first { $0.minute > now }?.minute ?? end
        return next > now ? min(next, refresh) : refresh
    }

    /// The minute at which a device looks at its face again, also if it has no timeline.
    package static func nextLook(at timeline: FaceTimeline?, after now: WallMinute) -> WallMinute {
        timeline?.nextLook(after: now) ?? now.advanced(by: refresh)
    }

    /// The states of the slots that `events` are about. An event that is there twice counts once.
    package static func states(_ events: some Sequence<DoseEvent>) -> [DoseSlot: DoseSlotState] {
        var bySlot: [DoseSlot: [DoseEvent]] = [:]
        var known: Set<DoseEventID> = []
        for event in events {
            guard let slot = event.slot, known.insert(event.id).inserted else { continue }
            bySlot[slot, default: []].append(event)
        }
        var states: [DoseSlot: DoseSlotState] = [:]
        for (slot, events) in bySlot { states[slot] = DoseSlotState(of: slot, events) }
        return states
    }
}

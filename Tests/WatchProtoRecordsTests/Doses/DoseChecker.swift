import WatchProtoCore
import WatchProtoRecords

/// The functions that a device applies to its set of events: the true ones, or planted mistakes.
struct DoseFunctions: Sendable {
    /// The state that a device shows of a slot.
    struct Shown: Hashable {
        var isOpen: Bool
        var isConflicting: Bool
        var status: UInt8?
    }

    var show: @Sendable ([DoseEvent]) -> Shown = { events in
        let state = DoseSlotState(of: Doses.slot, events)
        return Shown(
            isOpen: state.isOpen, isConflicting: state.isConflicting, status: state.status?.code)
    }
    var countAsNeeded: @Sendable ([DoseEvent]) -> Int = { events in
        AsNeededDose.list(of: Doses.medication, events).count
    }
    /// The set of a device that had `own` after it received `theirs`.
    var merge: @Sendable (_ own: [DoseEvent], _ theirs: [DoseEvent]) -> [DoseEvent] = {
        own, theirs in
        var ledger = DoseLedger(own)
        ledger.merge(DoseLedger(theirs))
        return ledger.events
    }
}

/// Checks the rules against definitions of their own, over one random history of three devices.
struct DoseChecker {
    let functions: DoseFunctions
    private var samples: RecordSamples
    private var sets: [[DoseEvent]] = [[], [], []]
    /// The rules that were found broken.
    private(set) var broken: Set<String> = []

    init(_ functions: DoseFunctions, seed: UInt64) {
        self.functions = functions
        samples = RecordSamples(seed: seed)
    }

    /// The broken rules of a history of `steps` events and meetings.
    static func run(_ functions: DoseFunctions, seed: UInt64, steps: Int = 24) -> Set<String> {
        var checker = DoseChecker(functions, seed: seed)
        for _ in 0..<steps {
            if checker.samples.below(3) == 0 { checker.meet() } else { checker.act() }
        }
        checker.settle()
        return checker.broken
    }

    private mutating func act() {
        let device = samples.below(3)
        let before = sets[device]
        let isAsNeeded = samples.below(4) == 0
        let known = before.filter { ($0.slot == nil) == isAsNeeded }
        let heads = Self.heads(known)
        let id = DoseEventID(rawValue: samples.identity())
        let time = Doses.time(samples.below(30), device: UInt32(device))
        let status = [DoseStatus.taken, .skipped, .snoozed(until: Doses.due)][samples.below(3)]
        let some = heads.filter { _ in samples.below(4) > 0 }
        let event =
            switch samples.below(6) {
            case 0: DoseEvent(id: id, .withdraw, heads, status: nil, time: time)
            case 1: DoseEvent(id: id, .withdraw, some, status: nil, time: time)
            case 2: DoseEvent(id: id, .correct, some.prefix(1), status: status, time: time)
            case 3: DoseEvent(id: id, .resolve, heads, status: status, time: time)
            default:
                DoseEvent(
                    id: id, medication: Doses.medication,
                    planned: isAsNeeded ? nil : Doses.planned, status: status, time: time)
            }
        guard let event else { return }
        sets[device] = functions.merge(before, [event])
        check(before, sets[device], gained: [event])
    }

    private mutating func meet() {
        let (own, other) = (samples.below(3), samples.below(3))
        let before = sets[own]
        // Sometimes the other device's set comes from a backup.
        let theirs = samples.below(3) == 0 ? Array(sets[other].dropLast(2)) : sets[other]
        sets[own] = functions.merge(before, theirs)
        check(before, sets[own], gained: theirs)
    }

    /// Checks one device's step.
    private mutating func check(
        _ before: [DoseEvent], _ after: [DoseEvent], gained: [DoseEvent]
    ) {
        if Set(after) != Set(before).union(gained) { broken.insert("3: the set only grows") }
        let shown = functions.show(after)
        let heads = Self.heads(after.filter { $0.slot != nil })
        if shown.isOpen != heads.isEmpty { broken.insert("6: open if every head was named") }
        let wasClosed = functions.show(before).closes
        if wasClosed, !shown.closes, !heads.allSatisfy({ $0.status?.isSnoozed ?? true }) {
            broken.insert("8: nothing else reopens")
        }
        let taken = heads.filter { $0.status?.isTaken == true && $0.action != .resolve }
        let skipped = heads.filter { $0.status?.isSkipped == true }
        if taken.count > 1 || !taken.isEmpty && !skipped.isEmpty, !shown.isConflicting {
            broken.insert("5: a conflict is shown")
        }
        let asNeeded = Self.heads(after.filter { $0.slot == nil })
        if functions.countAsNeeded(after) != asNeeded.count(where: { $0.status?.isTaken == true }) {
            broken.insert("2: doses taken as needed never merge")
        }
        let shuffled = after.shuffled(using: &samples.random)
        if functions.show(shuffled) != shown { broken.insert("3: no order wins") }
    }

    /// Checks that all devices agree after each has met each, in any order.
    private mutating func settle() {
        let (first, second, third) = (sets[0], sets[1], sets[2])
        let merge = functions.merge
        let whole = merge(merge(first, second), third)
        let others = [
            merge(first, merge(second, third)), merge(merge(third, second), first),
            merge(whole, whole), merge(whole, second),
        ]
        for other in others {
            if DoseLedger(other) != DoseLedger(whole)
                || functions.show(other) != functions.show(whole)
            {
                broken.insert("3: all devices agree")
            }
        }
    }

    /// The heads by their definition, for sets without circles.
    private static func heads(_ events: [DoseEvent]) -> [DoseEvent] {
        events.filter { event in
            event.action != .withdraw
                && !events.contains { $0.slot == event.slot && $0.replaces.contains(event.id) }
        }
    }
}

extension DoseFunctions.Shown {
    /// Whether the slot is closed for reminders.
    fileprivate var closes: Bool { isConflicting || status.map { $0 < 2 } ?? false }
}

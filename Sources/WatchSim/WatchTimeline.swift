import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The face that the watch makes of its own list and ledger. It moves without the phone: a look
/// follows each change, each entry of the timeline, and 15 minutes without either.
final class WatchTimeline: Sendable {
    /// Why a look is due, and since when.
    struct Pending: Sendable {
        /// The moments of the doses that the face does not show yet, by the wall clock.
        var since: [WallTime] = []
        /// Whether the phone's state is the only reason.
        var isPushAlone = true
    }

    struct State: Sendable {
        var log = DoseLog()
        var zones = ZoneLog()
        var timeline: FaceTimeline?
        var shown = FaceDisplay()
        /// Whether the face may name no medication.
        var isPrivate = false
        var pending: Pending? = Pending()
        /// When the next look is due without a change.
        var next: Instant?
        /// No look is made before this: a burst of changes is shown at its first and its last one.
        var earliest = Instant(nanoseconds: 0)
        var ages = FaceAges()
        var reminders = DoseReminders()
        var keeping = Keeping()
    }

    let state = Mutex(State())

    /// The least time between two looks. If a look at a long list takes longer than a quarter of
    /// that, the next one comes after four times as long.
    private static let pause = Duration.milliseconds(40)
    /// Changes between two looks whose ages are noted.
    private static let mostMoments = 1000

    // MARK: Changes

    /// Marks the face as changed.
    ///
    /// - Returns: whether nothing was marked before.
    func mark(_ cause: FaceCause) -> Bool {
        state.withLock { state in
            let isFirst = state.pending == nil
            var pending = state.pending ?? Pending()
            if case .pushed = cause {} else { pending.isPushAlone = false }
            if pending.since.count < Self.mostMoments {
                switch cause {
                case .recorded(let events), .arrived(let events):
                    pending.since += events.map { $0.time.wall }
                // An edit of years ago that arrives now is no old face.
                case .list, .pushed, .other: break
                }
            }
            state.pending = pending
            return isFirst
        }
    }

    /// Whether the face may name no medication.
    var isPrivate: Bool { state.withLock { $0.isPrivate } }

    /// The watch is locked or off the wrist, or it is not any more.
    func setPrivate(_ isPrivate: Bool) { state.withLock { $0.isPrivate = isPrivate } }

    /// Adds dose events of the ledger.
    func add(_ events: [DoseEvent]) {
        state.withLock { state in for event in events { state.log.insert(event) } }
    }

    /// Forgets what the file holds and is to hold, as its list is erased or the file has failed.
    func forgetKept() {
        state.withLock { state in
            state.keeping = Keeping()
            state.zones.forgetWritten()
        }
    }

    /// Takes up the zones of a file.
    func restore(_ zones: ZoneLog) { state.withLock { $0.zones = zones } }

    /// The zones for the file, if they have changed.
    func zonesToKeep() -> [UInt8]? { state.withLock { $0.zones.takeNews() } }

    /// The offsets of the wearer's local time around the present minute.
    func zone(at now: WallMinute) -> ZoneTimeline { state.withLock { $0.zones.offsets(at: now) } }

    /// Forgets the doses, as the ledger did.
    func forgetDoses() { state.withLock { $0.log = DoseLog() } }

    /// When a look is due.
    var nextLook: Instant? {
        state.withLock { state in
            let next = state.pending == nil ? state.next : state.earliest
            return [next, state.keeping.due].compactMap(\.self).min()
        }
    }

    /// Whether a look is due, not only the keeping of the face.
    func isLookDue(at now: Instant) -> Bool {
        state.withLock { state in
            (state.pending == nil ? state.next : state.earliest).map { $0 <= now } ?? false
        }
    }

    /// Whether a change is not shown yet.
    var isPending: Bool { state.withLock { $0.pending != nil } }

    // MARK: Looks

    /// Makes the timeline anew and shows its present entry.
    func look(
        _ store: borrowing Mutex<WatchStore>, _ pictures: WatchPictures, in simulator: Simulator
    ) {
        let (begin, computed) = (SystemClock.now, SystemClock.threadNanoseconds)
        let pending = state.withLock { state in
            defer { state.pending = nil }
            return state.pending
        }
        let clock = SystemClock.wall
        let now = WallMinute(clock.time)
        // The check is read before the doses that it is about.
        let checked = try? simulator.lastCheck()
        let ledger = simulator.ledger.store
        // All events of this digest are in the log below: a commit is reported within the same
        // piece of the ledger's work, and none is under way.
        var included = try? ledger.digest()
        if !simulator.ledger.isIdle { included = nil }
        let (dosings, changes) = store.withLock { ($0.dosings, $0.changes) }
        let zone = zone(at: now)
        let (last, log) = state.withLock { state in
            // If the file cannot be read, the timeline that was made before goes on.
            let isRead = (try? state.log.hold(around: clock) { try ledger.events(on: $0) }) != nil
            return (state.timeline, isRead ? state.log : nil)
        }
        if log == nil { included = nil }
        // Made without the lock, which the link waits for.
        var timeline = last
        if let log {
            let states = log.states
            timeline =
                dosings.isEmpty
                ? nil : FaceTimeline(dosings, states, at: now, zone: zone, checked: checked)
            let made = timeline
            var reminders = state.withLock { $0.reminders }
            let changes = reminders.look(dosings, states, at: now, zone: zone)
            state.withLock { state in
                state.timeline = made
                state.reminders = reminders
            }
            simulator.tell(changes)
        }
        let own = (try? ledger.digest()) ?? LedgerDigest()
        var display = store.withLock { store in
            FaceDisplay(store.face.complication, timeline?.shown(at: now), timeline, own, now) {
                store.medication($0)
            }
        }
        display.isPrivate = isPrivate
        display.picture = pictures.face(names: display.named?.rawValue)
        if display.isUnchecked || display.isBehind { simulator.ledger.check() }
        // Without a change, it was time itself that moved the face.
        let moved = last?.shown(at: now).entry.minute.wallTime
        let since = pending?.since ?? (moved.map { [$0] } ?? [])
        show(display, since, isPush: pending?.isPushAlone ?? false, at: clock, in: simulator)
        let cost = SystemClock.threadNanoseconds - computed
        let wait = max(Self.pause.nanosecondsClamped, Int64(clamping: cost) &* 4)
        var end = FaceTimeline.nextLook(at: timeline, after: now)
        if timeline == nil, let next = display.state?.nextDose, next > now { end = min(end, next) }
        let left = max(0, end.wallTime.milliseconds - clock.time.milliseconds)
        let face = timeline.flatMap { timeline in
            included.map {
                KeptFace(timeline, $0, zoneOffsetMinutes: clock.zoneOffsetMinutes)
            }
        }
        state.withLock { state in
            if timeline == nil {
                state.keeping = Keeping()
            } else {
                state.keeping.take(face, changes, at: begin)
            }
            state.earliest = begin.advanced(by: .nanoseconds(wait))
            state.next = begin.advanced(by: .milliseconds(left))
        }
    }

    /// Shows a display, and reports it if it differs from the last one.
    private func show(
        _ display: FaceDisplay, _ since: [WallTime], isPush: Bool, at clock: WallClock,
        in simulator: Simulator
    ) {
        var display = display
        let (isNew, hasSamePicture) = state.withLock { state in
            display.takePlace(of: state.shown, at: SystemClock.now)
            defer { state.shown = display }
            state.ages.pass(isStale: display.asOf != nil, at: SystemClock.now)
            return (!state.shown.looks(like: display), state.shown.hasPicture(of: display))
        }
        // The phone's state was reported when it arrived. It has no picture.
        let isReported = isPush && display.isPhones
        guard isNew, !(isReported && hasSamePicture) else { return }
        let ages = isReported ? [] : since.map { FaceAge.nanoseconds(since: $0, at: clock.time) }
        state.withLock { state in for age in ages { state.ages.add(age) } }
        guard !simulator.isQuiet else { return }
        var members = display.members
        members["source"] = isReported ? "picture" : "timeline"
        members["age_ns"] = ages.max().map { .whole($0) } ?? .null
        simulator.hub.post("complication.shown", .object(members))
    }
}

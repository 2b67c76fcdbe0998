import Locks
package import WatchProtoCore
import WatchProtoJournal
package import WatchProtoRecords
package import WatchProtoTransport

/// The part of a session that complications need.
package protocol ComplicationLink: LedgerLink {
    /// The newest value of a key of this side, settled or not; nil where it has none.
    func newestValue(_ channel: Channel, of key: RecordKey) -> OutboundRecord?

    /// The known status of a record of this side.
    func status(of id: RecordID) -> RecordStatus
}

extension DriverSession: ComplicationLink {}

/// Publishes the complications of one watch as a `ComplicationPlanner` says, and keeps the newest
/// update of each place that waits. It has no use on a watch.
///
/// An update that leaves is a value of the channel *complication*. The count of pushes is durable
/// before the first packet of a push. Methods with `later` are called under the driver's lock, and
/// take the publisher's own lock after it. Nothing takes the two in the other order.
package final class ComplicationPublisher: Sendable {
    /// An update that waits.
    struct Content: Sendable {
        var payload: [UInt8]
        /// Called when it is queued.
        var accepted: @Sendable (RecordID, Instant) -> Void
    }

    struct State {
        var link: (any ComplicationLink)?
        var watch: UInt128 = 0
        var planner: ComplicationPlanner
        var contents: [UInt32: Content] = [:]
        /// The newest updates that were dropped because the watch shows them by itself, since the
        /// newest one that left: the watch does not show that one any more.
        var shownThere: [UInt32: [UInt8]] = [:]
        var deadline: Instant?
        /// Updates given to the driver, by their tags, with their places.
        var deferred: [UInt64: (place: UInt32, content: Content)] = [:]
        var nextTag = ComplicationPublisher.firstTag
        /// Counts the changes by events of the session.
        var changes = 0

        /// The session refused an update that was to leave: it waits again, unless a newer one
        /// does.
        mutating func putBack(_ content: Content, _ place: UInt32) {
            guard contents[place] == nil else { return }
            contents[place] = content
            planner.putBack(place)
        }

        /// Drops the updates that do not wait any more.
        mutating func dropContents() {
            guard !contents.isEmpty else { return }
            let waiting = planner.waitingPlaces
            contents = contents.filter { waiting.contains($0.key) }
        }

        /// The bytes that outlive the process.
        var plan: [UInt8] {
            var plan = ComplicationPlan(planner.account)
            plan.activePlaces = planner.activePlaces
            plan.waiting = contents.mapValues(\.payload)
            plan.shownThere = shownThere
            return plan.bytes
        }
    }

    /// Greater than the tags of others.
    static let firstTag: UInt64 = 1 << 32

    let state: Mutex<State>
    /// One offer at a time, so that updates leave in the order of their offers.
    let offers = Mutex<Void>(())
    let clock: any DriverClock
    let store: any ComplicationStore
    let role: DeviceRole
    let assumesForeground: Bool
    private let left = Atomic<Int>(0)
    private let observer: @Sendable (Report, Instant) -> Void

    /// A change of the plan that an application may tell.
    package enum Report: Sendable {
        /// The count of pushes left.
        case left(Int)
        /// An update found no push left.
        case demoted(isUrgent: Bool)
    }

    /// A publisher without a session.
    ///
    /// - Parameters:
    ///   - role: the role of this device.
    ///   - store: keeps the plans.
    ///   - profile: the limits of the watch's platform.
    ///   - clock: the clocks of this device.
    ///   - assumesForeground: whether a watch that has not told about its face in this session is
    ///     in the foreground.
    ///   - observer: called under the driver's lock or inside an offer.
    package init(
        _ role: DeviceRole, _ store: any ComplicationStore,
        profile: ComplicationProfile = .watchConnectivity, clock: any DriverClock,
        assumesForeground: Bool = false,
        observer: @escaping @Sendable (Report, Instant) -> Void = { _, _ in }
    ) {
        self.role = role
        self.store = store
        self.clock = clock
        self.assumesForeground = assumesForeground
        self.observer = observer
        let account = ComplicationAccount(at: clock.now, clock.wall)
        state = Mutex(State(planner: ComplicationPlanner(profile, account)))
    }

    /// Whether the face in use shows a complication, as the watch told last; true until it tells.
    package var isEnabled: Bool { planner.activePlaces?.isEmpty != true }

    // MARK: Sessions

    /// The session with a watch, or with the phone, begins. Updates that waited when the last
    /// session ended are queued.
    ///
    /// - Parameters:
    ///   - link: the session.
    ///   - watch: the watch's name for its plan.
    ///   - status: the status that its application reported last in this session; nil for none.
    package func begin(
        _ link: any ComplicationLink, watch: UInt128, _ status: AppStatus? = nil
    ) {
        let (now, wall) = (clock.now, clock.wall)
        var plan = ComplicationPlan(ComplicationAccount(at: now, wall))
        do {
            if let bytes = try store.plan(of: watch) { plan = try ComplicationPlan(bytes) }
        } catch {
            // The safe guess about an account that cannot be read.
            plan = ComplicationPlan(.exhausted(at: now, wall))
        }
        let (restored, isReachable) = (plan, link.isReachable)
        let profile = state.withLock { state in
            var planner = ComplicationPlanner(state.planner.profile, restored.account)
            planner.setFace(
                isForeground: status?.isForeground ?? assumesForeground,
                activePlaces: status.map(\.sortedPlaces) ?? restored.activePlaces)
            planner.setReachable(isReachable)
            state.planner = planner
            state.link = link
            state.watch = watch
            state.contents = [:]
            state.shownThere = restored.shownThere
            state.deadline = nil
            return planner.profile
        }
        left.store(restored.account.left(profile), ordering: .relaxed)
        guard role == .phone else { return }
        for place in restored.waiting.keys.sorted() {
            let former = state.withLock { $0.shownThere.removeValue(forKey: place) }
            for payload in [former, restored.waiting[place]].compactMap(\.self) {
                let draft = Self.draft(place, payload)
                _ = try? link.transfer(draft, writes: [], accepted: { _, _ in })
            }
        }
        if !restored.waiting.isEmpty {
            let kept = state.withLock { $0.plan }
            link.write(store.keep(kept, of: watch))
        }
    }

    /// The session has ended.
    package func end() {
        state.withLock { state in
            state.link = nil
            state.deadline = nil
            state.deferred = [:]
            state.planner.setReachable(false)
        }
    }

    static func draft(
        _ place: UInt32, _ payload: [UInt8], waitsForCommit: Bool = false
    ) -> RecordDraft {
        RecordDraft(
            channel: .complication, kind: .complication,
            key: ComplicationID(rawValue: place).recordKey, payload: payload,
            waitsForCommit: waitsForCommit)
    }

    // MARK: Questions

    /// The planner as it is now.
    package var planner: ComplicationPlanner {
        let (now, wall) = (clock.now, clock.wall)
        return state.withLock { state in
            state.planner.advance(to: now, wall)
            return state.planner
        }
    }

    /// The decisions on updates of a place, the oldest first.
    package func why(_ place: ComplicationID) -> [ComplicationDecision] {
        state.withLock { $0.planner.decisions }.filter { $0.place == place.rawValue }
    }

    /// Reports the count of pushes left, if it is another one now, and updates that found none.
    func report(_ demoted: [Bool], at now: Instant) {
        while true {
            // Another thread may report meanwhile: the last report has the present count.
            let count = state.withLock { $0.planner.left }
            guard left.exchange(count, ordering: .relaxed) != count else { break }
            observer(.left(count), now)
        }
        for isUrgent in demoted { observer(.demoted(isUrgent: isUrgent), now) }
    }
}

/// Plans when updates of a watch's complications leave, so that the pushes of a day last.
///
/// The planner is a value without contents: the caller keeps the newest update of each place, and
/// lets those leave that the planner names. Only a push costs: it wakes a watch that is not in the
/// foreground. An urgent update is pushed at once while any push is left. A routine one waits for
/// an urgent one, for the foreground, or for its moment: the pushes above a reserve are spread over
/// the waking hours. Updates of one burst leave together.
package struct ComplicationPlanner: Sendable {
    /// An update that has not left.
    struct Waiting: Sendable {
        var place: UInt32
        /// The number of its decision.
        var number: UInt64
        var isUrgent: Bool
        var reason: ComplicationReason
    }

    /// The platform's limits.
    package var profile: ComplicationProfile
    /// The count of pushes.
    package internal(set) var account: ComplicationAccount
    /// Whether the watch can be sent anything now.
    package private(set) var isReachable = false
    /// Whether the watch is in the foreground.
    package private(set) var isForeground = false
    /// The places that the face in use shows; nil for all.
    package private(set) var activePlaces: [UInt32]?
    /// The updates that wait, one for each place.
    var waiting: [Waiting] = []
    /// The last push of this process.
    var lastPush: Instant?
    /// The moment until which the watch is awake after a record.
    private var awakeUntil: Instant = .zero
    /// The planned doses that are left today.
    var slotsLeft = 0
    /// The newest decisions, the oldest first.
    package internal(set) var decisions: [ComplicationDecision] = []
    var counts = [UInt64](repeating: 0, count: ComplicationReason.count)
    /// The urgent updates that found no push left.
    package internal(set) var missedTargets: UInt64 = 0
    /// Whether each update that found no push left is urgent, until ``takeDemoted()``.
    var demoted: [Bool] = []
    /// The offers so far.
    package private(set) var offered: UInt64 = 0

    /// Plans by the limits of `profile`, with the pushes that the account has.
    package init(_ profile: ComplicationProfile, _ account: ComplicationAccount) {
        self.profile = profile
        self.account = account
    }

    /// The pushes that are left now, as of the last call with a clock.
    package var left: Int { account.left(profile) }

    /// The decisions of one reason.
    package func count(_ reason: ComplicationReason) -> UInt64 { counts[Int(reason.rawValue)] }

    /// The places whose updates wait.
    package var waitingPlaces: [UInt32] { waiting.map { $0.place } }

    /// Counts the time up to now.
    package mutating func advance(to now: Instant, _ clock: WallClock) {
        account.advance(to: now, clock)
    }

    // MARK: Offers

    /// Decides on an update. It leaves now if the reason is `pushed`, `foreground`, `riding` or
    /// `unreachable`, and all updates that wait leave with it, if the caller asks for them by
    /// ``takeReleased()``.
    ///
    /// - Returns: the reason; of a push, ``account`` counts it already.
    package mutating func offer(
        _ offer: ComplicationOffer, at now: Instant, _ clock: WallClock
    ) -> ComplicationReason {
        account.advance(to: now, clock)
        slotsLeft = max(0, offer.slotsLeft)
        offered += 1
        let former = waiting.first { $0.place == offer.place }
        if let reason = dropped(offer, former) {
            // The newest one counts again: the one that waited has no worth.
            if offer.equality == .newest, former != nil { replace(offer.place) }
            record(offer.place, offer.isUrgent, reason, clock)
            return reason
        }
        replace(offer.place)
        let isUrgent = offer.isUrgent || former?.isUrgent == true
        let hadMissed = former?.reason == .demoted
        let isFree = isReachable && former == nil && offer.needless != nil
        let reason = isFree ? .riding : reason(isUrgent, offer.place, at: now, clock)
        let number = record(offer.place, isUrgent, reason, clock)
        switch reason {
        case .waiting, .demoted, .inactive:
            waiting.append(
                Waiting(
                    place: offer.place, number: number, isUrgent: isUrgent, reason: reason))
            if reason == .demoted {
                // An urgent one whose place this one took has missed its target before.
                reportDemoted(offer.isUrgent || former?.isUrgent == true && !hadMissed)
            }
        case .pushed: release(as: .riding, onlyActive: true)
        default: release(as: reason)
        }
        return reason
    }

    private mutating func reason(
        _ isUrgent: Bool, _ place: UInt32, at now: Instant, _ clock: WallClock
    ) -> ComplicationReason {
        if !isReachable { return .unreachable }
        if isForeground { return .foreground }
        if now < awakeUntil { return .riding }
        if !isActive(place) { return .inactive }
        guard left > 0 else { return .demoted }
        guard pause(isUrgent, at: now, clock) == .zero else { return .waiting }
        spend(isUrgent, at: now)
        return .pushed
    }

    func isActive(_ place: UInt32) -> Bool { activePlaces?.contains(place) ?? true }

    private mutating func spend(_ isUrgent: Bool, at now: Instant) {
        account.spend(isUrgent: isUrgent)
        lastPush = now
    }

    // MARK: Releases

    private var released: [UInt32] = []

    /// The places whose updates leave now, because something let them go since the last call.
    package mutating func takeReleased() -> [UInt32] {
        defer { released = [] }
        return released
    }

    /// Lets the updates go that wait. Those that wait for their moment get this reason.
    private mutating func release(as reason: ComplicationReason, onlyActive: Bool = false) {
        var kept: [Waiting] = []
        for one in waiting {
            if onlyActive, !isActive(one.place) {
                kept.append(one)
                continue
            }
            if one.reason == .waiting { change(one.number, to: reason) }
            released.append(one.place)
        }
        waiting = kept
    }

    /// Pushes what is due now. Call it at ``nextDeadline(at:_:)``.
    package mutating func wake(at now: Instant, _ clock: WallClock) {
        account.advance(to: now, clock)
        guard isReachable, !isForeground else { return }
        for isUrgent in [true, false] {
            guard
                let first = waiting.firstIndex(where: { one in
                    one.reason == .waiting && one.isUrgent == isUrgent && isActive(one.place)
                })
            else { continue }
            guard left > 0 else {
                demote(isUrgent)
                continue
            }
            guard pause(isUrgent, at: now, clock) == .zero else { continue }
            spend(isUrgent, at: now)
            // The one that the push is for; the others ride with it.
            waiting[first].reason = .pushed
            change(waiting[first].number, to: .pushed)
            return release(as: .riding, onlyActive: true)
        }
    }

    /// A record of another channel left for the watch, or came from it: the watch is awake.
    package mutating func watchIsAwake(at now: Instant) {
        guard isReachable else { return }
        awakeUntil = now.advanced(by: Self.rideTime)
        release(as: .riding)
    }

    /// The time after a record in which an update still rides with it.
    private static let rideTime = Duration.milliseconds(30)

    /// The watch became reachable, or stopped being so.
    package mutating func setReachable(_ isReachable: Bool) {
        self.isReachable = isReachable
        awakeUntil = .zero
        release(as: .unreachable)
    }

    /// The watch told whether it is in the foreground, and which places its face shows.
    package mutating func setFace(isForeground: Bool, activePlaces: [UInt32]?) {
        self.isForeground = isForeground
        self.activePlaces = activePlaces
        if isForeground && isReachable { release(as: .foreground) }
    }

    /// The carrier says how many pushes remain today.
    package mutating func report(remaining: Int, at now: Instant, _ clock: WallClock) {
        account.advance(to: now, clock)
        account.report(remaining: remaining, clock)
    }
}

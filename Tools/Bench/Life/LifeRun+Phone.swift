import WatchProtoCore
import WatchProtoRecords

/// The content that the phone offers for the face.
struct LifeContent: Hashable {
    var entry: FaceEntry
    var notices: Int
    var revisions: Int
}

/// The phone: its face is offered to the planner whenever it changes.
extension LifeRun {
    /// The phone's monotonic clock starts anew with each boot.
    var phoneInstant: Instant {
        Instant(nanoseconds: UInt64(now - bootedAt) * 1_000_000)
    }

    var phoneClock: WallClock {
        let offset = plan.zones.offset(of: plan.zones.minute(at: now), at: now)
        return WallClock(time: plan.zones.wall(at: now), zoneOffsetMinutes: offset.minutes)
    }

    // The phone offers an act before the record of the act leaves. The update therefore costs a
    // push, although it could ride with a record that wakes the watch.
    mutating func phoneRecords(_ event: DoseEvent) {
        phone.insert(event)
        phoneLook(.change, isUrgent: event.status?.snoozedUntil == nil)
        send(.dose(event, since: now), toWatch: true)
        watchIsAwake()
    }

    mutating func phoneEdited(_ medication: LightweightMedication, isUrgent: Bool) {
        revisions += 1
        phoneLook(.change, isUrgent: isUrgent)
        send(.medication(medication, since: now), toWatch: true)
        watchIsAwake()
    }

    mutating func phoneReceives(_ message: LifeMessage) {
        switch message {
        case .dose(let event, _):
            if phone.insert(event) { phoneLook(.watch, isUrgent: false) }
        case .question: send(.answer(known: phone.known), toWatch: true)
        case .foreground(let isForeground):
            planner.setFace(isForeground: isForeground, activePlaces: nil)
        default: break
        }
        watchIsAwake()
    }

    /// The phone makes its face anew, and offers it if it is another one.
    mutating func phoneLook(_ cause: ComplicationOffer.Cause, isUrgent: Bool) {
        let moment = now
        let zones = plan.zones
        phone.look(at: zones.minute(at: now)) { zones.offset(of: $0, at: moment) }
        guard var entry = phone.timeline?.entries.first else { return }
        entry.minute = WallMinute(minutes: 0)
        let content = LifeContent(entry: entry, notices: notices, revisions: revisions)
        guard content != offered else { return }
        offered = content
        offeredNumber += 1
        guard options.variant != .unplanned else {
            need(offeredNumber)
            return sendState()
        }
        var offer = ComplicationOffer(
            isUrgent: isUrgent, cause: options.variant == .frozen ? .change : cause,
            slotsLeft: max(0, Int(entry.total) - Int(entry.taken)))
        offer.isUnderWay = sentNumber > heldNumber
        if content == sent, !isShownThere { offer.equality = .newest }
        var reason = ComplicationReason.equal
        act { planner, now, clock in
            reason = planner.offer(offer, at: now, clock)
            return [.pushed, .foreground, .riding, .unreachable].contains(reason)
        }
        switch reason {
        case .shownByTimeline, .ownEvent: isShownThere = true
        case .equal: break
        default: need(offeredNumber)
        }
    }

    /// The watch cannot show this content by itself.
    private mutating func need(_ number: Int) {
        neededNumber = number
        if heldNumber < number { neededSince = neededSince ?? now }
    }

    mutating func watchIsAwake() {
        if link.isUp { lastRecord = now }
        act { planner, now, _ in
            planner.watchIsAwake(at: now)
            return false
        }
    }

    mutating func wakePlanner() {
        guard isPhoneAlive else { return }
        act { planner, now, clock in
            planner.wake(at: now, clock)
            return false
        }
    }

    /// Changes the planner, and sends what leaves.
    private mutating func act(
        _ body: (inout ComplicationPlanner, Instant, WallClock) -> Bool
    ) {
        if options.fault == .ridesAlways { planner.watchIsAwake(at: phoneInstant) }
        let leaves = body(&planner, phoneInstant, phoneClock)
        let isReleased = !planner.takeReleased().isEmpty && options.fault != .losesWaiting
        if leaves || isReleased { sendState() }
        guard let next = planner.nextDeadline(at: phoneInstant, phoneClock) else { return }
        let wait = phoneInstant.duration(to: next).nanosecondsClamped
        queue.add(.wake, at: now + max(1, (wait + 999_999) / 1_000_000))
    }

    mutating func sendState() {
        guard let offered else { return }
        // The planner's own count is not asked: a state costs what it wakes. The phone may hear of
        // the background late, and a newer state takes the place of one that is under way.
        let isAwake =
            foregrounds > 0 || now - lastForeground <= LifeLink.longest
            || now - lastRecord <= Self.rideTime || sentNumber > heldNumber
        if link.isUp, !isAwake { figures.pushes.append(now) }
        sent = offered
        sentNumber = offeredNumber
        isShownThere = false
        send(.state(offered.entry, changes: changes.count, number: sentNumber), toWatch: true)
    }
}

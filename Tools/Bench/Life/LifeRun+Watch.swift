import WatchProtoCore
import WatchProtoRecords

/// The face as the watch shows it since the last evaluation.
struct LifeView {
    var isAsOf = false
    var isUnchecked = false
    /// Since when it is wrong; nil while it is right.
    var wrongSince: LifeMoment?
    var isZoneFault = false
}

/// The watch: it makes its timeline anew after a change, at each entry, and after 15 minutes.
extension LifeRun {
    /// The minute of the watch's own wall clock.
    var watchMinute: WallMinute {
        let minute = plan.zones.minute(at: now).minutes
        return WallMinute(minutes: minute + Int32(options.clockError))
    }

    mutating func watchRecords(_ event: DoseEvent) {
        watch.insert(event)
        // The app is open while the wearer taps.
        queue.add(.foreground(true), at: now)
        queue.add(.foreground(false), at: now + 4000)
        send(.dose(event, since: now), toWatch: false)
        if options.variant != .frozen { figures.ownAges.append(max(0, lookSoon() - now)) }
    }

    mutating func watchReceives(_ message: LifeMessage, isDelayed: Bool) {
        switch message {
        case .dose(let event, let since):
            guard watch.insert(event) else { return }
            arrived.append((since, now, isDelayed))
        case .medication(let medication, let since):
            watch.take(medication)
            arrived.append((since, now, isDelayed))
        case .state(let entry, let changes, let number):
            pushed = (entry, changes)
            heldNumber = max(heldNumber, number)
            if heldNumber >= neededNumber, let since = neededSince {
                figures.stateAges.append(now - since)
                neededSince = nil
            }
        case .answer(let known):
            let asked = askedAt
            askedAt = nil
            guard let asked, known == watch.known else { return }
            watch.checked = asked
            compared = asked
        case .question, .foreground: return
        }
        lookSoon()
    }

    /// Looks now, or when the pause after the last look is over; returns when.
    @discardableResult
    mutating func lookSoon() -> LifeMoment {
        guard isWatchOn else { return now }
        let isLate = options.fault == .looksLate
        let earliest = max(lastLook + Self.pause, isLate ? now + 200 : 0)
        if earliest <= now {
            look()
            return now
        }
        if !isLookPending { queue.add(.look, at: earliest) }
        isLookPending = true
        return earliest
    }

    mutating func look() {
        lastLook = now
        let keeps = options.fault == .keepsTimeline && madeVersion == watch.version
        if options.fault == .hidesUnchecked { watch.checked = watchMinute }
        if !keeps {
            let (moment, zones) = (now, plan.zones)
            watch.look(at: watchMinute) { zones.offset(of: $0, at: moment) }
            madeVersion = watch.version
            _ = oracleZones.offsets(
                at: watchMinute,
                ZoneTimeline(around: watchMinute) { zones.offset(of: $0, at: moment) })
        }
        nextLook = watch.timeline?.nextLook(after: watchMinute) ?? watchMinute
        if options.fault == .skipsRefresh, let timeline = watch.timeline {
            let next = timeline.entries.first { $0.minute > watchMinute }
            nextLook = next?.minute ?? timeline.end
        }
        if !keeps { noteAges() }
        let shown = watch.timeline?.shown(at: watchMinute)
        // An answer that changes nothing leads to no further question in the same minute.
        if shown?.entry.unchecked ?? 0 > 0, lastAsked != watchMinute { ask() }
    }

    private mutating func noteAges() {
        if options.variant == .frozen {
            while shownChanges < (pushed?.changes ?? 0), shownChanges < changes.count {
                let (since, session) = changes[shownChanges]
                shownChanges += 1
                if session == link.session {
                    figures.linkedAges.append(now - since)
                } else {
                    figures.unlinkedAges.append(now - since)
                }
            }
            return
        }
        for (since, at, isDelayed) in arrived {
            if isDelayed {
                figures.unlinkedAges.append(now - since)
            } else {
                figures.linkedAges.append(now - since)
                figures.longestHeld = max(figures.longestHeld, now - at)
            }
        }
        arrived = []
    }

    /// Asks the phone whether the ledgers are equal.
    mutating func ask() {
        guard link.isUp, askedAt == nil else { return }
        askedAt = watchMinute
        lastAsked = watchMinute
        send(.question, toWatch: false)
    }

    // MARK: The evaluation

    /// Holds the face against everything that the watch was told.
    mutating func evaluate() {
        // The unplanned variant has the same faces.
        guard options.variant != .unplanned else { return }
        let (moment, zones, minute) = (now, plan.zones, watchMinute)
        // A journey is found by a look.
        var log = oracleZones
        let zone = log.offsets(
            at: minute, ZoneTimeline(around: minute) { zones.offset(of: $0, at: moment) })
        let shown: ShownFace?
        if options.variant == .frozen {
            shown = pushed.map { ShownFace($0.entry) }
        } else {
            shown = watch.timeline?.shown(at: minute)
        }
        guard let shown else { return }
        view.isAsOf = shown.asOf != nil
        view.isUnchecked = shown.entry.unchecked > 0
        var right = oracle.face(of: watch, at: minute, zone, compared: compared)
        // The phone's state does not say what the watch has compared.
        if options.variant == .frozen { right.unchecked = Int(shown.entry.unchecked) }
        let isWrong = !view.isAsOf && LifeFace(shown.entry) != right
        if !isWrong { return closeView() }
        if view.wrongSince == nil {
            view.wrongSince = now
            view.isZoneFault = zones.isAway(at: now) != zones.isAway(at: lastLook)
        }
    }

    /// The face is right again, or not seen any more.
    mutating func closeView() {
        guard let since = view.wrongSince else { return }
        view.wrongSince = nil
        guard now > since else { return }
        if view.isZoneFault {
            figures.wrongByZone.append(now - since)
        } else {
            figures.wrong.append(now - since)
        }
    }
}

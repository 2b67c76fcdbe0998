import WatchProtoCore
import WatchProtoRecords

/// The steps of a life.
extension LifeRun {
    mutating func perform(_ step: LifeStep) {
        countTraffic { $0.performStep(step) }
        if isWatchOn { evaluate() }
    }

    private mutating func performStep(_ step: LifeStep) {
        switch step {
        case .day(let number): planDay(number)
        case .act(let act): perform(act)
        case .edit(let edit): change(edit)
        case .notice:
            guard isPhoneAlive else { return }
            notices += 1
            phoneLook(.change, isUrgent: false)
        case .foreground(let isForeground): setForeground(isForeground)
        case .link(let isUp): setLink(isUp)
        case .phone(let isAlive): setPhone(isAlive)
        case .watch(let isOn): setWatch(isOn)
        case .zone:
            // No device hears of it: the watch finds it when it looks.
            if isPhoneAlive { phoneLook(.timeline, isUrgent: false) }
        case .arrival(let arrival): receive(arrival)
        case .look:
            isLookPending = false
            if isWatchOn { look() }
        case .wake: wakePlanner()
        }
    }

    mutating func send(_ message: LifeMessage, toWatch: Bool) {
        guard let arrival = link.send(message, toWatch: toWatch, at: now) else { return }
        queue.add(.arrival(arrival), at: arrival.at)
    }

    private mutating func receive(_ arrival: LifeLink.Arrival) {
        guard let (message, toWatch, isDelayed) = link.take(arrival) else { return }
        if toWatch {
            watchReceives(message, isDelayed: isDelayed)
        } else {
            phoneReceives(message)
        }
    }

    private mutating func setLink(_ isUp: Bool) {
        guard isUp != link.isUp else { return }
        askedAt = nil
        for arrival in link.set(isUp, at: now) { queue.add(.arrival(arrival), at: arrival.at) }
        // The first packets of a session wake the watch.
        if isUp { lastRecord = now }
        planner.setReachable(isUp)
        planner.setFace(isForeground: false, activePlaces: nil)
        if !planner.takeReleased().isEmpty { sendState() }
        guard isUp else { return }
        ask()
        if foregrounds > 0 { send(.foreground(true), toWatch: false) }
    }

    private mutating func setPhone(_ isAlive: Bool) {
        isPhoneAlive = isAlive
        guard isAlive else { return }
        phone.restart(forgetsZones: options.fault == .forgetsJourney)
        bootedAt = now
        // The account outlives the process as its bytes.
        var account = ComplicationAccount(at: phoneInstant, phoneClock)
        if options.fault != .forgetsPushes {
            var writer = WireWriter()
            planner.account.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            account =
                (try? ComplicationAccount(&reader)) ?? .exhausted(at: phoneInstant, phoneClock)
        }
        let former = planner
        planner = ComplicationPlanner(Self.profile(options), account)
        planner.setReachable(link.isUp)
        figures.missed += former.missedTargets
        for reason in ComplicationReason.allCases {
            lostReasons[Int(reason.rawValue)] += former.count(reason)
        }
        // An update that waited leaves with the next session.
        if offered != sent { sendState() }
        phoneLook(.timeline, isUrgent: false)
    }

    private mutating func setWatch(_ isOn: Bool) {
        if !isOn { closeView() }
        isWatchOn = isOn
        guard isOn else { return }
        watch.restart(forgetsZones: options.fault == .forgetsJourney)
        look()
    }

    private mutating func setForeground(_ isForeground: Bool) {
        let before = foregrounds
        // The app of a watch that is off is not looked at.
        if isForeground, !isWatchOn {
            skippedGlances += 1
            return
        }
        if !isForeground, skippedGlances > 0 {
            skippedGlances -= 1
            return
        }
        foregrounds = max(0, foregrounds + (isForeground ? 1 : -1))
        lastForeground = now
        guard (before > 0) != (foregrounds > 0), link.isUp else { return }
        send(.foreground(foregrounds > 0), toWatch: false)
    }
}

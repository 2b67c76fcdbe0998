import WatchProtoCore
import WatchProtoRecords

/// The course of a life: steps, minutes, and what is counted over time.
extension LifeRun {
    mutating func live() {
        planner.setReachable(true)
        countTraffic {
            $0.phoneLook(.timeline, isUrgent: false)
            $0.look()
            $0.ask()
        }
        let end = LifeMoment(options.days) * LifeZones.day
        var minute = LifeZones.minute
        while now < end {
            if let next = queue.next, next <= minute {
                pass(to: min(next, end))
                if now < end, let step = queue.take() { perform(step) }
            } else {
                pass(to: minute)
                minute += LifeZones.minute
                tick()
            }
        }
        finish()
    }

    /// A minute began on both devices.
    private mutating func tick() {
        let minute = plan.zones.minute(at: now)
        if options.fault == .urgesAlways, minute.minutes % 30 == 0, isPhoneAlive {
            notices += 1
            countTraffic { $0.phoneLook(.change, isUrgent: true) }
        }
        let before = plan.zones.minute(at: now - LifeZones.minute)
        let next = phone.timeline?.nextLook(after: before)
        let phoneLooks = isPhoneAlive && next.map { $0 <= minute } ?? false
        let watchLooks = isWatchOn && watchMinute >= nextLook
        if phoneLooks || watchLooks {
            countTraffic {
                if phoneLooks { $0.phoneLook(.timeline, isUrgent: false) }
                if watchLooks { $0.look() }
            }
        }
        if isWatchOn { evaluate() }
        // A state that does not wait, and is not under way, has arrived.
        let isUnderWay = link.isCarryingState || !planner.waitingPlaces.isEmpty
        if link.isUp, isPhoneAlive, !isUnderWay, heldNumber < neededNumber {
            figures.lostStates += 1
        }
    }

    /// Lets time pass: everything that lasts is counted.
    private mutating func pass(to moment: LifeMoment) {
        guard moment > now else { return }
        let time = moment - now
        let day = day(of: now)
        if link.isUp {
            figures.linked += time
            figures.maintenance[day] += link.ledger.maintenance(for: .milliseconds(time))
        } else if isWatchOn {
            figures.maintenance[day] += link.ledger.advertising(for: .milliseconds(time))
        }
        if !isPhoneAlive { figures.phoneDead += time }
        if isWatchOn {
            figures.watchOn += time
            if view.isAsOf { figures.asOf += time }
            if view.isUnchecked { figures.unchecked += time }
        }
        now = moment
    }

    /// The traffic since the last call counts for the present day.
    mutating func countTraffic(_ body: (inout LifeRun) -> Void) {
        let former = link.ledger.total
        body(&self)
        let total = link.ledger.total
        let day = day(of: now)
        figures.wakeUps[day] += Int(total.wakeUps - former.wakeUps)
        figures.millijoules[day] += total.millijoules - former.millijoules
    }

    private mutating func finish() {
        closeView()
        for push in figures.pushes {
            figures.pushesOfDay[day(of: push)] += 1
        }
        for reason in ComplicationReason.allCases {
            let place = Int(reason.rawValue)
            figures.reasons[place] = lostReasons[place] + planner.count(reason)
        }
        figures.missed += planner.missedTargets
        figures.events = phone.known.count
    }

    /// The wearer's day of a moment, counted from the first.
    private func day(of moment: LifeMoment) -> Int {
        let offset = plan.zones.offset(of: plan.zones.minute(at: moment), at: moment)
        let local = moment + LifeMoment(offset.minutes) * LifeZones.minute
        return min(options.days - 1, max(0, Int(local / LifeZones.day)))
    }
}

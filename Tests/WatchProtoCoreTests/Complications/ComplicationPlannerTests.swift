import Testing

@testable import WatchProtoCore

/// The planner of pushes (DOSES.md, *The budget of complication pushes*, rules 2 to 10).
@Suite struct ComplicationPlannerTests {
    // MARK: Rules 2 and 3

    @Test("In the foreground every update leaves at once and free (P-2)")
    func foreground() {
        var phone = PlannedPhone()
        phone.planner.setFace(isForeground: true, activePlaces: nil)
        for number in 0..<200 {
            #expect((number % 2 == 0 ? phone.urgent() : phone.routine()) == .foreground)
        }
        #expect(phone.planner.left == 50 && phone.pushes == 0)
    }

    @Test("A waiting update leaves free when the watch comes to the foreground")
    func toForeground() {
        var phone = PlannedPhone()
        phone.routine(1)
        #expect(phone.routine(1) == .waiting)
        phone.planner.setFace(isForeground: true, activePlaces: nil)
        #expect(phone.planner.takeReleased() == [1])
        #expect(phone.planner.count(.foreground) == 1 && phone.planner.count(.waiting) == 0)
        #expect(phone.planner.left == 49)
    }

    @Test("An update that rides with a durable record is free, as is one right after it")
    func riding() {
        var phone = PlannedPhone()
        phone.routine()
        #expect(phone.routine() == .waiting)
        phone.planner.watchIsAwake(at: phone.now)
        #expect(phone.planner.takeReleased() == [0])
        #expect(phone.urgent() == .riding)
        #expect(phone.planner.count(.riding) == 2 && phone.pushes == 1)
        phone.pass(1000)
        #expect(phone.urgent() == .pushed)
    }

    @Test("The timeline and the watch's own events cost nothing and send nothing")
    func ownEvents() {
        var phone = PlannedPhone()
        let timeline = ComplicationOffer(isUrgent: true, cause: .timeline)
        let own = ComplicationOffer(isUrgent: true, cause: .watch)
        #expect(phone.offer(timeline) == .shownByTimeline)
        #expect(phone.offer(own) == .ownEvent)
        #expect(phone.planner.left == 50 && phone.planner.waitingPlaces.isEmpty)
    }

    @Test("A watch's own event takes the place of an older update that waits")
    func ownEventReplaces() {
        var phone = PlannedPhone()
        phone.routine()
        phone.routine()
        // The update that waits would undo what the watch shows.
        #expect(phone.offer(ComplicationOffer(isUrgent: false, cause: .watch)) == .waiting)
        #expect(phone.planner.count(.merged) == 1 && phone.sumsUp)
    }

    @Test("250 updates for a watch that is not reachable cost nothing")
    func unreachable() {
        var phone = PlannedPhone(isReachable: false)
        for _ in 0..<250 {
            #expect(phone.urgent() == .unreachable)
            phone.pass(100)
        }
        #expect(phone.planner.left == 50 && phone.planner.count(.unreachable) == 250)
    }

    @Test("An update that waits when the link ends leaves free with the next session")
    func linkEnds() {
        var phone = PlannedPhone()
        phone.urgent()
        #expect(phone.urgent() == .waiting)
        phone.planner.setReachable(false)
        #expect(phone.planner.takeReleased() == [0])
        #expect(phone.planner.count(.unreachable) == 1 && phone.planner.left == 49)
        #expect(phone.planner.nextDeadline(at: phone.now, phone.clock) == nil)
    }

    // MARK: Rule 4

    @Test("An urgent update leaves at once, also at night, and a routine one with it (P-4)")
    func urgent() {
        var phone = PlannedPhone()
        phone.wall += 14 * PlannedPhone.hour
        #expect(phone.routine(1) == .waiting && phone.routine(2) == .waiting)
        #expect(phone.urgent() == .pushed)
        #expect(phone.released.map(\.places) == [[1, 2]])
        #expect(phone.planner.left == 49 && phone.planner.count(.riding) == 2)
    }

    @Test("An urgent change stays urgent in the update that takes its place")
    func urgencyStays() {
        var phone = PlannedPhone()
        phone.urgent()
        phone.urgent()
        #expect(phone.routine() == .waiting)
        phone.pass(500)
        #expect(phone.released.map(\.at) == [500] && phone.pushes == 2)
        #expect(phone.planner.decisions.map(\.reason) == [.pushed, .merged, .pushed])
    }

    // MARK: Rule 5

    @Test("An update that equals another, or is below its threshold, is dropped (P-5)")
    func dropped() {
        var phone = PlannedPhone()
        let equal = ComplicationOffer(isUrgent: true, equality: .newest)
        let small = ComplicationOffer(isUrgent: true, change: 4, threshold: 5)
        #expect(phone.offer(equal) == .equal && phone.offer(small) == .belowThreshold)
        let large = ComplicationOffer(isUrgent: true, change: 5, threshold: 5)
        #expect(phone.offer(large) == .pushed && phone.planner.left == 49)
    }

    @Test("A return to the newest state drops the update that waits; its equal keeps it")
    func back() {
        var phone = PlannedPhone()
        phone.routine()
        phone.routine()
        #expect(phone.offer(ComplicationOffer(isUrgent: false, equality: .waiting)) == .equal)
        #expect(phone.planner.waitingPlaces == [0])
        #expect(phone.offer(ComplicationOffer(isUrgent: false, equality: .newest)) == .equal)
        #expect(phone.planner.waitingPlaces.isEmpty && phone.planner.count(.merged) == 1)
        #expect(phone.sumsUp)
    }

    @Test("The urgent equal of an update that waits leaves at once")
    func hastened() {
        var phone = PlannedPhone()
        phone.routine()
        phone.routine()
        phone.pass(500)
        #expect(phone.offer(ComplicationOffer(isUrgent: true, equality: .waiting)) == .pushed)
        #expect(phone.planner.decisions.map(\.reason) == [.pushed, .merged, .pushed])
        #expect(phone.planner.waitingPlaces.isEmpty && phone.sumsUp)
    }

    @Test("The equal of a demoted update leaves when a push is left again, and not before")
    func pushedAgain() {
        var phone = PlannedPhone()
        phone.planner.report(remaining: 0, at: phone.now, phone.clock)
        #expect(phone.urgent() == .demoted)
        let equal = ComplicationOffer(isUrgent: true, equality: .waiting)
        #expect(phone.offer(equal) == .equal && phone.planner.missedTargets == 1)
        phone.planner.report(remaining: 1, at: phone.now, phone.clock)
        #expect(phone.offer(equal) == .pushed && phone.planner.left == 0)
        #expect(phone.planner.waitingPlaces.isEmpty && phone.sumsUp)
    }

    // MARK: Rule 6

    @Test("1,000 changes in a second: the first at once, 3 pushes, the last in 500 ms (P-6)")
    func burst() {
        var phone = PlannedPhone()
        for number in 0..<1000 {
            let reason = phone.urgent()
            #expect(reason == (number == 0 ? .pushed : .waiting), "\(number)")
            if number < 999 { phone.pass(1) }
        }
        #expect(phone.elapsed == 999)
        phone.pass(500)
        #expect(phone.pushes == 3 && phone.planner.waitingPlaces.isEmpty)
        #expect(phone.released.map(\.at) == [500, 1000])
        #expect(phone.planner.count(.merged) == 997 && phone.sumsUp)
    }

    // MARK: Rule 7

    @Test(
        "Routine updates stop at the reserve: 10, or two for each dose left (P-7)",
        arguments: [0, 8])
    func reserve(slotsLeft: Int) {
        var phone = PlannedPhone()
        for _ in 0..<600 {
            phone.routine(slotsLeft: slotsLeft)
            phone.pass(PlannedPhone.minute)
        }
        // From 12 to 22 o'clock.
        let reserve = max(10, 2 * slotsLeft)
        #expect(phone.planner.left >= reserve && phone.planner.left < 50 - 20)
        phone.pass(1000)
        for _ in 0..<phone.planner.left {
            #expect(phone.urgent() == .pushed)
            phone.pass(1000)
        }
        #expect(phone.routine(slotsLeft: slotsLeft) == .demoted)
    }

    @Test("Routine updates are spread over the waking hours, and none is pushed at night")
    func spread() {
        var phone = PlannedPhone()
        phone.wall -= 12 * PlannedPhone.hour
        var pushes: [Int64] = []
        for _ in 0..<(48 * 60) {
            let before = phone.pushes
            phone.routine()
            phone.pass(PlannedPhone.minute)
            if phone.pushes > before { pushes.append(phone.elapsed / PlannedPhone.minute) }
        }
        let first = pushes.filter { $0 < 1440 }
        #expect(pushes.allSatisfy { (420...1380).contains($0 % 1440) })
        #expect(first.count >= 35 && first.count <= 40)
        for (one, next) in zip(first, first.dropFirst()) {
            #expect((23...30).contains(next - one), "\(one) \(next)")
        }
        #expect(pushes.count >= 70 && phone.planner.left >= 10)
    }

    @Test("A change of the zone moves the waking hours")
    func zone() {
        var phone = PlannedPhone()
        phone.zone = 12 * 60
        #expect(phone.routine() == .waiting)
        phone.zone = 0
        phone.pass(900_000)
        #expect(phone.pushes == 1)
        phone.zone = -6 * 60
        #expect(phone.routine() == .waiting)
        // To a second before 7 o'clock.
        phone.pass(PlannedPhone.hour - 901_000)
        #expect(phone.pushes == 1)
        phone.pass(PlannedPhone.minute)
        #expect(phone.pushes == 2)
    }

    // MARK: Rules 8 and 9

    @Test("At zero an update is demoted, and an urgent one counts as a missed target (P-8)")
    func demotion() {
        var phone = PlannedPhone(.watchConnectivityInactive)
        #expect(phone.routine(1) == .demoted && phone.planner.missedTargets == 0)
        #expect(phone.urgent(2) == .demoted && phone.planner.missedTargets == 1)
        #expect(phone.planner.nextDeadline(at: phone.now, phone.clock) == nil)
        // It leaves when the watch is awake for another reason, and keeps its reason.
        phone.planner.watchIsAwake(at: phone.now)
        #expect(phone.planner.takeReleased() == [1, 2])
        #expect(phone.planner.count(.demoted) == 2 && phone.planner.count(.riding) == 0)
    }

    @Test("An update of a burst that finds no push left is demoted when its moment comes")
    func lateDemotion() {
        var phone = PlannedPhone(ComplicationProfile(perDay: 1))
        #expect(phone.urgent() == .pushed && phone.urgent() == .demoted)
        var other = PlannedPhone(ComplicationProfile(perDay: 2))
        #expect(other.urgent() == .pushed && other.urgent() == .waiting)
        other.planner.report(remaining: 0, at: other.now, other.clock)
        other.pass(500)
        #expect(other.planner.decisions.map(\.reason) == [.pushed, .demoted])
        #expect(other.planner.missedTargets == 1 && other.sumsUp)
        #expect(other.planner.takeDemoted() == [true] && other.planner.takeDemoted() == [])
    }

    @Test("An urgent update misses its target once, whatever takes its place")
    func missedOnce() {
        var phone = PlannedPhone()
        #expect(phone.urgent() == .pushed && phone.urgent() == .waiting)
        phone.planner.report(remaining: 0, at: phone.now, phone.clock)
        #expect(phone.routine() == .demoted && phone.planner.missedTargets == 1)
        #expect(phone.routine() == .demoted && phone.planner.missedTargets == 1)
        #expect(phone.planner.takeDemoted() == [true, false] && phone.sumsUp)
    }

    @Test("A place that the face does not show waits; on activation all leave together, free")
    func activation() {
        var phone = PlannedPhone()
        phone.planner.setFace(isForeground: false, activePlaces: [7])
        #expect(phone.urgent(1) == .inactive && phone.urgent(2) == .inactive)
        #expect(phone.urgent(7) == .pushed && phone.planner.waitingPlaces == [1, 2])
        phone.pass(PlannedPhone.hour)
        // The watch tells of its face: it is awake.
        phone.planner.setFace(isForeground: false, activePlaces: [1, 2, 7])
        phone.planner.watchIsAwake(at: phone.now)
        #expect(phone.planner.takeReleased() == [1, 2])
        #expect(phone.pushes == 1 && phone.planner.count(.inactive) == 2)
        phone.pass(1000)
        #expect(phone.urgent(1) == .pushed)
    }

    @Test("All places that wait leave in one payload, at the cost of one push (P-9)")
    func onePayload() {
        var phone = PlannedPhone()
        phone.urgent()
        for place in UInt32(1)...5 { #expect(phone.urgent(place) == .waiting) }
        phone.pass(500)
        #expect(phone.released.map(\.places) == [[1, 2, 3, 4, 5]])
        #expect(phone.planner.left == 48 && phone.planner.count(.riding) == 4)
    }

    // MARK: Rule 10

    @Test("Each update has one reason, in any order of offers, times and states")
    func reasons() {
        var random = SeededGenerator(seed: 25)
        let equalities: [ComplicationOffer.Equality] = [
            .newest, .newest, .waiting, .none, .none, .none, .none, .none, .none, .none,
        ]
        var phone = PlannedPhone(ComplicationProfile(perDay: 8))
        for _ in 0..<20_000 {
            switch random.next() % 20 {
            case 0: phone.planner.setReachable(random.next() % 4 > 0)
            case 1:
                phone.planner.setFace(
                    isForeground: random.next() % 4 == 0,
                    activePlaces: random.next() % 2 == 0 ? nil : [0, 2])
            case 2: phone.planner.watchIsAwake(at: phone.now)
            case 3: phone.wall += Int64(random.next() % 7_200_000) - 3_600_000
            case 4...8: phone.pass(Int64(random.next() % 2_000_000))
            case 9...12: phone.pass(Int64(random.next() % 700))
            default:
                let causes: [ComplicationOffer.Cause] = [.change, .change, .timeline, .watch]
                phone.offer(
                    ComplicationOffer(
                        place: UInt32(random.next() % 3), isUrgent: random.next() % 2 == 0,
                        cause: causes[Int(random.next() % 4)],
                        equality: equalities[Int(random.next() % 10)],
                        slotsLeft: Int(random.next() % 6)))
            }
            phone.noteReleased()
            #expect(phone.sumsUp)
        }
        for reason in ComplicationReason.allCases where reason != .waiting {
            #expect(phone.planner.count(reason) > 0 || reason == .belowThreshold, "\(reason)")
        }
        #expect(phone.planner.count(.waiting) <= 3 && phone.planner.decisions.count == 128)
    }

    @Test("Each platform is a row: WidgetKit is 5 minutes apart, Wear's period is advice")
    func profiles() {
        var widget = PlannedPhone(.widgetKit)
        #expect(widget.urgent() == .pushed && widget.urgent() == .waiting)
        widget.pass(299_000)
        #expect(widget.pushes == 1)
        widget.pass(1000)
        #expect(widget.pushes == 2 && widget.planner.left == 38)
        var wear = PlannedPhone(.wear)
        #expect(wear.urgent() == .pushed && wear.urgent(1) == .waiting)
        wear.pass(500)
        #expect(wear.pushes == 2)
        #expect(PlannedPhone(.clockKit).planner.left == 4)
        #expect(PlannedPhone(.watchConnectivity).planner.left == 50)
    }
}

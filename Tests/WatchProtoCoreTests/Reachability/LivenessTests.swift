import Testing

@testable import WatchProtoCore

/// The timers that notice a dead link.
@Suite struct LivenessTests {
    private static let start = Instant(nanoseconds: 7_000_000_000)

    private static func at(_ milliseconds: Int64) -> Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    /// A reachable machine with a stall time of 10 s.
    private static func reachable(keepAlive: Duration? = nil) -> Reachability {
        var machine = Reachability(keepAlive: keepAlive)
        machine.activated(at: start)
        _ = machine.heard(at: start)
        return machine
    }

    /// The actions of a machine at its deadlines up to `end`, with their times in milliseconds.
    private static func run(
        _ machine: inout Reachability, until end: Int64,
        at each: (inout Reachability, Instant) -> Void = { _, _ in }
    ) -> [String] {
        var log: [String] = []
        while let deadline = machine.nextDeadline, deadline <= at(end), log.count < 1000 {
            let (change, action) = machine.wake(at: deadline)
            let time = start.duration(to: deadline).nanosecondsClamped / 1_000_000
            if let change { log.append("\(time) \(change.isReachable ? "up" : "down")") }
            if let action { log.append("\(time) \(action)") }
            each(&machine, deadline)
        }
        return log
    }

    /// DESIGN.md, *Time*: stall means silence with data outstanding.
    @Test("A silent link is suspect after a fifth of the stall time, and stalled at its end")
    func silence() {
        var machine = Self.reachable()
        machine.owes(true, silenceTime: machine.silenceTime(firstTimeout: nil), at: Self.at(1000))
        let log = Self.run(&machine, until: 60_000)
        #expect(log == ["3000 down", "3000 ping", "11000 stalled"])
        #expect(machine.state == .suspect)
        _ = machine.down(.linkDown, at: Self.at(11_000))
        #expect(machine.nextDeadline == nil)
    }

    @Test("Nothing is due while nothing is owed, however long the silence")
    func idle() {
        var machine = Self.reachable()
        machine.owes(false, silenceTime: .seconds(2), at: Self.at(0))
        #expect(machine.nextDeadline == nil && machine.keepAlivePingsPerDay == 0)
        machine.owes(true, silenceTime: .seconds(2), at: Self.at(1000))
        machine.owes(false, silenceTime: .seconds(2), at: Self.at(1500))
        #expect(machine.nextDeadline == nil)
    }

    @Test("An arrival ends the suspicion and begins the wait anew")
    func heard() {
        var machine = Self.reachable()
        machine.owes(true, silenceTime: .seconds(2), at: Self.at(0))
        let log = Self.run(&machine, until: 3000)
        #expect(log == ["2000 down", "2000 ping"])
        let change = machine.heard(at: Self.at(4000))
        #expect(change?.isReachable == true && change?.evidence.cause == .heard)
        machine.answered(at: Self.at(4000))
        let later = Self.run(&machine, until: 60_000)
        #expect(later == ["6000 down", "6000 ping", "14000 stalled"])
    }

    /// RELIABILITY.md: one direction dead for ever must be reported, without a busy loop.
    @Test("A dead outbound direction stalls the link although packets arrive")
    func oneWay() {
        var machine = Self.reachable()
        var now: Int64 = 0
        var actions: [String] = []
        var wakes = 0
        while now < 60_000, actions.last != "stalled" {
            now += 100
            _ = machine.heard(at: Self.at(now))
            machine.owes(true, silenceTime: .seconds(2), at: Self.at(now))
            if let deadline = machine.nextDeadline, deadline <= Self.at(now) {
                wakes += 1
                if let action = machine.wake(at: Self.at(now)).action {
                    actions.append("\(action)")
                }
            }
        }
        #expect(actions == ["ping", "stalled"])
        #expect(now == 12_100 && wakes < 5, "\(now) ms, \(wakes) wakes")
    }

    @Test("A slow answer brings one ping each silence time and no stall")
    func slowCommit() {
        var machine = Self.reachable()
        machine.owes(true, silenceTime: .seconds(2), at: Self.at(0))
        var pings = 0
        for second in Int64(1)...60 {
            _ = machine.heard(at: Self.at(second * 1000 - 1))
            if let deadline = machine.nextDeadline, deadline <= Self.at(second * 1000) {
                let (change, action) = machine.wake(at: Self.at(second * 1000))
                #expect(change == nil && action == .ping)
                pings += 1
                // The pong.
                _ = machine.heard(at: Self.at(second * 1000 + 50))
                machine.answered(at: Self.at(second * 1000 + 50))
            }
        }
        #expect(pings >= 15 && pings <= 30, "\(pings)")
    }

    @Test("While packets arrive, a ping stays unanswered for the answer time at most (S-23)")
    func answerTime() {
        for answerTime in [Int64(10), 30] {
            var machine = Reachability(answerTime: .seconds(answerTime))
            machine.activated(at: Self.start)
            machine.owes(true, silenceTime: .seconds(2), at: Self.start)
            var log: [String] = []
            for second in Int64(1)...60 {
                _ = machine.heard(at: Self.at(second * 1000))
                log += Self.run(&machine, until: second * 1000)
            }
            #expect(log == ["2000 ping", "\(2000 + answerTime * 1000) stalled"])
        }
    }

    @Test("A keep-alive notices a dead idle link within its interval and the stall time")
    func keepAliveOfDeadLink() {
        var machine = Self.reachable(keepAlive: .seconds(60))
        let log = Self.run(&machine, until: 600_000)
        #expect(log == ["60000 ping", "62000 down", "70000 stalled"])
    }

    @Test("An application in the background keeps no idle link alive, in later sessions neither")
    func keepAliveInBackground() {
        var machine = Self.reachable(keepAlive: .seconds(60))
        machine.setForeground(false)
        #expect(Self.run(&machine, until: 600_000) == [])
        _ = machine.down(.linkDown, at: Self.at(600_000))
        machine.activated(at: Self.at(600_000))
        _ = machine.heard(at: Self.at(600_000))
        #expect(machine.nextDeadline == nil)
        machine.setForeground(true)
        let log = Self.run(&machine, until: 900_000)
        #expect(log == ["660000 ping", "662000 down", "670000 stalled"])
    }

    @Test("A keep-alive costs the stated pings a day, and none while packets arrive")
    func keepAliveCost() {
        var machine = Self.reachable(keepAlive: .seconds(300))
        #expect(machine.keepAlivePingsPerDay == 288)
        var pings = 0
        let log = Self.run(&machine, until: 86_400_000) { machine, now in
            pings += 1
            _ = machine.heard(at: now)
            machine.answered(at: now)
        }
        #expect(pings == 288 && log.allSatisfy { $0.hasSuffix("ping") })
        _ = machine.heard(at: Self.at(86_400_000 + 299_000))
        let next = machine.nextDeadline
        #expect(next == Self.at(86_400_000 + 599_000))
        // An interval below the stall time would find nothing that the stall does not.
        #expect(Reachability(keepAlive: .milliseconds(1)).keepAlivePingsPerDay == 8640)
    }

    @Test("On a carrier that can lose the silence time spans three probe time-outs")
    func silenceTime() {
        let machine = Reachability()
        #expect(machine.silenceTime(firstTimeout: nil) == .seconds(2))
        #expect(machine.silenceTime(firstTimeout: .milliseconds(100)) == .seconds(2))
        #expect(machine.silenceTime(firstTimeout: .seconds(1)) == .seconds(3))
        #expect(machine.silenceTime(firstTimeout: .seconds(60)) == .seconds(8))
    }

    @Test("Random inputs never leave a deadline in the past")
    func noBusyLoop() {
        for seed in UInt64(1)...200 {
            var generator = SeededGenerator(seed: seed)
            var machine = Reachability(
                keepAlive: generator.chance(0.5) ? .seconds(20) : nil)
            var now = Self.start
            for _ in 0..<200 {
                now = now.advanced(by: .milliseconds(Int64(generator.uniform(in: 0...4000))))
                switch generator.uniform(in: 0...6) {
                case 0: machine.activated(at: now)
                case 1, 2: _ = machine.heard(at: now)
                case 3: machine.answered(at: now)
                case 4: machine.owes(true, silenceTime: .seconds(2), at: now)
                case 5: machine.owes(false, silenceTime: .seconds(2), at: now)
                default: if generator.chance(0.2) { _ = machine.down(.linkDown, at: now) }
                }
                let (_, action) = machine.wake(at: now)
                if action == .stalled { _ = machine.down(.linkDown, at: now) }
                if let deadline = machine.nextDeadline { #expect(deadline > now) }
            }
        }
    }
}

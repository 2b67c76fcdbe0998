import Testing

@testable import WatchProtoCore

/// The states of reachability, its hysteresis, and its evidence.
@Suite struct ReachabilityTests {
    static let start = Instant(nanoseconds: 1_000_000_000)

    /// A machine in `state`; with `hold`, one whose link has flapped once and is up again.
    static func machine(_ state: Reachability.State, hold: Bool = false) -> Reachability {
        var machine = Reachability()
        func move(_ input: Reachability.Input) {
            _ = machine.receive(input, .heard, at: start)
        }
        if hold {
            move(.activated)
            move(.heard)
            move(.down)
        }
        switch state {
        case .unreachable: break
        case .holding: move(.activated)
        case .reachable:
            move(.activated)
            move(.heard)
        case .suspect:
            move(.activated)
            move(.heard)
            move(.silence)
        }
        return machine
    }

    /// The table at ``Reachability``; nil changes nothing. `holding` stands twice: while the hold
    /// lasts, and once it is over.
    private static let table:
        [(state: Reachability.State, hold: Bool, next: [Reachability.State?])] = [
            (.unreachable, false, [.holding, nil, nil, nil, nil]),
            (.holding, false, [nil, .reachable, nil, nil, .unreachable]),
            (.holding, true, [nil, nil, nil, nil, .unreachable]),
            (.reachable, false, [nil, nil, .suspect, nil, .unreachable]),
            (.suspect, false, [nil, .reachable, nil, nil, .unreachable]),
        ]

    @Test("Every state takes every input as the table says")
    func table() {
        for (state, hold, next) in Self.table {
            for (input, expected) in zip(Reachability.Input.allCases, next) {
                var machine = Self.machine(state, hold: hold)
                #expect(machine.state == state)
                _ = machine.receive(input, .heard, at: Self.start)
                #expect(machine.state == expected ?? state, "\(state), \(input)")
            }
        }
    }

    @Test("A change is reported once, with its evidence")
    func changes() {
        var machine = Reachability()
        let now = Self.start
        machine.activated(at: now)
        let up = machine.heard(at: now.advanced(by: .milliseconds(5)))
        #expect(
            up
                == ReachabilityChange(
                    isReachable: true,
                    evidence: ReachabilityEvidence(
                        cause: .sessionActivated,
                        inboundProof: now.advanced(by: .milliseconds(5)), outboundProof: nil,
                        flapCount: 0)))
        let again = machine.heard(at: now.advanced(by: .milliseconds(7)))
        #expect(again == nil)
        // A question is answered with the newest proofs.
        #expect(machine.evidence?.cause == .sessionActivated)
        #expect(machine.evidence?.inboundProof == now.advanced(by: .milliseconds(7)))
        machine.answered(at: now.advanced(by: .milliseconds(9)))
        let down = machine.down(.counterpartSaidSo, at: now.advanced(by: .milliseconds(20)))
        #expect(
            down
                == ReachabilityChange(
                    isReachable: false,
                    evidence: ReachabilityEvidence(
                        cause: .counterpartSaidSo,
                        inboundProof: now.advanced(by: .milliseconds(7)),
                        outboundProof: now.advanced(by: .milliseconds(9)), flapCount: 1)))
        #expect(machine.evidence == down?.evidence && Reachability().evidence == nil)
        // A packet of a session that is over proves nothing.
        let late = machine.heard(at: now.advanced(by: .milliseconds(30)))
        #expect(late == nil && machine.nextDeadline == nil)
    }

    @Test("The hold doubles with each flap up to 8 s, and a lasting link clears it")
    func flapping() {
        var machine = Reachability()
        var now = Self.start
        var holds: [Duration] = []
        for _ in 0..<7 {
            machine.activated(at: now)
            _ = machine.heard(at: now)
            holds.append(machine.holdDeadline.map { now.duration(to: $0) } ?? .zero)
            if let deadline = machine.holdDeadline {
                now = deadline
                let change = machine.wake(at: now).change
                #expect(change?.isReachable == true)
            }
            #expect(machine.isReachable)
            now = now.advanced(by: .seconds(1))
            _ = machine.down(.linkDown, at: now)
        }
        let half = Duration.milliseconds(500)
        #expect(holds == [.zero, half, half * 2, half * 4, half * 8, half * 16, half * 16])
        #expect(machine.flapCount == 7)
        machine.activated(at: now)
        _ = machine.heard(at: now)
        now = machine.holdDeadline ?? now
        _ = machine.wake(at: now)
        now = now.advanced(by: .seconds(6))
        _ = machine.down(.linkDown, at: now)
        #expect(machine.flapCount == 7)
        machine.activated(at: now)
        #expect(machine.holdDeadline == nil)
    }
}

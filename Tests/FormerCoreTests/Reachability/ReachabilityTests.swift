import Articles
import Testing
import WatchProto

@Suite struct ReachabilityTests {
    static let start = Instant(nanoseconds: 1_000_000_000)

    /// A machine in `state`; with `hold`, one whose link has flapped once and is up again.
    static func machine(_ state: Reachability.State, hold: Bool = false) -> Reachability {
        var machine = Reachability()
        func tell(_ input: Reachability.Input) {
            _ = machine.receive(input, evidence: .heard, at: start)
        }
        if hold {
            tell(.activated)
            tell(.heard)
            tell(.down)
        }
        switch state {
        case .unreachable: break
        case .holding: tell(.activated)
        case .reachable:
            tell(.activated)
            tell(.heard)
        case .suspect:
            tell(.activated)
            tell(.heard)
            tell(.silence)
        }
        return machine
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try MarkdownTable.below(
            "Reachability", in: "Sources/FormerCore/FormerCore.docc/state-machines.md")
        let inputs = Reachability.Input.allCases
        var rows: [[String]] = []
        for (name, state, hold) in [
            ("unreachable", Reachability.State.unreachable, false),
            ("holding", .holding, false), ("holding (hold lasts)", .holding, true),
            ("reachable", .reachable, false), ("suspect", .suspect, false),
        ] {
            var cells = [name]
            for input in inputs {
                var machine = Self.machine(state, hold: hold)
                #expect(machine.state == state)
                _ = machine.receive(input, evidence: .heard, at: Self.start)
                cells.append(machine.state == state ? "–" : "\(machine.state)")
            }
            rows.append(cells)
        }
        #expect(table?.header == ["state"] + inputs.map { "\($0)" })
        #expect(table?.rows == rows)
    }

    @Test func a_change_is_told_once_with_its_evidence() {
        var machine = Self.machine(.holding)
        let up = machine.receive(.heard, evidence: .heard, at: Self.start)
        #expect(up?.isReachable == true && up?.evidence == .heard)
        #expect(machine.receive(.heard, evidence: .heard, at: Self.start) == nil)
        let down = machine.receive(.down, evidence: .linkDown, at: Self.start)
        #expect(down?.isReachable == false && down?.evidence == .linkDown)
    }

    @Test func a_flapping_link_is_believed_later_each_time() {
        var machine = Reachability()
        var now = Self.start
        var holds: [Duration] = []
        for _ in 0..<7 {
            _ = machine.receive(.activated, evidence: .sessionActivated, at: now)
            _ = machine.receive(.heard, evidence: .heard, at: now)
            holds.append(machine.holdDeadline.map { now.duration(to: $0) } ?? .zero)
            if let deadline = machine.holdDeadline {
                now = deadline
                let told = machine.receive(.holdEnded, evidence: .heard, at: now)
                #expect(told?.isReachable == true)
            }
            #expect(machine.isReachable)
            now = now.advanced(by: .seconds(1))
            _ = machine.receive(.down, evidence: .linkDown, at: now)
        }
        let half = Duration.milliseconds(500)
        #expect(holds == [.zero, half, half * 2, half * 4, half * 8, half * 16, half * 16])
        // A link that lasts clears the hold.
        _ = machine.receive(.activated, evidence: .sessionActivated, at: now)
        _ = machine.receive(.heard, evidence: .heard, at: now)
        now = machine.holdDeadline ?? now
        _ = machine.receive(.holdEnded, evidence: .heard, at: now)
        now = now.advanced(by: .seconds(6))
        _ = machine.receive(.down, evidence: .linkDown, at: now)
        _ = machine.receive(.activated, evidence: .sessionActivated, at: now)
        #expect(machine.holdDeadline == nil)
    }
}

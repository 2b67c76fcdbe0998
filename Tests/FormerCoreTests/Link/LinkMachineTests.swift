import Articles
import Testing
import WatchProto
import WatchProtoRecords

@Suite struct LinkMachineTests {
    /// A machine brought into a state by the shortest way.
    static func machine(in state: LinkMachine.State) -> LinkMachine {
        let ways: [LinkMachine.State: [LinkMachine.Input]] = [
            .idle: [], .waiting: [.activate, .carrierDown], .opening: [.activate],
            .greeting: [.activate, .carrierUp], .active: [.activate, .carrierUp, .established],
        ]
        var machine = LinkMachine()
        for input in ways[state] ?? [] { machine.receive(input) }
        return machine
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try MarkdownTable.below(
            "The link", in: "Sources/FormerCore/FormerCore.docc/state-machines.md")
        let inputs = LinkMachine.Input.allCases
        let rows = LinkMachine.State.allCases.map { state in
            [state.rawValue]
                + inputs.map { input in
                    var machine = Self.machine(in: state)
                    #expect(machine.state == state)
                    return machine.receive(input) ? machine.state.rawValue : "–"
                }
        }
        #expect(table?.header == ["state"] + inputs.map { $0.rawValue })
        #expect(table?.rows == rows)
    }

    @Test func the_first_reopening_is_immediate_and_the_next_waits_double() {
        var generator = SeededGenerator(seed: 1)
        var backoff = ReopenBackoff(first: .seconds(1), longest: .seconds(60))
        var waits: [Duration] = []
        for _ in 0..<9 { waits.append(backoff.nextWait(using: &generator)) }
        #expect(waits[0] == .zero)
        var full = Duration.seconds(1)
        for wait in waits.dropFirst() {
            #expect(wait <= full && wait >= full * 3 / 4, "\(wait) of \(full)")
            full = min(full * 2, .seconds(60))
        }
        backoff.succeeded()
        #expect(backoff.nextWait(using: &generator) == .zero)
    }

    @Test func after_an_opening_that_failed_nothing_is_at_once() {
        let side = BoxSide(
            PeerConfiguration(role: .phone, pairing: PairingID(rawValue: 1), kinds: .product),
            epoch: 1)
        let refused = CarrierFailure(call: "connect", errorNumber: 2)
        side.peer.activate(at: .zero)
        side.peer.linkDown(refused, at: .zero)
        let first = side.nextDeadline ?? .zero
        #expect(first >= Instant.zero.advanced(by: .milliseconds(750)), "\(first)")
        #expect(first <= Instant.zero.advanced(by: .seconds(1)), "\(first)")
        // The next one waits twice as long, not as long again.
        side.peer.wake(at: first)
        side.peer.linkDown(refused, at: first)
        let wait = side.nextDeadline.map { first.duration(to: $0) } ?? .zero
        #expect(wait >= .milliseconds(1500) && wait <= .seconds(2), "\(wait)")
    }
}

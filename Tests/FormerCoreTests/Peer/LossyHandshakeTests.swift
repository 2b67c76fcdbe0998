import Articles
import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// The handshake on a carrier that can lose, one cell of the article's table after the other.
@Suite struct LossyHandshakeTests {
    static let states = ["calling", "heard", "active", "challenged"]
    static let inputs = [
        "first flight", "answer", "lost answer", "other first flight", "other answer", "packet",
        "other packet", "candidate's packet", "time",
    ]

    /// A phone on a carrier that can lose; what a watch would say to it is written by hand.
    final class Bench {
        private let side: BoxSide
        private let greeting: [UInt8]
        private var now = Instant.zero
        /// Sessions of the counterpart: the one it has, the one it starts over with, one later.
        private let session: UInt32 = 0x0A0A_0001
        private let other: UInt32 = 0x0B0B_0002
        private let third: UInt32 = 0x0C0C_0003
        private var isChallenged = false

        init() {
            side = BoxSide(
                PeerConfiguration(role: .phone, pairing: PairInABox.pairing, kinds: .product),
                epoch: 0x1111)
            side.peer.activate(at: .zero)
            side.drain(at: .zero)
            side.peer.linkUp(.lossyDatagram, at: .zero)
            side.drain(at: .zero)
            side.host.wire = []
            var watch = GreetingTests.example()
            watch.role = .watch
            watch.pairing = PairInABox.pairing
            watch.knownEpochs = []
            greeting = watch.encoded()
        }

        /// Brings the phone into a state of the table.
        func enter(_ state: String) {
            switch state {
            case "heard": _ = apply("first flight")
            case "active": _ = apply("answer")
            case "challenged":
                _ = apply("answer")
                _ = apply("other first flight")
            default: break
            }
        }

        /// The state that follows, and the flights that leave.
        func apply(_ input: String) -> String {
            side.host.wire = []
            let mine = side.peer.attempt?.ids.mine ?? side.peer.ids.mine
            switch input {
            case "first flight": flight(session, 0)
            case "answer": flight(session, mine)
            case "lost answer": flight(session, mine ^ 0xFF)
            case "other first flight":
                flight(isChallenged ? third : other, 0)
                isChallenged = state == "challenged"
            case "other answer":
                flight(other, side.peer.candidate?.ids.mine ?? mine)
            case "packet":
                let attempt = side.peer.attempt?.ids.theirs ?? 0
                packet(mine, from: attempt == 0 ? session : attempt)
            case "other packet": packet(mine, from: third)
            case "candidate's packet":
                guard let candidate = side.peer.candidate else { return "·" }
                packet(candidate.ids.mine, from: candidate.ids.theirs)
            default:
                now = now.advanced(by: .milliseconds(500))
                side.peer.wake(at: now)
            }
            side.drain(at: now)
            let flights = side.host.wire.count { $0[0] & 3 == PacketKind.handshake.rawValue }
            return state + (flights > 0 ? ", flight" : "") + (flights > 1 ? "s" : "")
        }

        var state: String {
            if side.peer.link.state == .active {
                let session = side.peer.ids.theirs
                if side.peer.candidate != nil { return "challenged" }
                return session == self.session ? "active" : "active anew"
            }
            guard side.peer.link.state == .greeting, let attempt = side.peer.attempt else {
                return "closed"
            }
            return attempt.greeting == nil
                ? "calling" : attempt.ids.theirs == session ? "heard" : "heard anew"
        }

        private func flight(_ sender: UInt32, _ receiver: UInt32) {
            var writer = WireWriter()
            DatagramHeader(unnumbered: .handshake).write(to: &writer)
            HandshakePacket(
                version: 0, senderSession: sender, receiverSession: receiver, flight: greeting
            ).write(to: &writer)
            side.peer.receive(writer.bytes.span, at: now)
        }

        private func packet(_ session: UInt32, from sender: UInt32) {
            var writer = WireWriter()
            DatagramHeader(
                kind: .transport, hint: UInt16(truncatingIfNeeded: session ^ sender >> 16),
                number: 0, largestAcknowledged: nil
            ).write(to: &writer)
            Frame.padding(bytes: 1).write(to: &writer, limits: Limits())
            side.peer.receive(writer.bytes.span, at: now)
        }
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "The handshake where packets are lost",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        var rows: [[String]] = []
        for state in Self.states {
            var cells = [state]
            for input in Self.inputs {
                let bench = Bench()
                bench.enter(state)
                #expect(bench.state == state)
                let result = bench.apply(input)
                cells.append(
                    result == state
                        ? "–"
                        : result.hasPrefix(state + ",")
                            ? "–" + result.dropFirst(state.count) : result)
            }
            rows.append(cells)
        }
        #expect(table.header == ["state"] + Self.inputs)
        #expect(table.rows == rows)
    }
}

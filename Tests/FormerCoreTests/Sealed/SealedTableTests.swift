import Articles
import Testing
import WatchSecurity

@testable import FormerCore

/// The handshake of sealed sessions, one cell of the article's table after the other.
@Suite struct SealedTableTests {
    static let states = ["calling", "calling, lossless", "active", "active, lossless"]
    static let inputs = [
        "first flight", "first flight, lower key", "answer", "first flight again", "packet",
        "forgery",
    ]

    /// One side of a pair; what reaches it is handed over by the cell.
    final class Bench {
        private let box: SealedPair
        private let isActive: Bool
        private let side: SideInABox<PairedSecurity>
        private let other: SideInABox<PairedSecurity>
        /// Flights of the other side while the session was opened.
        private var flights: [[UInt8]] = []

        init(_ state: String, isLower: Bool) throws {
            box = try SealedPair(sealed: state.hasSuffix("lossless") ? .seqpacket : .lossyDatagram)
            isActive = state.hasPrefix("active")
            let role = try isLower ? box.winner : box.winner.counterpart
            side = box.side(role)
            other = box.side(role.counterpart)
            var heard: [[UInt8]] = []
            if isActive {
                box.arrivals = { from, bytes in
                    if from != role, isFlight(bytes) { heard.append(bytes) }
                    return [bytes]
                }
                box.connect()
                other.peer.linkDown(CarrierFailure(call: "read", errorNumber: 5), at: box.now)
                other.drain(at: box.now)
                other.host.wire = []
                open(other)
            } else {
                open(side)
                open(other)
                side.host.wire = []
            }
            flights = heard
        }

        /// What the cell says.
        func apply(_ input: String) throws -> String {
            let first = try #require(other.host.wire.first)
            switch input {
            case "first flight", "first flight, lower key": return hand([first])
            case "first flight again":
                let once = hand([first])
                return once == "closed" ? once : hand([first])
            case "forgery":
                var forged = first
                forged[forged.count - 1] ^= 1
                return hand([forged])
            case "answer":
                if isActive { return hand([try #require(flights.last)]) }
                let own = try #require(side.peer.attempt?.lastFlight)
                return hand(answers(to: packet(own, of: side.peer.attempt?.ids.mine ?? 0)))
            default:
                _ = hand([first])
                guard let answer = side.peer.answers.first else { return "·" }
                other.host.wire = []
                let flight = packet(
                    answer.lastFlight, of: answer.ids.mine, to: answer.ids.theirs)
                return hand(answers(to: flight).filter { !isFlight($0) })
            }
        }

        private func open(_ side: SideInABox<PairedSecurity>) {
            side.peer.activate(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
        }

        private func packet(_ flight: [UInt8], of sender: UInt32, to: UInt32 = 0) -> [UInt8] {
            var writer = WireWriter()
            DatagramHeader(unnumbered: .handshake).write(to: &writer)
            HandshakePacket(
                version: 1, senderSession: sender, receiverSession: to, flight: flight
            ).write(to: &writer)
            return writer.bytes
        }

        private func answers(to packet: [UInt8]) -> [[UInt8]] {
            other.host.wire = []
            other.peer.receive(packet.span, at: box.now)
            other.drain(at: box.now)
            return other.host.wire
        }

        private func hand(_ packets: [[UInt8]]) -> String {
            side.host.wire = []
            side.host.events = []
            let answered = side.peer.answers.count
            let wasActive = side.activationState == .activated
            for bytes in packets { side.peer.receive(bytes.span, at: box.now) }
            let isAnswered = side.peer.answers.count > answered
            side.drain(at: box.now)
            let isClosed = side.host.events.contains {
                if case .linkClosed = $0 { true } else { false }
            }
            if isClosed { return "closed" }
            if side.sessions > 0 { return wasActive ? "active anew" : "active" }
            let flight = side.host.wire.contains(where: isFlight) ? ", flight" : ""
            return (isAnswered ? "answered" : "–") + flight
        }
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "Where sessions are sealed",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        var rows: [[String]] = []
        for state in Self.states {
            var cells = [state]
            for input in Self.inputs {
                let isLower = input.hasSuffix("lower key") || input == "answer"
                cells.append(try Bench(state, isLower: isLower).apply(input))
            }
            rows.append(cells)
        }
        #expect(table.header == ["state"] + Self.inputs)
        #expect(table.rows == rows)
    }
}

import CPosix
import ControlProtocol
import Glibc
import Testing
import WatchProtoCore
import WatchProtoSecurity

/// The first link after a pairing (issue 21, `FOUND.md`, specification fault 5).
@Suite(.serialized, .timeLimit(.minutes(2))) struct FirstLinkTests {
    private let bench = Bench()

    /// Pairs as a phone with the watch, which shows a code; gives the connection, still open.
    private func pair(with watch: Program) throws -> StreamAttacker {
        let text = try #require(
            try watch.call("pair.show", ["confirmed": true])["code"]?.string)
        let code = try #require(PairingCode(text))
        var link = PairingLink(PairingIdentity(role: .phone, device: DeviceID(rawValue: 99)))
        try link.enterCode(code, confirmsAhead: true, at: .zero)
        let socket = StreamAttacker(at: bench.path("link.sock"))
        link.linkUp(.stream, at: .zero)
        let limit = watchproto_monotonic_nanoseconds() + 5_000_000_000
        var hasKeys = false
        while !hasKeys {
            for packet in link.takeOutgoing() { _ = socket.say(packet.bytes) }
            let bytes = try #require(Program.read(socket.number, until: limit))
            try #require(!bytes.isEmpty, "the pairing was cut")
            link.receive(bytes.span, at: .zero)
            for event in link.takeEvents() { if case .store = event { hasKeys = true } }
        }
        return socket
    }

    /// Attacked by nobody: a phone that connects as soon as it has its keys, again and again until
    /// nobody listens. Must hold: none of its links is cut without a word; where the watch is not
    /// ready, a notice says so. The moment is short, so pairings look for it for up to 4 s.
    @Test func the_first_link_after_a_pairing_is_not_cut_without_a_word() throws {
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        var (pairings, cut, answered) = (0, 0, 0)
        let start = watchproto_monotonic_nanoseconds()
        while cut == 0, seconds(since: start) < 4 {
            pairings += 1
            try pair(with: watch).leave()
            var links: [StreamAttacker] = []
            for _ in 0..<64 where links.last?.isConnected ?? true {
                // Each pairing has its own rhythm: one of them meets the moment.
                if pairings % 4 > 0 { usleep(UInt32(pairings % 4 * 10)) }
                links.append(StreamAttacker(at: bench.path("link.sock")))
            }
            let limit = watchproto_monotonic_nanoseconds() + 1_000_000_000
            for link in links where link.isConnected {
                guard let said = Program.read(link.number, until: limit) else { continue }
                if said.isEmpty { cut += 1 } else { answered += 1 }
            }
            for link in links { link.leave() }
            try watch.wait("pairing.done")
            try watch.poll("status") { $0["activation"] == "inactive" }
        }
        #expect(cut + answered > 0)
        #expect(cut == 0, "\(cut) cut after pairing \(pairings), \(answered) answered")
    }
}

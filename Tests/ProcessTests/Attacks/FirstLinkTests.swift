import CPosix
import ControlKit
import Glibc
import Testing
import WatchProto
import WatchSecurity

/// The first link after a pairing (issue 21, `FOUND.md`, specification fault 5).
@Suite(.serialized, .timeLimit(.minutes(2))) struct FirstLinkTests {
    private let bench = Bench()

    /// Pairs as a phone with the watch, which shows a code; gives the connection, still open.
    private func pair(with watch: Program) throws -> StreamStranger {
        let text = try #require(
            try watch.call("pair.show", ["confirmed": true])["code"]?.string)
        let code = try #require(PairingCode(text))
        var link = PairingLink(PairingIdentity(role: .phone, device: DeviceID(rawValue: 99)))
        try link.enterCode(code, confirmsAhead: true, at: .zero)
        let socket = StreamStranger(at: bench.path("link.sock"))
        link.linkUp(.stream, at: .zero)
        let limit = watchproto_monotonic_nanoseconds() + 5_000_000_000
        var hasKeys = false
        while !hasKeys {
            for packet in link.takeOutgoing() { _ = socket.say(packet) }
            let bytes = try #require(Program.read(socket.number, until: limit))
            try #require(!bytes.isEmpty, "the pairing was cut")
            link.receive(bytes.span, at: .zero)
            for event in link.takeEvents() { if case .store = event { hasKeys = true } }
        }
        return socket
    }

    /// Attacked by nobody: a phone that connects as soon as it has its keys. Must hold: in none of
    /// six tries is its link cut without a word; where the watch is not ready, a notice says so.
    @Test func the_first_link_after_a_pairing_is_not_cut_without_a_word() throws {
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        var outcomes: [String] = []
        for _ in 0..<6 {
            let former = try pair(with: watch)
            former.leave()
            let first = StreamStranger(at: bench.path("link.sock"))
            if first.isConnected {
                let limit = watchproto_monotonic_nanoseconds() + 3_000_000_000
                let said = Program.read(first.number, until: limit)
                outcomes.append(said.map { $0.isEmpty ? "cut" : "answered" } ?? "silent")
            } else {
                outcomes.append("refused")
            }
            first.leave()
            try watch.wait("pairing.done")
            try watch.poll("status") { $0["activation"] == "inactive" }
        }
        withKnownIssue("A listener that closes takes those along who wait at its door.") {
            #expect(!outcomes.contains("cut"), "\(outcomes)")
        }
    }
}

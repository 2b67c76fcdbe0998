import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// A wrong code on datagrams: no end of a carrier says that the guess failed.
extension PairingLinkTests {
    private static let datagrams = carriers[2]

    @Test func a_wrong_code_is_noticed_within_a_second_on_datagrams() throws {
        var table = Table(Self.datagrams)
        try table.show()
        try table.enter(table.wrong())
        #expect(Array(table.events[0].suffix(2)) == ["failed 2", "code"])
        table.pass(PairingLink.refusalTime)
        #expect(table.events[1].last == "failed 2")
        try table.enter()
        #expect(table.arePaired)
    }

    @Test func a_lost_refusal_comes_again_with_the_next_repetition() throws {
        var table = Table(Self.datagrams)
        try table.show()
        // Hello, cookie, hello, share, answer: the sixth packet is the refusal.
        table.loses = { $0 == 5 }
        try table.enter(table.wrong())
        table.pass(.milliseconds(499))
        #expect(table.packetCount == 6)
        table.pass(.milliseconds(1) + PairingLink.refusalTime)
        #expect(table.events[1].last == "failed 2")
        // Its repetitions keep nobody waiting.
        #expect(table.sides[0].admission.source == nil)
    }

    @Test func a_forged_refusal_leaves_time_for_the_true_answer() throws {
        var writer = WireWriter()
        AdvisoryPacket(version: Suite.version, code: .violation).write(to: &writer)
        let forged = PacketFraming.plain(.advisory, writer.bytes, carrier: Self.datagrams)
        var table = Table(Self.datagrams)
        try table.show()
        // The side that shows the code takes the answer, and its own message is lost.
        table.loses = { $0 == 5 }
        try table.enter()
        for _ in 0..<100 { table.hand(forged, to: 1) }
        table.loses = { _ in false }
        table.pass(PairingLink.refusalTime)
        #expect(table.arePaired)
        #expect(table.events.allSatisfy { !$0.contains { $0.hasPrefix("failed") } })
    }
}

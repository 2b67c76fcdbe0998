import Testing
import WatchProto

@testable import WatchSecurity

extension ForeignNoiseTests {
    @Test func reconnection_meets_another_implementation() throws {
        var phone = try ReconnectInitiator(
            Self.device(0), prologue: [1], counter: 7, payload: Array("greeting".utf8),
            random: Self.random(0))
        #expect(phone.message == Self.firstMessage)
        let watch = ReconnectResponder(try Self.device(1), random: Self.random(1))
        let request = try #require(try watch.receive(Self.firstMessage, prologue: [1]).request)
        #expect(request.payload == Array("greeting".utf8))
        #expect(request.counter == 7)
        let (answer, sealers) = try watch.answer(request, payload: Array("welcome".utf8))
        #expect(answer == Self.secondMessage)
        #expect(try phone.read(Self.secondMessage) == Array("welcome".utf8))
        #expect(Self.packet(try #require(phone.earlySealer), 0) == Self.earlyPacket)
        #expect(Self.packet(phone.split().sending, 0) == Self.firstPacket)
        #expect(Self.packet(phone.split().sending, 65_536) == Self.laterPacket)
        #expect(Self.packet(sealers.sending, 0) == Self.packetBack)
    }

    static let firstMessage = bytes(
        """
        23b7bb8c91ae008711fb12846780bcdf1e065f821bdfec49f57e7c7dcd4c4823eb16fbaec472b862
        bdde03014cade601cbdafdb92e9f722ea8d727b856905712
        """)
    static let secondMessage = bytes(
        """
        605a725d2a4adfeeb1a29e17edd621c1b7593ee8cdbc44ac6c4ab6e2f805d23cc1ff988b67b1394d
        8ceff0432f42a05525da34da4e680a
        """)
    static let earlyPacket = bytes("45a310e94fdf191a23d63b2500c8545a49922c63b6d4b2de2beb625c5ef2")
    static let firstPacket = bytes("45ba37ff8778a2efe4a9eba249dfc6b0e12727d69f60e6d4e125831ef714")
    static let laterPacket = bytes("45556f18c814b8c50fb8c0e16d3692248a4b6f7b54f44fd5e1d97fe1a842")
    static let packetBack = bytes("456f03650183d009283752590ed4351d98f4c65479235a8a00fa2320f146")
}

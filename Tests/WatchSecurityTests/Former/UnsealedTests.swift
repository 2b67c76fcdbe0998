import Testing
import WatchProto
import WatchSecurity

/// The null security of version 0: that it adds nothing, hides nothing, and says so.
@Suite struct UnsealedTests {
    @Test func it_says_that_it_is_unsealed() {
        #expect(!Unsealed.isSealed)
        #expect(Unsealed.wireVersion == 0)
        #expect(NullSealer.overheadBytes == 0)
    }

    @Test func a_handshake_is_one_flight_each_way() throws {
        var security = Unsealed()
        var phone = security.makeHandshake(role: .phone, prologue: [])
        var watch = security.makeHandshake(role: .watch, prologue: [])
        #expect(phone.mayWrite && !phone.isComplete)
        let flight = try phone.write(payload: [1, 2, 3])
        #expect(!phone.mayWrite && !phone.isComplete)
        let heard = try watch.read(flight.span)
        #expect(heard == [1, 2, 3])
        #expect(watch.mayWrite && !watch.isComplete)
        let answer = try watch.write(payload: [4])
        #expect(watch.isComplete)
        let answered = try phone.read(answer.span)
        #expect(answered == [4])
        #expect(phone.isComplete)
    }

    @Test func a_second_flight_is_malformed() throws {
        var handshake = NullHandshake()
        let flight: [UInt8] = [1]
        _ = try handshake.read(flight.span)
        #expect(throws: HandshakeFailure.malformed) { _ = try handshake.read(flight.span) }
    }

    @Test func packets_stay_as_they_are() {
        var sealer = NullSealer()
        var packet: [UInt8] = [9, 8, 7]
        sealer.seal(&packet, from: 1, number: 5)
        #expect(packet == [9, 8, 7])
        let isAuthentic = sealer.open(&packet, from: 1, number: 5)
        #expect(isAuthentic)
        #expect(packet == [9, 8, 7])
    }
}

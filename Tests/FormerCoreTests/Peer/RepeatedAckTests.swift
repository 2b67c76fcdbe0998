import Testing
import WatchProto

/// What arrives a second time, on a carrier that may repeat packets.
@Suite struct RepeatedAckTests {
    /// Where a carrier repeats everything, each answer would be answered: in the world's seed 33
    /// with packets sent twice, 1.4 GB crossed in 50 s.
    @Test func a_repeated_acknowledgement_is_not_answered() {
        var repair = Repair(limits: Limits(), initialTimeout: .seconds(1), interval: .zero)
        let isNew = (0..<2).map { _ in repair.arrived(0, elicitsAck: false, at: .zero) }
        #expect(isNew == [true, false])
        #expect(repair.ackDeadline == nil)
    }

    @Test func a_repeated_packet_with_something_to_confirm_is_confirmed_at_once() {
        var repair = Repair(limits: Limits(), initialTimeout: .seconds(1), interval: .zero)
        let isNew = repair.arrived(0, elicitsAck: true, at: .zero)
        let ack = repair.makeAck(at: .zero)
        let later = Instant(nanoseconds: 5)
        let isNewAgain = repair.arrived(0, elicitsAck: true, at: later)
        #expect(isNew && ack != nil && !isNewAgain)
        #expect(repair.ackDeadline == later)
    }
}

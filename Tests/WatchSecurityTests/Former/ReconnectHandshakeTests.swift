import Testing
import WatchProto

@testable import WatchSecurity

/// The reconnection as a peer runs it, from both sides.
@Suite struct ReconnectHandshakeTests {
    let pair: PairOfDevices

    init() throws { pair = try PairOfDevices(seed: 3) }

    @Test func one_opens_and_the_other_answers() throws {
        var one = pair.handshake(pair.phone)
        var other = pair.handshake(pair.watch)
        let first = try one.write(payload: [1])
        #expect(!one.mayWrite && !one.isComplete)
        #expect(try other.take(first) == [1])
        #expect(other.mayWrite && !other.isComplete)
        let second = try other.write(payload: [2])
        #expect(other.isComplete && !other.mayWrite)
        #expect(try one.take(second) == [2])
        #expect(one.isComplete && !one.mayWrite)
        #expect(speak(one.split(), other.split()))
        #expect(other.verdict == .accepted)
        #expect(one.verdict == EarlyVerdict.none)
    }

    @Test func when_both_open_the_lower_key_wins_and_both_early_keys_count() throws {
        var lower = pair.handshake(pair.lower)
        var higher = pair.handshake(pair.higher)
        let fromLower = try lower.write(payload: [1])
        let fromHigher = try higher.write(payload: [2])
        #expect(try lower.take(fromHigher) == [2])
        #expect(try higher.take(fromLower) == [1])
        #expect(!lower.mayWrite, "the lower key does not yield")
        #expect(higher.mayWrite)
        let answer = try higher.write(payload: [3])
        #expect(try lower.take(answer) == [3])
        #expect(lower.isComplete && higher.isComplete)
        #expect(speak(lower.split(), higher.split()))
        for (from, to) in [(lower, higher), (higher, lower)] {
            #expect(to.verdict == .accepted)
            var packet: [UInt8] = [5, 6]
            var sealing = try #require(from.earlySending)
            var opening = try #require(to.earlyReceiving)
            sealing.seal(&packet, from: 1, number: 0)
            let isAuthentic = opening.open(&packet, from: 1, number: 0)
            #expect(isAuthentic && packet == [5, 6])
        }
    }

    /// A replayed first message of the winner makes the other side yield; the winner never opened
    /// and answers: that session counts.
    @Test func who_yielded_to_a_replay_still_connects() throws {
        var past = pair.handshake(pair.lower)
        let replayed = try past.write(payload: [1])
        var higher = pair.handshake(pair.higher, counter: 2)
        let opening = try higher.write(payload: [2])
        _ = try higher.take(replayed)
        _ = try higher.write(payload: [3])
        #expect(higher.isComplete)
        var lower = pair.handshake(pair.lower, counter: 2)
        #expect(try lower.take(opening) == [2])
        let answer = try lower.write(payload: [4])
        #expect(try higher.take(answer) == [4])
        #expect(speak(lower.split(), higher.split()))
    }

    @Test func a_first_message_that_came_again_is_answered_again() throws {
        let responder = ReconnectResponder(pair.watch)
        var one = pair.handshake(pair.phone)
        var other = ReconnectHandshake(
            pair.watch, prologue: PairOfDevices.prologue, counter: nil, responder: responder)
        let first = try one.write(payload: [1])
        _ = try other.take(first)
        let second = try other.write(payload: [2])
        #expect(try other.take(first) == [])
        #expect(other.repeatedAnswer == second)
        #expect(other.isComplete)
        // On the next link as well.
        var next = ReconnectHandshake(
            pair.watch, prologue: PairOfDevices.prologue, counter: nil, responder: responder)
        #expect(try next.take(first) == [])
        #expect(next.repeatedAnswer == second)
        #expect(!next.isComplete)
    }

    @Test func every_changed_byte_is_refused_while_both_are_open() throws {
        var lower = pair.handshake(pair.lower)
        var higher = pair.handshake(pair.higher)
        let fromLower = try lower.write(payload: [1])
        let fromHigher = try higher.write(payload: [2])
        for index in fromLower.indices {
            let changed = fromLower.flipping(index)
            #expect(throws: HandshakeFailure.authenticationFailure) {
                _ = try higher.take(changed)
            }
        }
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try lower.take(fromLower)
        }
        _ = try lower.take(fromHigher)
        _ = try higher.take(fromLower)
        let answer = try higher.write(payload: [3])
        for index in answer.indices {
            let changed = answer.flipping(index)
            #expect(throws: HandshakeFailure.authenticationFailure) {
                _ = try lower.take(changed)
            }
        }
        _ = try lower.take(answer)
        #expect(speak(lower.split(), higher.split()))
    }

    /// The counterpart started over: its second first message is for a handshake of its own.
    @Test func a_second_first_message_keeps_its_counter_for_its_own_handshake() throws {
        let responder = ReconnectResponder(pair.watch)
        var handshakes = (0..<2).map { _ in
            ReconnectHandshake(
                pair.watch, prologue: PairOfDevices.prologue, counter: nil, responder: responder)
        }
        _ = try handshakes[0].take(try pair.opening(1).message)
        let second = try pair.opening(2).message
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try handshakes[0].take(second)
        }
        #expect(responder.gate.highest == 1)
        _ = try handshakes[1].take(second)
        #expect(handshakes[1].verdict == .accepted)
    }

    @Test func out_of_turn_nothing_is_written() throws {
        var one = pair.handshake(pair.phone)
        _ = try one.write(payload: [])
        #expect(throws: HandshakeFailure.authenticationFailure) { _ = try one.write(payload: []) }
    }

    @Test func the_security_of_a_peer_makes_handshakes_that_meet() throws {
        var phone = PairedSecurity(pair.phone, counter: HandshakeCounter(reserved: 0))
        var watch = PairedSecurity(pair.watch)
        #expect(PairedSecurity.isSealed && PairedSecurity.wireVersion == 1)
        for round in 1...3 as ClosedRange<UInt64> {
            if let wanted = phone.counter.wanted { phone.counter.committed(wanted) }
            var one = phone.makeHandshake(role: .phone, prologue: [1])
            var other = watch.makeHandshake(role: .watch, prologue: [1])
            _ = try other.take(try one.write(payload: []))
            #expect(watch.gate.highest == round)
            _ = try one.take(try other.write(payload: []))
            #expect(speak(one.split(), other.split()))
        }
    }
}

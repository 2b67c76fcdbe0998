import Testing
import WatchProto

@testable import WatchSecurity

/// First messages that somebody recorded and sends again.
@Suite struct ReplayedOpeningTests {
    @Test func replays_push_out_no_answer_that_counts() throws {
        let pair = try SimulatedPair(seed: 3)
        func open(_ counter: UInt64) throws -> [UInt8] {
            try ReconnectInitiator(
                pair.phone, prologue: [1], counter: counter, payload: [7],
                random: RandomSource(seed: counter)
            ).message
        }
        let recorded = try (1...20).map { try open(UInt64($0)) }
        let gate = HandshakeGate(highest: 20)
        let responder = ReconnectResponder(
            pair.watch, gate: gate, random: RandomSource(seed: 99))
        let genuine = try open(21)
        let request = try #require(try responder.receive(genuine, prologue: [1]).request)
        let answer = try responder.answer(request, payload: [8]).message
        for message in recorded {
            let old = try #require(try responder.receive(message, prologue: [1]).request)
            #expect(old.verdict == .stale(highest: 21))
        }
        // The answer was lost: it is given again.
        guard case .repeated(let again) = try responder.receive(genuine, prologue: [1]) else {
            Issue.record("the answer was pushed out by replays")
            return
        }
        #expect(again == answer)
        // Those that count push out one another, the oldest first.
        for counter in 22..<(22 + UInt64(ReconnectResponder.cacheLimit)) {
            _ = try responder.receive(try open(counter), prologue: [1])
        }
        #expect(try responder.receive(genuine, prologue: [1]).request != nil)
        // With all places taken by such a replay is not remembered, and does no harm either.
        let replay = try responder.receive(recorded[0], prologue: [1]).request
        #expect(replay?.earlySealer == nil)
    }
}

import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Pairing as a host sees it: codes, attempts and time.
@Suite final class PairingCoordinatorTests {
    var phone = PairingCoordinator(PairingBench.phone)
    var watch = PairingCoordinator(PairingBench.watch)
    var now = Instant.zero

    /// The last events of the two.
    struct Result {
        var onPhone: PairingCoordinator.Event = .nothing
        var onWatch: PairingCoordinator.Event = .nothing
    }

    /// Lets the phone enter a code and both speak until nobody has anything to say.
    func run(_ code: PairingCode) throws -> Result {
        var result = Result()
        var toWatch: [UInt8]? = try phone.enterCode(code, at: now)
        while let message = toWatch {
            toWatch = nil
            result.onWatch = watch.receive(message, at: now)
            guard let answer = Self.outgoing(result.onWatch) else { break }
            result.onPhone = phone.receive(answer, at: now)
            toWatch = Self.outgoing(result.onPhone)
        }
        return result
    }

    static func outgoing(_ event: PairingCoordinator.Event) -> [UInt8]? {
        switch event {
        case .send(let bytes): bytes
        case .paired(_, let bytes): bytes
        default: nil
        }
    }

    static func wrong(_ code: PairingCode) -> PairingCode {
        PairingCode((code.text.hasPrefix("0") ? "1" : "0") + code.text.dropFirst())!
    }

    @Test func the_shown_code_pairs() throws {
        let result = try run(try watch.showCode(at: now))
        guard case .paired(let here, nil) = result.onPhone,
            case .paired(let there, .some) = result.onWatch
        else { return #expect(Bool(false), "\(result)") }
        #expect(here.isOther(half: there))
        #expect(throws: PairingCoordinator.Refusal.over) {
            _ = try self.watch.showCode(at: self.now)
        }
        #expect(throws: PairingCoordinator.Refusal.over) {
            _ = try self.phone.enterCode(PairingCode("111111")!, at: self.now)
        }
    }

    @Test func a_wrong_code_burns_the_shown_one_and_the_next_pairs() throws {
        let first = try watch.showCode(at: now)
        let result = try run(Self.wrong(first))
        guard case .failed(.notAuthentic, attemptsLeft: 2, let next?) = result.onWatch else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(next != first)
        // The phone hears nothing and gives up after a while.
        guard case .failed(.notAuthentic, attemptsLeft: 2, next: nil) = phone.abandon(at: now)
        else { return #expect(Bool(false)) }
        // The burnt code is of no use any more.
        let stale = try run(first)
        guard case .failed(.notAuthentic, attemptsLeft: 1, let last?) = stale.onWatch else {
            return #expect(Bool(false), "\(stale)")
        }
        _ = phone.abandon(at: now)
        guard case .paired = try run(last).onPhone else { return #expect(Bool(false)) }
    }

    @Test func the_third_failure_ends_it_on_both_sides() throws {
        var code = try watch.showCode(at: now)
        for attempt in 1...3 {
            let result = try run(Self.wrong(code))
            let onPhone = phone.abandon(at: now)
            if attempt < 3 {
                guard case .failed(_, let left, let next?) = result.onWatch,
                    case .failed = onPhone
                else { return #expect(Bool(false), "\(result)") }
                #expect(left == 3 - attempt)
                code = next
            } else {
                guard case .tooManyFailures(.notAuthentic) = result.onWatch,
                    case .tooManyFailures(.notAuthentic) = onPhone
                else { return #expect(Bool(false), "\(result)") }
            }
        }
        #expect(throws: PairingCoordinator.Refusal.over) {
            _ = try self.watch.showCode(at: self.now)
        }
        #expect(throws: PairingCoordinator.Refusal.over) {
            _ = try self.phone.enterCode(code, at: self.now)
        }
        guard case .ignored(.over) = watch.receive([1, 2], at: now) else {
            return #expect(Bool(false))
        }
    }

    @Test func a_code_lives_two_minutes() throws {
        let code = try watch.showCode(at: now)
        #expect(watch.deadline == Instant.zero.advanced(by: .seconds(120)))
        now = Instant.zero.advanced(by: .seconds(119))
        guard case .nothing = watch.tick(at: now) else { return #expect(Bool(false)) }
        now = Instant.zero.advanced(by: .seconds(120))
        let result = try run(code)
        guard case .expired(let next?) = result.onWatch else {
            return #expect(Bool(false), "\(result)")
        }
        #expect(next != code)
        #expect(watch.failures == 0)
        // Nothing was said under the old code, but another is shown now.
        _ = phone.abandon(at: now)
        guard case .paired = try run(next).onWatch else { return #expect(Bool(false)) }
    }

    @Test func a_committed_run_that_gets_too_old_has_failed() throws {
        let code = try watch.showCode(at: now)
        guard case .send(let share) = watch.receive(try phone.enterCode(code, at: now), at: now),
            case .send = phone.receive(share, at: now)
        else { return #expect(Bool(false)) }
        now = now.advanced(by: PairingCoordinator.codeLife)
        guard case .failed(.notAuthentic, attemptsLeft: 2, next: nil) = phone.tick(at: now) else {
            return #expect(Bool(false))
        }
        guard case .expired(.some) = watch.tick(at: now) else { return #expect(Bool(false)) }
    }

    /// Both know by then that the other has the code: it is no wrong one, and nobody's attack.
    @Test(arguments: [false, true]) func who_leaves_off_after_its_proof_is_told_as_that(
        isTooOld: Bool
    ) throws {
        let code = try watch.showCode(at: now)
        guard case .send(let share) = watch.receive(try phone.enterCode(code, at: now), at: now),
            case .send(let answer) = phone.receive(share, at: now),
            case .send(let proof) = watch.receive(answer, at: now),
            case .send = phone.receive(proof, at: now)
        else { return #expect(Bool(false)) }
        if isTooOld { now = now.advanced(by: PairingCoordinator.codeLife) }
        let (onPhone, onWatch) =
            isTooOld
            ? (phone.tick(at: now), watch.tick(at: now))
            : (phone.abandon(at: now), watch.abandon(at: now))
        guard case .failed(.abandoned, attemptsLeft: 2, next: nil) = onPhone,
            case .failed(.abandoned, attemptsLeft: 2, next: let next?) = onWatch
        else { return #expect(Bool(false), "\(onPhone) \(onWatch)") }
        #expect(next != code)
    }

    @Test func what_is_not_kept_as_the_other_is_gone_was_left_off() throws {
        let code = try watch.showCode(at: now)
        guard case .paired = try run(code).onWatch,
            case .failed(.abandoned, attemptsLeft: 2, .some) = watch.reject(at: now)
        else { return #expect(Bool(false)) }
    }

    @Test func cancelling_is_an_end_of_its_own() throws {
        let code = try watch.showCode(at: now)
        guard case .cancelled = watch.cancel() else { return #expect(Bool(false)) }
        guard case .nothing = watch.cancel() else { return #expect(Bool(false)) }
        guard case .ignored(.over) = try run(code).onWatch else { return #expect(Bool(false)) }
        #expect(throws: PairingCoordinator.Refusal.over) {
            _ = try self.watch.showCode(at: self.now)
        }
    }

    @Test func an_attacker_who_only_says_hello_costs_nothing() throws {
        let code = try watch.showCode(at: now)
        for number in 0..<10 {
            var attacker = PairingCoordinator(PairingBench.phone)
            let hello = try attacker.enterCode(PairingCode("00000\(number)")!, at: now)
            guard case .send = watch.receive(hello, at: now) else { return #expect(Bool(false)) }
            guard case .nothing = watch.abandon(at: now) else { return #expect(Bool(false)) }
        }
        #expect(watch.failures == 0)
        guard case .paired = try run(code).onWatch else { return #expect(Bool(false)) }
    }

    @Test func a_code_is_entered_once() throws {
        let code = try watch.showCode(at: now)
        guard case .send(let share) = watch.receive(try phone.enterCode(code, at: now), at: now)
        else { return #expect(Bool(false)) }
        #expect(throws: PairingCoordinator.Refusal.busy) {
            _ = try self.phone.enterCode(PairingCode("111111")!, at: self.now)
        }
        #expect(throws: PairingCoordinator.Refusal.busy) {
            _ = try self.watch.showCode(at: self.now)
        }
        _ = phone.receive(share, at: now)
        _ = phone.abandon(at: now)
        #expect(throws: PairingCoordinator.Refusal.usedBefore) {
            _ = try self.phone.enterCode(code, at: self.now)
        }
    }

    @Test func the_confirmation_is_repeated_when_it_was_lost() throws {
        let code = try watch.showCode(at: now)
        var message = try phone.enterCode(code, at: now)
        for _ in 0..<2 {
            guard let answer = Self.outgoing(watch.receive(message, at: now)),
                let next = Self.outgoing(phone.receive(answer, at: now))
            else { return #expect(Bool(false)) }
            message = next
        }
        guard case .paired(_, let lost?) = watch.receive(message, at: now),
            case .send(let again) = watch.receive(message, at: now)
        else { return #expect(Bool(false)) }
        #expect(lost == again)
        guard case .paired = phone.receive(again, at: now) else { return #expect(Bool(false)) }
    }

    @Test func codes_are_six_digits_without_bias() {
        let random = RandomSource(seed: 11)
        let codes = (0..<20_000).map { _ in PairingCode(random) }
        #expect(codes.allSatisfy { PairingCode($0.text) == $0 })
        for place in 0..<6 {
            var counts = [Int](repeating: 0, count: 10)
            for code in codes { counts[Array(code.text)[place].wholeNumberValue!] += 1 }
            // Nine degrees of freedom: beyond 33.7 by chance once in ten thousand.
            let spread = counts.reduce(0.0) {
                $0 + (Double($1) - 2000) * (Double($1) - 2000) / 2000
            }
            #expect(spread < 33.7, "place \(place): \(counts)")
        }
        // A draw of the last, incomplete million is thrown away.
        let script = Script([[0xFF, 0xFF, 0xFF, 0xFF], [7, 0, 0, 0]])
        #expect(PairingCode(script.source).text == "000007")
    }

    @Test func a_typed_code_may_have_gaps_and_nothing_else() {
        #expect(PairingCode("123456")?.text == "123456")
        #expect(PairingCode("123 456")?.text == "123456")
        #expect(PairingCode("12-34-56")?.text == "123456")
        for typed in ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "123.456"] {
            #expect(PairingCode(typed) == nil, "\(typed)")
        }
        #expect(!"\(PairingCode("123456")!)".contains("1"))
    }

    /// The side that shows the code saw no guess, and keeps it, as anybody can send message 1. The
    /// other side must not enter it again, and its user is told how to get another one.
    @Test func a_link_that_is_lost_under_a_guess_says_how_to_go_on() throws {
        let code = try watch.showCode(at: now)
        guard case .send(let share) = watch.receive(try phone.enterCode(code, at: now), at: now),
            case .send = phone.receive(share, at: now),
            case .failed(let failure, attemptsLeft: 2, next: nil) = phone.abandon(at: now)
        else { return #expect(Bool(false)) }
        for words in ["code was wrong", "link was lost", "shows the same code", "cancel"] {
            #expect("\(failure)".contains(words), "\(failure)")
        }
        guard case .nothing = watch.abandon(at: now) else { return #expect(Bool(false)) }
        #expect(watch.failures == 0)
        #expect(throws: PairingCoordinator.Refusal.usedBefore) {
            _ = try self.phone.enterCode(code, at: self.now)
        }
        guard case .cancelled = watch.cancel() else { return #expect(Bool(false)) }
        watch = PairingCoordinator(PairingBench.watch)
        guard case .paired = try run(try watch.showCode(at: now)).onPhone else {
            return #expect(Bool(false))
        }
    }

    @Test func failures_say_what_to_do() {
        let failures: [PairingFailure] = [
            .notAuthentic, .abandoned, .malformed, .counterpartTooOld(version: 0),
            .counterpartTooNew(version: 2), .wrongCounterpart, .over, .noSecretMemory,
        ]
        #expect(failures.allSatisfy { "\($0)".hasPrefix("pairing: seen ") })
        #expect("\(PairingFailure.counterpartTooOld(version: 0))".contains("other device"))
        #expect("\(PairingFailure.counterpartTooNew(version: 2))".contains("this device"))
    }
}

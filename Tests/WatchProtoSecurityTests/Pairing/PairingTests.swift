import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

@Suite struct PairingTests {
    @Test func equal_codes_pair() throws {
        var bench = PairingBench()
        try bench.finish()
        let here = try #require(bench.entered)
        let there = try #require(bench.shown)
        #expect(here.isOther(half: there))
        #expect(here.own.role == .phone)
        #expect(here.counterpart == PairingBench.watch)
        #expect(bench.messages.map(\.count) == [35, 69, 83, 97, 65, 17])
    }

    @Test func each_pairing_has_names_and_keys_of_its_own() throws {
        var devices: [PairedDevice] = []
        for _ in 0..<8 {
            var bench = PairingBench()
            try bench.finish()
            devices += [try #require(bench.entered), try #require(bench.shown)]
        }
        #expect(Set(devices.map(\.pairing)).count == 8)
        #expect(Set(devices.map(\.ownKey)).count == 16)
        #expect(Set(devices.map { $0.psk.exposed }).count == 8)
    }

    @Test func different_codes_do_not_and_neither_side_gets_anything() throws {
        var bench = PairingBench("123456", shown: "123457")
        #expect(throws: PairingFailure.notAuthentic) { try bench.finish() }
        #expect(bench.entered == nil)
        #expect(bench.shown == nil)
        #expect(
            bench.messages.count == 3, "the displaying side is the first to know, and says nothing")
        #expect(bench.displaying.hasFailed)
        #expect(throws: PairingFailure.over) { _ = try bench.displaying.receive(bench.messages[0]) }
    }

    /// Every byte of every message, in several ways: nobody gets a key, nothing crashes, and what
    /// is told is the same for every byte that is not in clear.
    @Test func every_changed_byte_is_refused() throws {
        for number in 0..<PairingBench.count {
            var plain = PairingBench(random: RandomSource(seed: 5))
            try plain.run(to: number)
            for index in plain.messages[number].indices {
                for mask in [1, 0x80] as [UInt8] {
                    var bench = PairingBench(random: RandomSource(seed: 5))
                    try bench.run(to: number)
                    let changed = bench.messages[number].flipping(index, mask)
                    Self.expectNoPairing(&bench, changed, number, index)
                }
            }
        }
    }

    /// Hands over a changed message and lets the run go on as far as it goes.
    private static func expectNoPairing(
        _ bench: inout PairingBench, _ changed: [UInt8], _ number: Int, _ index: Int
    ) {
        bench.messages[number] = changed
        let shownBefore = bench.shown
        do throws(PairingFailure) {
            while bench.messages.count <= PairingBench.count { try bench.step() }
            Issue.record("message \(number), byte \(index) was taken")
        } catch {
            let isClear = number < 2 || number == 2 && index < 36 || index == 0
            #expect(
                error == .notAuthentic || isClear, "message \(number), byte \(index): \(error)")
            #expect(bench.entered == nil, "message \(number), byte \(index)")
            // The displaying side has confirmed before its own confirmation can be changed.
            #expect(shownBefore != nil || bench.shown == nil, "message \(number), byte \(index)")
        }
    }

    @Test func cut_and_lengthened_messages_are_ignored() throws {
        for number in 0..<PairingBench.count {
            var bench = PairingBench()
            try bench.run(to: number)
            let message = bench.messages[number]
            for wrong in (0..<message.count).map({ Array(message.prefix($0)) }) + [message + [0]] {
                #expect(throws: PairingFailure.malformed) {
                    _ = try bench.hand(wrong, as: number)
                }
            }
            try bench.finish()
            #expect(bench.entered != nil && bench.shown != nil)
        }
    }

    /// Stray, reflected, reordered and repeated messages change nothing.
    @Test func every_message_out_of_turn_is_ignored() throws {
        var other = PairingBench()
        try other.finish()
        for number in 0..<PairingBench.count {
            var bench = PairingBench()
            try bench.run(to: number)
            // Of another run, to both sides; but not what one of them waits for.
            for stray in 0..<PairingBench.count where stray != number && stray != number + 1 {
                for isForDisplaying in [true, false] {
                    #expect(throws: PairingFailure.malformed) {
                        _ =
                            try isForDisplaying
                            ? bench.displaying.receive(other.messages[stray])
                            : bench.entering.receive(other.messages[stray])
                    }
                }
            }
            // Own ones, back at their sender.
            for (index, message) in bench.messages.enumerated() {
                #expect(throws: PairingFailure.malformed) {
                    _ = try bench.hand(message, as: index + 1)
                }
            }
            try bench.finish()
            #expect(bench.entered != nil && bench.shown != nil, "after message \(number)")
        }
    }

    /// A message of another run in its own place is a failure like any other.
    @Test(arguments: 1..<6) func a_replayed_message_pairs_nobody(number: Int) throws {
        var other = PairingBench()
        try other.finish()
        var bench = PairingBench()
        try bench.run(to: number)
        bench.messages[number] = other.messages[number]
        #expect(throws: PairingFailure.notAuthentic) {
            while bench.messages.count <= PairingBench.count { try bench.step() }
        }
        #expect(bench.entered == nil)
    }

    /// A forged message of the right shape, in front of the true one: only the answer, which is a
    /// guess at the code, ends the run.
    @Test(arguments: 1..<PairingBench.count)
    func only_an_answer_that_fails_ends_a_run(number: Int) throws {
        var bench = PairingBench()
        try bench.run(to: number)
        var forged = bench.messages[number]
        // The point of a share and an answer, and a sealed byte of the others.
        for index in 2..<min(34, forged.count) { forged[index] = 0 }
        for _ in 0..<3 where !bench.displaying.hasFailed {
            #expect(throws: PairingFailure.notAuthentic) { _ = try bench.hand(forged, as: number) }
        }
        #expect(bench.displaying.hasFailed == (number == 2))
        guard number != 2 else { return }
        #expect(bench.entering.isCommitted == (number > 1), "no guess was made of a forged share")
        try bench.finish()
        #expect(try #require(bench.entered).isOther(half: try #require(bench.shown)))
    }

    @Test func lost_answers_are_given_again() throws {
        var bench = PairingBench()
        for number in 0..<PairingBench.count {
            try bench.run(to: number)
            let message = bench.messages[number]
            try bench.step()
            guard bench.messages.count > number + 1 else { continue }
            for _ in 0..<3 {
                guard case .send(let again) = try bench.hand(message, as: number) else {
                    Issue.record("message \(number) was not answered again")
                    continue
                }
                #expect(again == bench.messages[number + 1])
            }
        }
        #expect(bench.entered != nil && bench.shown != nil)
    }

    @Test func who_is_too_old_or_too_new_is_said_and_costs_nothing() throws {
        var bench = PairingBench()
        for (version, failure) in [
            (0, PairingFailure.counterpartTooOld(version: 0)),
            (2, .counterpartTooNew(version: 2)),
        ] as [(UInt8, PairingFailure)] {
            var hello = bench.messages[0]
            hello[1] = version
            #expect(throws: failure) { _ = try bench.displaying.receive(hello) }
        }
        try bench.run(to: 1)
        var share = bench.messages[1]
        share[35] = 9
        #expect(throws: PairingFailure.counterpartTooNew(version: 9)) {
            _ = try bench.entering.receive(share)
        }
        try bench.finish()
        #expect(bench.entered != nil)
    }

    @Test func a_device_of_the_same_kind_or_oneself_is_refused() throws {
        let code = PairingCode("000000")!
        let phones = [
            PairingIdentity(role: .phone, device: DeviceID(rawValue: 9)), PairingBench.phone,
        ]
        for phone in phones {
            let entering = Pairing(entering: code, as: phone)
            var displaying = Pairing(showing: code, as: PairingBench.phone)
            #expect(throws: PairingFailure.wrongCounterpart) {
                _ = try displaying.receive(entering.opening!)
            }
            #expect(!displaying.isCommitted)
        }
    }

    /// A relay between the two learns nothing; one that answers both itself is found out.
    @Test func one_between_with_a_wrong_guess_fails_on_both_sides() throws {
        let guess = PairingCode("654321")!
        var honest = PairingBench()
        var toEntering = Pairing(showing: guess, as: PairingBench.watch)
        guard case .send(let share) = try toEntering.receive(honest.messages[0]),
            case .send(let answer) = try honest.entering.receive(share)
        else { return #expect(Bool(false)) }
        #expect(throws: PairingFailure.notAuthentic) { _ = try toEntering.receive(answer) }
        #expect(honest.entering.isCommitted, "the guess was tested: the code is burnt here, too")
    }

    @Test func the_psk_is_blake2b_of_the_session_key() throws {
        let key = try Secret((0..<64).map { UInt8($0) })
        let psk = try PairingContext.psk(key).exposed
        #expect(psk == BLAKE2b.hash((0..<64).map { UInt8($0) }, count: 32))
    }

    @Test func a_paired_device_is_stored_sealed() throws {
        var bench = PairingBench()
        try bench.finish()
        let device = try #require(bench.entered)
        let sealer = try AtRestSealer(key: .random())
        let sealed = device.sealed(by: sealer)
        let again = try PairedDevice(sealed: sealed, by: sealer)
        #expect(again.isOther(half: try #require(bench.shown)))
        #expect(again.ownKey == device.ownKey)
        let other = try AtRestSealer(key: .random())
        #expect(throws: SealedPayloadError.self) {
            _ = try PairedDevice(sealed: sealed, by: other)
        }
        #expect(throws: SealedPayloadError.self) {
            _ = try PairedDevice(sealed: sealed.flipping(40), by: sealer)
        }
    }
}

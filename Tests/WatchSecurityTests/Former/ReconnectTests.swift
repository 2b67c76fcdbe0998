import Testing
import WatchProto

@testable import WatchSecurity

@Suite struct ReconnectTests {
    let pair: PairOfDevices

    init() throws { pair = try PairOfDevices() }

    @Test func paired_devices_connect_in_one_round_trip() throws {
        var phone = try pair.opening()
        let watch = pair.answering()
        let request = try #require(try watch.receive(phone.message).request)
        #expect(request.payload == [1, 2, 3])
        #expect(request.verdict == .accepted)
        let (answer, sealers) = try watch.answer(request, payload: [4, 5])
        #expect(try phone.read(answer) == [4, 5])
        #expect(speak(phone.split(), sealers))
        // 96 bytes for both, and the counter.
        #expect(phone.message.count + answer.count == 96 + 8 + 3 + 2)
    }

    @Test func sessions_have_keys_of_their_own() throws {
        let watch = pair.answering()
        var sealed: Set<[UInt8]> = []
        for counter in 1...20 as ClosedRange<UInt64> {
            var phone = try pair.opening(counter)
            let request = try #require(try watch.receive(phone.message).request)
            _ = try phone.read(try watch.answer(request, payload: []).message)
            var sealers = phone.split()
            var early = try #require(phone.earlySealer)
            for seal in 0..<3 {
                var packet: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
                switch seal {
                case 0: sealers.sending.seal(&packet, from: 0, number: 0)
                case 1: sealers.receiving.seal(&packet, from: 0, number: 0)
                default: early.seal(&packet, from: 0, number: 0)
                }
                // Equal key and nonce would show as equal bytes.
                #expect(sealed.insert(packet).inserted)
            }
        }
    }

    @Test func every_changed_byte_is_refused_alike() throws {
        let phone = try pair.opening()
        let watch = pair.answering()
        for index in phone.message.indices {
            for mask in [1, 0x80] as [UInt8] {
                #expect(throws: HandshakeFailure.authenticationFailure) {
                    _ = try watch.receive(phone.message.flipping(index, mask))
                }
            }
        }
        #expect(watch.gate.highest == 0, "no forged counter counts")
        let request = try #require(try watch.receive(phone.message).request)
        let (answer, sealers) = try watch.answer(request, payload: [7])
        var opened = phone
        for index in answer.indices {
            for mask in [1, 0x80] as [UInt8] {
                #expect(throws: HandshakeFailure.authenticationFailure) {
                    _ = try opened.read(answer.flipping(index, mask))
                }
            }
        }
        // The honest answer still opens the session.
        #expect(try opened.read(answer) == [7])
        #expect(speak(opened.split(), sealers))
    }

    @Test func cut_messages_are_malformed_and_lengthened_ones_do_not_authenticate() throws {
        let phone = try pair.opening(payload: [])
        let watch = pair.answering()
        for count in 0..<48 {
            #expect(throws: HandshakeFailure.malformed) {
                _ = try watch.receive(Array(phone.message.prefix(count)))
            }
        }
        for wrong in [Array(phone.message.dropLast()), phone.message + [0]] {
            #expect(throws: HandshakeFailure.authenticationFailure) {
                _ = try watch.receive(wrong)
            }
        }
        #expect(try watch.receive(phone.message).request != nil)
    }

    @Test func replayed_reflected_and_foreign_messages_connect_nobody() throws {
        var phone = try pair.opening()
        let watch = pair.answering()
        let request = try #require(try watch.receive(phone.message).request)
        let answer = try watch.answer(request, payload: []).message
        let other = try PairOfDevices(seed: 2)
        let foreign = try other.opening()
        let itself = ReconnectResponder(pair.phone)
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try watch.receive(foreign.message)
        }
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try itself.receive(phone.message)
        }
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try phone.read(phone.message)
        }
        // The answer to an earlier first message.
        var later = try pair.opening(2)
        #expect(throws: HandshakeFailure.authenticationFailure) { _ = try later.read(answer) }
        #expect(try phone.read(answer) == [])
        let next = try #require(try watch.receive(later.message).request)
        _ = try later.read(try watch.answer(next, payload: []).message)
    }

    @Test func another_prologue_connects_nobody() throws {
        let phone = try pair.opening()
        let watch = pair.answering()
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try watch.receive(phone.message, prologue: [2])
        }
    }

    @Test func an_identical_first_message_gets_the_same_answer() throws {
        let watch = pair.answering()
        let phone = try pair.opening()
        let request = try #require(try watch.receive(phone.message).request)
        guard case .repeated(nil) = try watch.receive(phone.message) else {
            return #expect(Bool(false), "it was not answered yet")
        }
        let answer = try watch.answer(request, payload: [1]).message
        for _ in 0..<3 {
            guard case .repeated(let again) = try watch.receive(phone.message) else {
                return #expect(Bool(false))
            }
            #expect(again == answer)
        }
        // The cache is bounded; what it has forgotten is stale, not new.
        for counter in 2...(1 + UInt64(ReconnectResponder.cacheLimit)) {
            _ = try watch.receive(try pair.opening(counter).message)
        }
        let forgotten = try #require(try watch.receive(phone.message).request)
        #expect(forgotten.verdict == .stale(highest: 9))
        #expect(forgotten.earlySealer == nil)
    }

    @Test func a_device_without_the_psk_connects_to_nobody() throws {
        let other = try PairOfDevices(seed: 2)
        let noise = try NoiseHandshake(
            .reconnection, .initiator,
            prologue: Reconnection.prologue(pair.phone, PairOfDevices.prologue),
            ownStatic: pair.phone.keyPair, remoteStatic: pair.phone.counterpartKey,
            psk: other.phone.psk, random: .system, arena: .shared)
        var writing = noise
        let message = try writing.write(payload: [UInt8](repeating: 0, count: 8))
        let watch = pair.answering()
        #expect(throws: HandshakeFailure.authenticationFailure) { _ = try watch.receive(message) }
    }

    /// What one link has taken, a link opened before that refuses, too.
    @Test func links_of_a_pairing_share_what_was_taken() throws {
        let responder = pair.answering()
        var links = (0..<2).map { _ in
            ReconnectHandshake(
                pair.watch, prologue: PairOfDevices.prologue, counter: nil, responder: responder)
        }
        let first = try pair.opening(9).message
        let older = try pair.opening(8).message
        _ = try links[0].take(first)
        #expect(links[0].verdict == .accepted)
        let again = try links[1].take(first)
        #expect(again == [] && links[1].earlyReceiving == nil)
        _ = try links[1].take(older)
        #expect(links[1].verdict == .stale(highest: 9))
        #expect(links[1].earlyReceiving == nil)
    }

    @Test func a_request_is_answered_once() throws {
        let watch = pair.answering()
        let request = try #require(try watch.receive(try pair.opening().message).request)
        _ = try watch.answer(request, payload: [1])
        #expect(throws: HandshakeFailure.authenticationFailure) {
            _ = try watch.answer(request, payload: [2])
        }
    }

    // MARK: Early data

    @Test func early_data_opens_before_the_answer_in_numbers_of_its_own() throws {
        let phone = try pair.opening(5)
        let watch = pair.answering(highest: 4)
        let request = try #require(try watch.receive(phone.message).request)
        var sealing = try #require(phone.earlySealer)
        var opening = try #require(request.earlySealer)
        for number in 0..<200 as Range<UInt64> {
            var packet: [UInt8] = [8, 1, 2, 3]
            sealing.seal(&packet, from: 1, number: number)
            let isAuthentic = opening.open(&packet, from: 1, number: number)
            #expect(isAuthentic && packet == [8, 1, 2, 3])
        }
        // It opens nothing of the session.
        var (_, sealers) = try watch.answer(request, payload: [])
        var packet: [UInt8] = [8, 1, 2, 3]
        sealing.seal(&packet, from: 1, number: 200)
        let isAuthentic = sealers.receiving.open(&packet, from: 1, number: 200)
        #expect(!isAuthentic)
    }

    @Test func a_stale_counter_refuses_the_early_data_only_and_teaches() throws {
        var phone = try pair.opening(3)
        let watch = pair.answering(highest: 70)
        let request = try #require(try watch.receive(phone.message).request)
        #expect(request.verdict == .stale(highest: 70))
        #expect(request.earlySealer == nil)
        let (answer, sealers) = try watch.answer(request, payload: [])
        _ = try phone.read(answer)
        #expect(speak(phone.split(), sealers))
        var counter = HandshakeCounter(reserved: 4)
        counter.learn(70)
        counter.committed(try #require(counter.wanted))
        #expect(counter.next() == 71)
    }

    @Test func without_a_counter_there_is_no_early_data() throws {
        let phone = try pair.opening(nil)
        #expect(phone.earlySealer == nil)
        let watch = pair.answering()
        let request = try #require(try watch.receive(phone.message).request)
        #expect(request.verdict == EarlyVerdict.none)
        #expect(request.earlySealer == nil)
        #expect(watch.gate.highest == 0)
    }

    // MARK: Counters

    /// Whatever is crashed when: no number is given twice.
    @Test func counters_are_never_used_twice() {
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var durable: UInt64 = 0
            var counter = HandshakeCounter(reserved: durable)
            var used: Set<UInt64> = []
            var highest: UInt64 = 0
            for _ in 0..<400 {
                switch generator.uniform(in: 0...9) {
                case 0: counter = HandshakeCounter(reserved: durable)
                case 1...3:
                    if let wanted = counter.wanted {
                        durable = wanted
                        counter.committed(wanted)
                    }
                case 4 where generator.chance(0.1):
                    counter.learn(highest + generator.uniform(in: 0...100))
                default:
                    guard let number = counter.next() else { continue }
                    #expect(used.insert(number).inserted, "seed \(seed)")
                    #expect(number > highest && number < durable, "seed \(seed)")
                    highest = number
                }
            }
            #expect(used.count > 20)
        }
    }

    @Test func a_gate_takes_each_number_once() {
        var gate = HandshakeGate(highest: 5)
        #expect(gate.judge(6) == .accepted)
        #expect(gate.judge(6) == .stale(highest: 6))
        #expect(gate.judge(5) == .stale(highest: 6))
        #expect(gate.judge(0) == EarlyVerdict.none)
        // All later ones would be stale.
        #expect(gate.judge(HandshakeGate.limit) == EarlyVerdict.none)
        #expect(gate.judge(HandshakeGate.limit - 1) == .accepted)
        #expect(gate.highest == HandshakeGate.limit - 1)
    }
}

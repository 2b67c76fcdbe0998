import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

@Suite final class SessionSealerTests {
    let key: Secret
    var sending: SessionSealer
    var receiving: SessionSealer

    init() throws {
        key = try Secret((0..<32).map { UInt8($0) })
        sending = SessionSealer(key)
        receiving = SessionSealer(key)
    }

    static let header: [UInt8] = [0x45, 1, 2]
    static let text = Array("Testamin 5 mg".utf8)

    func sealed(_ number: UInt64) -> [UInt8] {
        var packet = Self.header + Self.text
        sending.seal(&packet, from: 3, number: number)
        return packet
    }

    func opens(_ packet: [UInt8], _ number: UInt64) -> Bool {
        var packet = packet
        guard receiving.open(&packet, from: 3, number: number) else { return false }
        #expect(packet == Self.header + Self.text)
        return true
    }

    /// Computed with the Python package cryptography.
    @Test func the_form_is_for_life() throws {
        #expect(
            sealed(0)
                == bytes("4501024cdd3145cc8bcfbf33547c0cc8064e48d0c9b3b1691112a8f9959d3ce2"))
        #expect(
            sealed(65_536)
                == bytes("45010236965f29023698372763f24291892f0dc05015ed7e9a58b73d7d71e837"))
    }

    /// Whether a number came before is the connection's matter (C-6).
    @Test func packets_open_in_any_order() {
        let packets = (0..<300).map { (UInt64($0), sealed(UInt64($0))) }
        for (number, packet) in packets.reversed() { #expect(opens(packet, number)) }
        #expect(receiving.refusedPackets == 0)
    }

    @Test func every_changed_bit_is_refused_and_harms_nothing() {
        let packet = sealed(7)
        for index in packet.indices {
            for bit in 0..<8 { #expect(!opens(packet.flipping(index, 1 << bit), 7)) }
        }
        for count in 0..<packet.count { #expect(!opens(Array(packet.prefix(count)), 7)) }
        #expect(!opens(packet + [0], 7))
        for other in [0, 6, 8, 7 + 65_536, SessionSealer.lastNumber + 1, .max] as [UInt64] {
            #expect(!opens(packet, other), "as number \(other)")
        }
        #expect(opens(packet, 7))
    }

    @Test func packets_reordered_across_a_new_key_open() {
        let border = SessionSealer.numbersPerKey
        let numbers = ((border - 20)..<(border + 20)).map { $0 }
        let packets = numbers.map { ($0, sealed($0)) }
        #expect(!SessionSealer.traits.keyPhase(of: border - 1))
        #expect(SessionSealer.traits.keyPhase(of: border))
        #expect(!SessionSealer.traits.keyPhase(of: 2 * border))
        for (number, packet) in packets.reversed() { #expect(opens(packet, number)) }
    }

    /// It would be there for a thief.
    @Test func a_former_key_that_was_dropped_opens_nothing() {
        let border = SessionSealer.numbersPerKey
        let packets = ([0, 1, border, border + 1] as [UInt64]).map { ($0, sealed($0)) }
        #expect(opens(packets[2].1, border))
        #expect(opens(packets[0].1, 0), "it was late")
        receiving.dropFormerKey()
        #expect(!opens(packets[1].1, 1))
        #expect(opens(packets[3].1, border + 1))
    }

    @Test func keys_change_at_the_border_and_go_on() throws {
        let border = SessionSealer.numbersPerKey
        for step in 0..<6 as Range<UInt64> {
            for number in [step * border, (step + 1) * border - 1] {
                #expect(opens(sealed(number), number), "number \(number)")
            }
        }
        var second = Self.header + Self.text
        var other = SessionSealer(try ChaCha20Poly1305.rekey(key))
        other.seal(&second, from: 3, number: border)
        // A chain that begins with the second key has a third one at the border.
        #expect(!opens(second, border))
    }

    /// A forged packet far ahead does not cost a chain of keys.
    @Test func two_keys_ahead_is_refused() {
        let border = SessionSealer.numbersPerKey
        #expect(opens(sealed(0), 0))
        let far = sealed(2 * border)
        #expect(!opens(far, 2 * border))
        var ahead = SessionSealer(key)
        var packet = Self.header + Self.text
        ahead.seal(&packet, from: 3, number: border)
        #expect(opens(packet, border))
        #expect(opens(far, 2 * border))
    }

    @Test func a_packet_is_not_taken_by_its_own_side() throws {
        let pair = try SimulatedPair(seed: 1)
        var phone = pair.security(of: .phone, life: 0)
        var watch = pair.security(of: .watch, life: 0)
        var initiation = try phone.initiate(ConnectionID(rawValue: 1), counter: 1, payload: [])
        var response = try watch.open(initiation.message)
        let (body, theirs) = try response.respond([])
        var sides = [try initiation.open(body).keys, theirs]
        for number in [0, 1, SessionSealer.numbersPerKey] {
            for side in 0...1 {
                var packet = Self.header + Self.text
                sides[side].sending.seal(&packet, from: 3, number: number)
                var reflected = packet
                let isTaken = sides[side].receiving.open(&reflected, from: 3, number: number)
                #expect(!isTaken, "number \(number) of side \(side)")
                let isOpened = sides[1 - side].receiving.open(&packet, from: 3, number: number)
                #expect(isOpened && packet == Self.header + Self.text)
            }
        }
        // Early packets have no way back at all, and open nothing of the session's.
        var early = initiation.earlySealer
        for number in [0, 1] as [UInt64] {
            var packet = Self.header + Self.text
            early.seal(&packet, from: 3, number: number)
            let isTaken = sides[0].receiving.open(&packet, from: 3, number: number)
            #expect(!isTaken)
        }
    }

    @Test func a_copy_cannot_seal_a_number_again() async {
        await #expect(processExitsWith: .failure) { try sealTwice() }
    }

    /// A sealer asks for the next key first, and goes on with the one it has.
    @Test func without_memory_for_a_key_the_one_before_goes_on() throws {
        let arena = KeyArena()
        let border = SessionSealer.numbersPerKey
        var sealing = SessionSealer(try Secret([UInt8](repeating: 1, count: 32), in: arena))
        var opening = SessionSealer(try Secret([UInt8](repeating: 1, count: 32), in: arena))
        func crosses(_ number: UInt64) -> Bool {
            var packet = Self.header + Self.text
            sealing.seal(&packet, from: 3, number: number)
            return opening.open(&packet, from: 3, number: number)
        }
        arena.limit(slots: 2)
        var isReady = sealing.prepare(border - 2)
        #expect(isReady)
        isReady = sealing.prepare(border)
        #expect(!isReady, "there is no slot")
        isReady = sealing.prepare(3 * border)
        #expect(!isReady, "there is none for those between either")
        #expect(crosses(0) && crosses(border - 2))
        arena.limit(slots: 3)
        isReady = sealing.prepare(border)
        #expect(isReady)
        // A key that is ready takes no more, and the one before seals on.
        arena.limit(slots: 0)
        #expect(crosses(border - 1))
        var packet = Self.header + Self.text
        sealing.seal(&packet, from: 3, number: border)
        var isOpen = opening.open(&packet, from: 3, number: border)
        #expect(!isOpen && opening.lacksMemory)
        // A forged packet is one, whatever memory there is.
        isOpen = opening.open(&packet, from: 3, number: 4 * border)
        #expect(!isOpen && !opening.lacksMemory)
        arena.limit(slots: .max)
        #expect(crosses(border + 1) && !opening.lacksMemory)
        #expect(arena.usage.slots == 3, "the receiver alone keeps the key before")
    }

    /// Shows S-18.
    @Test func renewal_is_asked_for_long_before_the_end() {
        #expect(!sending.needsRenewal(at: 0))
        #expect(!sending.needsRenewal(at: (1 << 32) - 1))
        #expect(sending.needsRenewal(at: 1 << 32))
        #expect(SessionSealer.lastNumber == (1 << 40) - 1)
        #expect(SessionSealer.forgeryLimit == 1 << 36)
        #expect(SessionSealer.renewalAge == .seconds(24 * 3600))
    }

    @Test func no_key_and_nonce_twice() throws {
        var seen: Set<[UInt8]> = []
        for number in 0..<2000 as Range<UInt64> {
            // The same plaintext: equal bytes would be an equal key stream.
            #expect(seen.insert(Array(sealed(number)[3...])).inserted)
        }
    }
}

private func sealTwice() throws {
    var one = SessionSealer(try Secret([UInt8](repeating: 1, count: 32)))
    var other = one
    var packet: [UInt8] = [1]
    one.seal(&packet, from: 0, number: 5)
    other.seal(&packet, from: 0, number: 5)
}

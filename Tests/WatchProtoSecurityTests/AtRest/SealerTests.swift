import Testing

@testable import WatchProtoSecurity

/// The members that a journal needs to seal payloads; the sealer has these and needs no more.
private protocol SealsPayloads {
    func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8]
    func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8]
    var keyCheck: [UInt8] { get }
}

extension AtRestSealer: SealsPayloads {}

@Suite struct SealerTests {
    let sealer: AtRestSealer
    let place = Array("lane 1, number 7".utf8)

    init() throws { sealer = try AtRestSealer(key: .counting()) }

    /// draft-irtf-cfrg-xchacha, appendix A.3.1; the same bytes from pycryptodome.
    @Test func the_published_vector_is_met() throws {
        let payload = Array(
            ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
                + "the future, sunscreen would be it.").utf8)
        let key = try SecretBytes((0x80...0x9F).map { UInt8($0) })
        let nonce = (0x40...0x57).map { UInt8($0) }
        let associatedData = bytes("50515253c0c1c2c3c4c5c6c7")
        let ciphertext = bytes(
            """
            bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3
            a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2b
            c369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e
            """)
        let tag = bytes("c0875924c1c7987947deafd8780acf49")
        let sealed = XChaCha20Poly1305.seal(
            payload, associatedData: associatedData, key: key, nonce: nonce)
        #expect(sealed == nonce + ciphertext + tag)
        let opened = XChaCha20Poly1305.open(sealed, associatedData: associatedData, key: key)
        #expect(opened == payload)
    }

    /// Computed apart from libsodium: keys with Python's BLAKE2b, the rest with pycryptodome.
    @Test func subkeys_key_check_and_form_are_for_life() throws {
        #expect(sealer.keyCheck == bytes("442c77a394ac3887b71407912dac184d"))
        let sealed = bytes(
            """
            404142434445464748494a4b4c4d4e4f5051525354555657282822161fe1b62c486c269bcca2271259da
            fd0ab4e513f7e4e0306c19
            """)
        let opened = try sealer.open(sealed, associatedData: place)
        #expect(opened == Array("Testamin 5 mg".utf8))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 63, 64, 65, 200, 1024, 100_000])
    func what_was_sealed_is_opened(count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let sealed = sealer.seal(payload, associatedData: place)
        #expect(sealed.count == count + AtRestSealer.overheadBytes)
        #expect(try sealer.open(sealed, associatedData: place) == payload)
        let placeless = sealer.seal(payload, associatedData: [])
        #expect(try sealer.open(placeless, associatedData: []) == payload)
    }

    @Test func equal_payloads_are_sealed_differently() {
        let sealed = (0..<1000).map { _ in sealer.seal([1, 2, 3], associatedData: place) }
        #expect(Set(sealed.map { $0.prefix(24) }).count == 1000)
        #expect(Set(sealed.map { $0.suffix(19) }).count == 1000)
    }

    @Test func nothing_of_the_payload_shows() {
        let payload = [UInt8](repeating: 0x41, count: 200)
        let sealed = sealer.seal(payload, associatedData: place)
        #expect(sealed.split { $0 != 0x41 }.allSatisfy { $0.count < 8 })
    }

    @Test(arguments: [0, 1, 40]) func every_changed_bit_is_noticed(count: Int) {
        let sealed = sealer.seal([UInt8](repeating: 7, count: count), associatedData: place)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                #expect(throws: SealedPayloadError.self) {
                    try sealer.open(changed, associatedData: place)
                }
            }
        }
    }

    @Test func every_cut_and_every_addition_is_noticed() {
        let sealed = sealer.seal([1, 2, 3, 4], associatedData: place)
        for count in 0..<sealed.count {
            for part in [Array(sealed.prefix(count)), Array(sealed.suffix(count))] {
                #expect(throws: SealedPayloadError(sealedByteCount: count)) {
                    try sealer.open(part, associatedData: place)
                }
            }
        }
        #expect(throws: SealedPayloadError.self) {
            try sealer.open(sealed + [0], associatedData: place)
        }
    }

    @Test func another_place_is_noticed() {
        let sealed = sealer.seal([1, 2, 3], associatedData: place)
        for other in [[], Array(place.dropLast()), place + [0], Array("channel 1, number 8".utf8)] {
            #expect(throws: SealedPayloadError.self) {
                try sealer.open(sealed, associatedData: other)
            }
        }
    }

    @Test func another_key_opens_nothing_and_is_told_before() throws {
        let other = try AtRestSealer(key: .random())
        #expect(other.keyCheck != sealer.keyCheck)
        #expect(other.keyCheck.count == AtRestSealer.keyCheckByteCount)
        let sealed = sealer.seal([1, 2, 3], associatedData: place)
        #expect(throws: SealedPayloadError.self) {
            try other.open(sealed, associatedData: place)
        }
    }

    @Test func a_key_makes_the_same_sealer_again() throws {
        let again = try AtRestSealer(key: .counting())
        #expect(again.keyCheck == sealer.keyCheck)
        let sealed = again.seal([1, 2, 3], associatedData: place)
        #expect(try sealer.open(sealed, associatedData: place) == [1, 2, 3])
    }

    @Test func the_key_check_is_no_key() throws {
        let key = try AtRestKey.counting().bytes.exposed
        #expect(!key.starts(with: sealer.keyCheck))
        #expect(Array(key.suffix(16)) != sealer.keyCheck)
    }

    @Test func a_journal_can_hold_it_as_its_own_kind() throws {
        let held: any SealsPayloads = sealer
        let sealed = held.seal([1, 2, 3], associatedData: place)
        #expect(try held.open(sealed, associatedData: place) == [1, 2, 3])
        #expect(held.keyCheck == sealer.keyCheck)
    }

    @Test func the_error_says_what_to_do() {
        let text = "\(SealedPayloadError(sealedByteCount: 63))"
        for word in ["seen 63 bytes", "expected", "try:", "key", "backup"] {
            #expect(text.contains(word))
        }
    }
}

import Testing

@testable import WatchSecurity

/// A few answers that anybody can look up, so that something stands where no vectors lie beside.
@Suite struct KnownAnswerTests {
    /// RFC 7748, section 5.2: the first vector, and one iteration from the base point.
    @Test func x25519() throws {
        let scalar = try Secret(
            bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"))
        let point = try #require(
            PublicKey(bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")))
        #expect(
            try X25519.agree(scalar, point).exposed
                == bytes("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"))
        let base = [9] + [UInt8](repeating: 0, count: 31)
        #expect(
            X25519.publicKey(of: try Secret(base)).bytes
                == bytes("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
    }

    @Test func points_of_low_order_are_refused() throws {
        let own = try KeyPair(.system, in: .shared)
        let low = ["00", "01"].map { bytes($0) + [UInt8](repeating: 0, count: 31) }
        for point in low {
            let key = try #require(PublicKey(point))
            #expect(throws: SecurityFailure.authenticationFailure) {
                _ = try X25519.agree(own.secret, key)
            }
        }
        #expect(PublicKey([]) == nil)
        #expect(PublicKey([UInt8](repeating: 9, count: 33)) == nil)
    }

    /// RFC 7693, appendix A.
    @Test func blake2b() {
        let wanted = bytes(
            """
            ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1
            7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923
            """)
        #expect(BLAKE2b.hash(Array("abc".utf8)) == wanted)
        #expect(BLAKE2b.hash(Array("a".utf8), [], Array("bc".utf8)) == wanted)
    }

    /// Computed with Python's hmac over hashlib.blake2b.
    @Test func hmac_is_not_keyed_blake2b() {
        let wanted = bytes(
            """
            358a6a184924894fc34bee5680eedf57d84a37bb38832f288e3b27dc63a98cc8
            c91e76da476b508bc6b2d408a248857452906e4a20b48c6b4b55d2df0fe1dd24
            """)
        let key = [UInt8](repeating: 0x0B, count: 20)
        #expect(HMACBLAKE2b.authenticate(key: key, Array("Hi There".utf8)) == wanted)
        let long = bytes(
            """
            e33fddf8992f619b8fc74af98a787f16606b9a7f588bda065006ac8c7e6fd3f4
            5ff64fd7ea59c43847f32dd569d7db654d7b77715e7bf2d0fe7afa0f0ec75bc4
            """)
        let message = Array("what do ya want for nothing?".utf8)
        #expect(HMACBLAKE2b.authenticate(key: (0..<64).map { UInt8($0) }, message) == long)
    }

    /// FIPS 180-4, and the first example of RFC 9496, appendix A.3.
    @Test func ristretto255_from_sha512() {
        let text = "Ristretto is traditionally a short shot of espresso coffee"
        #expect(
            Ristretto255.element(fromHash: SHA512.hash(Array(text.utf8)))
                == bytes("3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46"))
        #expect(SHA512.hash(Array("abc".utf8)).prefix(8) == bytes("ddaf35a193617aba")[...])
    }

    /// RFC 8439, appendix A.5.
    @Test func chacha20_poly1305() throws {
        let key = try Secret(
            bytes("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"))
        let data = bytes("f33388860000000000004e91")
        let text =
            "Internet-Drafts are draft documents valid for a maximum of six months and may be "
            + "updated, replaced, or obsoleted by other documents at any time. It is "
            + "inappropriate to use Internet-Drafts as reference material or to cite them other "
            + "than as /\u{201C}work in progress./\u{201D}"
        let sealed = ChaCha20Poly1305.seal(
            Array(text.utf8), associatedData: data, key: key, number: 0x0807_0605_0403_0201)
        #expect(sealed.prefix(16) == bytes("64a0861575861af460f062c79be643bd")[...])
        #expect(sealed.suffix(16) == bytes("eead9d67890cbb22392336fea1851f38")[...])
        let opened = ChaCha20Poly1305.open(
            sealed, associatedData: data, key: key, number: 0x0807_0605_0403_0201)
        #expect(opened == Array(text.utf8))
    }

    /// Noise's REKEY by its definition.
    @Test func rekey_is_the_first_half_of_an_encryption() throws {
        let key = try Secret((0..<32).map { UInt8($0) })
        let whole = ChaCha20Poly1305.seal(
            [UInt8](repeating: 0, count: 32), associatedData: [], key: key, number: .max)
        #expect(try ChaCha20Poly1305.rekey(key).exposed == Array(whole.prefix(32)))
    }

    @Test func sealing_takes_no_memory_where_there_is_room() throws {
        let key = try Secret([UInt8](repeating: 1, count: 32))
        var packet = [UInt8](repeating: 7, count: 200)
        packet.reserveCapacity(216)
        let before = unsafe packet.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        ChaCha20Poly1305.seal(&packet, from: 3, key: key, number: 1)
        let after = unsafe packet.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        #expect(before == after)
        #expect(packet.count == 216)
        #expect(packet.prefix(3) == [7, 7, 7])
    }

    @Test func comparing_knows_equal_from_different() {
        #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
        #expect(ConstantTime.areEqual([], []))
    }

    @Test func a_seed_replays_and_draws_differ() {
        let one = RandomSource(seed: 7)
        let other = RandomSource(seed: 7)
        let draws = (0..<100).map { _ in one.bytes(32) }
        #expect(draws == (0..<100).map { _ in other.bytes(32) })
        #expect(Set(draws).count == 100)
        #expect(RandomSource(seed: 8).bytes(32) != draws[0])
        #expect(RandomSource.system.bytes(32) != RandomSource.system.bytes(32))
    }
}

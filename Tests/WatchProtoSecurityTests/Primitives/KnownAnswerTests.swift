import Testing

@testable import WatchProtoSecurity

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

    /// draft-irtf-cfrg-cpace, "Test vectors for CPace using group ristretto255 and hash SHA-512".
    @Test func cpace_ristretto255() throws {
        let code = Array("Password".utf8)
        let channel =
            CPace.withLength(Array("A_initiator".utf8))
            + CPace.withLength(Array("B_responder".utf8))
        let name = bytes("7e4b4791d6a8ef019b936c79fb7f2c57")
        func side(_ scalar: String) throws -> CPace {
            try CPace(
                code: code, channel: channel, sessionID: name,
                random: Script([bytes(scalar)]).source, arena: .shared)
        }
        #expect(
            CPace.generator(code: code, channel: channel, sessionID: name)
                == bytes("222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56"))
        let one = try side("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
        let other = try side("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
        #expect(
            one.share == bytes("d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157"))
        #expect(
            other.share
                == bytes("3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258"))
        let transcript =
            CPace.message(share: one.share, associatedData: Array("ADa".utf8))
            + CPace.message(share: other.share, associatedData: Array("ADb".utf8))
        let wanted = bytes(
            """
            b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd
            2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447
            """)
        #expect(
            try one.sessionKey(other: other.share, transcript: transcript).exposed == wanted)
        #expect(
            try other.sessionKey(other: one.share, transcript: transcript).exposed == wanted)
    }

    /// Noise_KKpsk0_25519_ChaChaPoly_BLAKE2b, as published with the Haskell package cacophony.
    @Test func noise_kkpsk0() throws {
        let keys = try [
            "e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1",
            "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
        ].map { KeyPair(try Secret(bytes($0))) }
        #expect(
            keys.map(\.publicKey.bytes) == [
                bytes("6bc3822a2aa7f4e6981d6538692b3cdf3e6df9eea6ed269eb41d93c22757b75a"),
                bytes("31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62"),
            ])
        let ephemerals = [
            "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
            "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
        ]
        func side(_ role: NoiseHandshake.Role, _ place: Int) throws -> NoiseHandshake {
            try NoiseHandshake(
                .reconnection, role, prologue: Array("John Galt".utf8), ownStatic: keys[place],
                remoteStatic: keys[1 - place].publicKey,
                psk: Secret(Array("This is my Austrian perspective!".utf8)),
                random: Script([bytes(ephemerals[place])]).source, arena: .shared)
        }
        var one = try side(.initiator, 0)
        var other = try side(.responder, 1)
        let first = try one.write(payload: Array("Ludwig von Mises".utf8))
        #expect(
            first
                == bytes(
                    """
                    ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944
                    87521fc73d6357e877a7e9f84d5ec31a067fbf444d51ab71de409278f5857fb3
                    """))
        #expect(try other.read(first) == Array("Ludwig von Mises".utf8))
        let second = try other.write(payload: Array("Murray Rothbard".utf8))
        #expect(
            second
                == bytes(
                    """
                    95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843
                    08dc2259e85ee14692354eaaf1eb3054054e738e46fe7f8a73e02e871c732c
                    """))
        #expect(try one.read(second) == Array("Murray Rothbard".utf8))
        let hash = bytes(
            """
            9d3b1f0130e16b40175dfb34aea1298d77c159e4c699ee4303350d12ea0ea8d6
            6f89f2d6c7be9268e8f4b2f0c883f79acd503c0c4ef06905c1aaaed9c1dd812e
            """)
        #expect(one.symmetric.hash == hash && other.symmetric.hash == hash)
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

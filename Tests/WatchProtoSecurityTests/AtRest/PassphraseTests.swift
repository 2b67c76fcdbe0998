import Testing

@testable import WatchProtoSecurity

@Suite struct PassphraseTests {
    static let passphrase = Array("correct horse battery staple".utf8)
    static let salt = (0..<16).map { UInt8($0) }

    static func derive(
        _ passphrase: [UInt8], salt: [UInt8], _ parameters: Argon2idParameters,
        secret: [UInt8] = [], associatedData: [UInt8] = []
    ) throws -> [UInt8] {
        unsafe try SecretBytes(count: 32) { output throws(AtRestKeyError) in
            unsafe try Argon2id.derive(
                into: output, count: 32, passphrase: passphrase.span, salt: salt,
                parameters: parameters, secret: secret, associatedData: associatedData)
        }.exposed
    }

    /// RFC 9106, section 5.3: four lanes, with a secret and associated data.
    @Test func the_published_vector_is_met() throws {
        let tag = try Self.derive(
            [UInt8](repeating: 1, count: 32), salt: [UInt8](repeating: 2, count: 16),
            Argon2idParameters(uncheckedPasses: 3, memoryKibibytes: 32, lanes: 4),
            secret: [UInt8](repeating: 3, count: 8),
            associatedData: [UInt8](repeating: 4, count: 12))
        let wanted = bytes("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
        #expect(tag == wanted)
    }

    /// Computed with argon2-cffi 25.1, in four threads. With one lane, which is all that libsodium
    /// can do, the key would be 0d1a3c65…
    @Test func the_standard_key_is_that_of_four_lanes() throws {
        #expect(Argon2idParameters.standard.passes == 3)
        #expect(Argon2idParameters.standard.memoryKibibytes == 65_536)
        #expect(Argon2idParameters.standard.lanes == 4)
        let key = try AtRestKey(passphrase: Self.passphrase.span, salt: Self.salt)
        let wanted = bytes("853b272a44db1421c02962669a55eb0994f3cab385ed1c4c79253eee19bab49e")
        #expect(key.bytes.exposed == wanted)
    }

    /// Computed with argon2-cffi 25.1.
    @Test func other_parameters_are_honoured() throws {
        let parameters = try Argon2idParameters(passes: 2, memoryKibibytes: 19_456, lanes: 1)
        let key = try AtRestKey(
            passphrase: Self.passphrase.span, salt: Self.salt, parameters: parameters)
        let wanted = bytes("818259b6310026a8e0dbac5d2e6927abcfdb07b32258fac4f61b18b80f929085")
        #expect(key.bytes.exposed == wanted)
    }

    @Test func every_input_makes_a_difference() throws {
        let small = Argon2idParameters(uncheckedPasses: 1, memoryKibibytes: 64, lanes: 4)
        var keys = [try Self.derive(Self.passphrase, salt: Self.salt, small)]
        keys.append(try Self.derive(Self.passphrase + [0], salt: Self.salt, small))
        keys.append(try Self.derive(Self.passphrase, salt: Self.salt.reversed(), small))
        for other in [
            Argon2idParameters(uncheckedPasses: 2, memoryKibibytes: 64, lanes: 4),
            Argon2idParameters(uncheckedPasses: 1, memoryKibibytes: 128, lanes: 4),
            Argon2idParameters(uncheckedPasses: 1, memoryKibibytes: 64, lanes: 2),
        ] {
            keys.append(try Self.derive(Self.passphrase, salt: Self.salt, other))
        }
        #expect(Set(keys).count == keys.count)
    }

    @Test(arguments: [0, 1025]) func an_unusable_passphrase_is_refused(count: Int) throws {
        let passphrase = [UInt8](repeating: 0x61, count: count)
        let error = #expect(throws: AtRestKeyError.self) {
            try AtRestKey(passphrase: passphrase.span, salt: Self.salt)
        }
        #expect(error?.fault == .wrongLength)
        #expect(error?.seen == "\(count) bytes")
        #expect(error?.expected == "1 to 1024 bytes")
    }

    @Test(arguments: [0, 8, 15, 17]) func an_unusable_salt_is_refused(count: Int) throws {
        let error = #expect(throws: AtRestKeyError.self) {
            try AtRestKey(
                passphrase: Self.passphrase.span, salt: [UInt8](repeating: 0, count: count))
        }
        #expect(error?.fault == .wrongLength)
        #expect(error?.place == "salt of the passphrase")
    }

    @Test func salts_are_drawn_afresh() {
        let salts = (0..<100).map { _ in AtRestKey.makeSalt() }
        #expect(Set(salts).count == 100)
        #expect(salts.allSatisfy { $0.count == AtRestKey.saltByteCount })
    }

    @Test(arguments: [
        (1, 65_536, 4), (17, 65_536, 4), (0, 65_536, 4), (-3, 65_536, 4), (.max, 65_536, 4),
        (3, 19_455, 4), (3, 262_145, 4), (3, 0, 4), (3, 1 << 32, 4), (3, .max, 4), (3, .min, 4),
        (3, 65_536, 0), (3, 65_536, 17), (3, 65_536, -1), (3, 65_536, .max),
    ])
    func parameters_of_a_hostile_file_are_refused(passes: Int, memory: Int, lanes: Int) {
        let error = #expect(throws: AtRestKeyError.self) {
            try Argon2idParameters(passes: passes, memoryKibibytes: memory, lanes: lanes)
        }
        #expect(error?.fault == .parametersOutOfRange)
        #expect(error?.place.hasPrefix("Argon2id ") == true)
    }

    @Test(arguments: [(2, 19_456, 1), (16, 262_144, 16), (3, 65_536, 4)])
    func parameters_at_the_limits_are_taken(passes: Int, memory: Int, lanes: Int) throws {
        let taken = try Argon2idParameters(
            passes: passes, memoryKibibytes: memory, lanes: lanes)
        #expect(taken.passes == passes && taken.memoryKibibytes == memory && taken.lanes == lanes)
    }

    @Test func an_error_names_value_and_range() {
        let error = #expect(throws: AtRestKeyError.self) {
            try Argon2idParameters(passes: 3, memoryKibibytes: 4_194_304, lanes: 4)
        }
        #expect(
            error?.description == """
                Argon2id memory: seen 4194304 KiB; expected 19456 to 262144 KiB; try: the journal \
                is damaged or was tampered with; restore it from a backup
                """)
    }
}

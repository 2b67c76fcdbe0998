import Testing

@testable import WatchProtoSecurity

/// Project Wycheproof's cases: those that must pass, and those that must not.
@Suite struct WycheproofTests {
    struct AEADFile: Decodable {
        struct Group: Decodable {
            var ivSize: Int
            var tests: [Case]
        }
        struct Case: Decodable {
            var tcId: Int
            var key, iv, aad, msg, ct, tag, result: String
        }
        var testGroups: [Group]
    }

    struct AgreementFile: Decodable {
        struct Group: Decodable { var tests: [Case] }
        struct Case: Decodable {
            var tcId: Int
            var flags: [String]
            var `public`, `private`, shared, result: String
        }
        var testGroups: [Group]
    }

    static let short = "wycheproof/chacha20_poly1305_test.json"
    static let long = "wycheproof/xchacha20_poly1305_test.json"
    static let agreement = "wycheproof/x25519_test.json"

    @Test(.enabled(if: SharedVectors.has(short), "needs ../shared/vectors/wycheproof"))
    func chacha20_poly1305() throws {
        let file = try SharedVectors.load(AEADFile.self, Self.short)
        var good = 0
        var bad = 0
        for item in file.testGroups.filter({ $0.ivSize == 96 }).flatMap(\.tests) {
            let key = try Secret(bytes(item.key))
            let nonce = bytes(item.iv)
            let prefix = nonce[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let number = nonce[4...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let data = bytes(item.aad)
            let sealed = data + bytes(item.ct) + bytes(item.tag)
            var packet = sealed
            let isAuthentic = ChaCha20Poly1305.open(
                &packet, from: data.count, key: key, number: number, prefix: prefix)
            #expect(isAuthentic == (item.result == "valid"), "case \(item.tcId)")
            guard isAuthentic else {
                bad += 1
                let middle = packet[data.count...].dropLast(16)
                #expect(middle.allSatisfy { $0 == 0 }, "something of case \(item.tcId) shows")
                continue
            }
            good += 1
            #expect(packet == data + bytes(item.msg), "case \(item.tcId)")
            ChaCha20Poly1305.seal(
                &packet, from: data.count, key: key, number: number, prefix: prefix)
            #expect(packet == sealed, "case \(item.tcId)")
        }
        #expect((good, bad) == (256, 60))
    }

    @Test(.enabled(if: SharedVectors.has(long), "needs ../shared/vectors/wycheproof"))
    func xchacha20_poly1305() throws {
        let file = try SharedVectors.load(AEADFile.self, Self.long)
        var good = 0
        for item in file.testGroups.filter({ $0.ivSize == 192 }).flatMap(\.tests) {
            let key = try SecretBytes(bytes(item.key))
            let sealed = bytes(item.iv) + bytes(item.ct) + bytes(item.tag)
            let data = bytes(item.aad)
            let opened = XChaCha20Poly1305.open(sealed, associatedData: data, key: key)
            #expect((opened != nil) == (item.result == "valid"), "case \(item.tcId)")
            guard item.result == "valid" else { continue }
            good += 1
            #expect(opened == bytes(item.msg), "case \(item.tcId)")
            let again = XChaCha20Poly1305.seal(
                bytes(item.msg), associatedData: data, key: key, nonce: bytes(item.iv))
            #expect(again == sealed, "case \(item.tcId)")
        }
        #expect(good == 246)
    }

    @Test(.enabled(if: SharedVectors.has(agreement), "needs ../shared/vectors/wycheproof"))
    func x25519() throws {
        let file = try SharedVectors.load(AgreementFile.self, Self.agreement)
        let cases = file.testGroups.flatMap(\.tests)
        #expect(cases.count == 518)
        var refused = 0
        for item in cases {
            let own = try Secret(bytes(item.private))
            let other = try #require(PublicKey(bytes(item.public)))
            if bytes(item.shared).allSatisfy({ $0 == 0 }) {
                refused += 1
                #expect(throws: SecurityFailure.authenticationFailure) {
                    _ = try X25519.agree(own, other)
                }
            } else {
                let shared = try X25519.agree(own, other).exposed
                #expect(shared == bytes(item.shared), "case \(item.tcId)")
            }
        }
        #expect(refused == 31)
    }
}

import Testing

@testable import WatchProtoSecurity

@Suite struct CPaceTests {
    static let path = "cpace/testvectors.json"

    /// The sections for ristretto255 with SHA-512.
    static func sections() throws -> (run: [String: String], points: [String: String]) {
        let file = try SharedVectors.object(Self.path)
        let run = try #require(file["G_Coffee25519"] as? [String: String])
        let points = try #require(file["G_Coffee25519_points"] as? [String: Any])
        var flat = points.compactMapValues { $0 as? String }
        flat.merge(points["Valid"] as? [String: String] ?? [:]) { $1 }
        return (run, flat)
    }

    static func side(
        _ run: [String: String], _ scalar: String
    ) throws -> CPace {
        try CPace(
            code: bytes(run["PRS"]!), channel: bytes(run["CI"]!), sessionID: bytes(run["sid"]!),
            random: Script([bytes(run[scalar]!)]).source, arena: .shared)
    }

    @Test(.enabled(if: SharedVectors.has(path), "needs ../shared/vectors/cpace"))
    func the_published_run_is_met() throws {
        let (run, _) = try Self.sections()
        let generator = CPace.generator(
            code: bytes(run["PRS"]!), channel: bytes(run["CI"]!), sessionID: bytes(run["sid"]!))
        #expect(generator == bytes(run["g"]!))
        let first = try Self.side(run, "ya")
        let second = try Self.side(run, "yb")
        #expect(first.share == bytes(run["Ya"]!))
        #expect(second.share == bytes(run["Yb"]!))
        let transcript =
            CPace.message(share: first.share, associatedData: bytes(run["ADa"]!))
            + CPace.message(share: second.share, associatedData: bytes(run["ADb"]!))
        for (side, other) in [(first, second), (second, first)] {
            let key = try side.sessionKey(other: other.share, transcript: transcript)
            #expect(key.exposed == bytes(run["ISK_IR"]!))
        }
        #expect(
            SHA512.hash(Array("CPaceSidOutput".utf8) + transcript) == bytes(run["sid_output_ir"]!))
    }

    @Test(.enabled(if: SharedVectors.has(path), "needs ../shared/vectors/cpace"))
    func the_published_points_are_met() throws {
        let (_, points) = try Self.sections()
        let scalar = try Secret(bytes(points["s"]!))
        let product = try Ristretto255.multiply(scalar, bytes(points["X"]!))
        #expect(product.exposed == bytes(points["G.scalar_mult_vfy(s,X)"]!))
        for name in ["Invalid Y1", "Invalid Y2"] {
            #expect(throws: SecurityFailure.authenticationFailure, "\(name)") {
                _ = try Ristretto255.multiply(scalar, bytes(points[name]!))
            }
        }
    }

    static func fresh(_ code: String = "123456", session: UInt8 = 7) throws -> CPace {
        try CPace(
            code: Array(code.utf8), channel: [1], sessionID: [session], random: .system,
            arena: .shared)
    }

    @Test func only_equal_codes_and_sessions_share_a_key() throws {
        let one = try Self.fresh()
        for (other, isSame) in [
            (try Self.fresh(), true), (try Self.fresh("123457"), false),
            (try Self.fresh(session: 8), false),
        ] {
            let here = try one.sessionKey(other: other.share, transcript: [1]).exposed
            let there = try other.sessionKey(other: one.share, transcript: [1]).exposed
            #expect((here == there) == isSame)
            let elsewhere = try other.sessionKey(other: one.share, transcript: [2]).exposed
            #expect(here != elsewhere)
        }
    }

    @Test func the_identity_and_the_own_share_are_refused() throws {
        let side = try Self.fresh()
        for share in [[UInt8](repeating: 0, count: 32), side.share] {
            #expect(throws: SecurityFailure.authenticationFailure) {
                _ = try side.sessionKey(other: share, transcript: [])
            }
        }
        #expect(throws: SecurityFailure.malformed) {
            _ = try side.sessionKey(other: [1, 2, 3], transcript: [])
        }
    }

    /// Encodings that stand for no element, and that libsodium must not take.
    @Test func what_encodes_no_element_is_refused() throws {
        let side = try Self.fresh()
        let notCanonical = [UInt8](repeating: 0xFF, count: 32)
        let negative = [1] + [UInt8](repeating: 0, count: 31)
        for share in [notCanonical, negative] {
            #expect(throws: SecurityFailure.authenticationFailure) {
                _ = try side.sessionKey(other: share, transcript: [])
            }
        }
    }

    @Test func lengths_are_leb128() {
        #expect(CPace.withLength([]) == [0])
        #expect(CPace.withLength([9]) == [1, 9])
        let long = [UInt8](repeating: 7, count: 300)
        #expect(CPace.withLength(long) == [0xAC, 0x02] + long)
        #expect(CPace.withLength(Array(long.prefix(127))).first == 127)
        #expect(CPace.withLength(Array(long.prefix(128))).prefix(2) == [0x80, 1])
    }
}

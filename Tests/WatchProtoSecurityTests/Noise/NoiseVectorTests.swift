import Testing

@testable import WatchProtoSecurity

/// The published handshakes of `25519_ChaChaPoly_BLAKE2b`, byte by byte.
@Suite struct NoiseVectorTests {
    struct File: Decodable { var vectors: [Vector] }

    struct Vector: Decodable {
        struct Message: Decodable { var payload, ciphertext: String }
        var protocolName, initPrologue, initEphemeral, respPrologue, handshakeHash: String
        var respEphemeral, initStatic, respStatic: String?
        var initRemoteStatic, respRemoteStatic: String?
        var initPsks, respPsks: [String]?
        var messages: [Message]
    }

    static let path = "noise/selected_25519_chachapoly.json"

    @Test(.enabled(if: SharedVectors.has(path), "needs ../shared/vectors/noise"))
    func all_handshakes_are_met() throws {
        let vectors = try SharedVectors.load(File.self, Self.path).vectors
            .filter { $0.protocolName.hasSuffix("_BLAKE2b") }
        #expect(vectors.count == 59)
        for vector in vectors { try Self.run(vector) }
    }

    /// The two patterns that are spoken are among the vectors, and are the rows that were tested.
    @Test func the_spoken_patterns_are_rows_of_the_table() {
        for pattern in [HandshakePattern.pairing, .reconnection] {
            let name = String(decoding: pattern.protocolName, as: UTF8.self)
            #expect(Relatives.pattern(of: name) == pattern)
        }
        #expect(HandshakePattern.pairing.name == "XXpsk0")
        #expect(HandshakePattern.reconnection.name == "KKpsk0")
    }

    static func side(
        _ pattern: HandshakePattern, _ role: NoiseHandshake.Role, _ prologue: String,
        _ own: String?, _ remote: String?, _ psks: [String]?, _ ephemeral: String?
    ) throws -> NoiseHandshake {
        try NoiseHandshake(
            pattern, role, prologue: bytes(prologue),
            ownStatic: try own.map { KeyPair(try Secret(bytes($0))) },
            remoteStatic: remote.flatMap { PublicKey(bytes($0)) },
            psk: try psks?.first.map { try Secret(bytes($0)) },
            random: Script(ephemeral.map { [bytes($0)] } ?? []).source, arena: .shared)
    }

    static func run(_ vector: Vector) throws {
        let name = vector.protocolName
        let pattern = try #require(Relatives.pattern(of: name), "\(name)")
        var initiator = try side(
            pattern, .initiator, vector.initPrologue, vector.initStatic,
            vector.initRemoteStatic, vector.initPsks, vector.initEphemeral)
        var responder = try side(
            pattern, .responder, vector.respPrologue, vector.respStatic,
            vector.respRemoteStatic, vector.respPsks, vector.respEphemeral)
        var rest = vector.messages[...]
        while !initiator.isComplete {
            let message = try #require(rest.first, "\(name)")
            rest = rest.dropFirst()
            let payload = bytes(message.payload)
            let written: [UInt8]
            let read: [UInt8]
            if initiator.mayWrite {
                written = try initiator.write(payload: payload)
                read = try responder.read(written)
            } else {
                written = try responder.write(payload: payload)
                read = try initiator.read(written)
            }
            #expect(written == bytes(message.ciphertext), "\(name)")
            #expect(read == payload, "\(name)")
        }
        #expect(responder.isComplete)
        #expect(initiator.symmetric.hash == bytes(vector.handshakeHash), "\(name)")
        #expect(responder.symmetric.hash == initiator.symmetric.hash)
        // Transport messages in turns; in one direction only after a one-way pattern.
        let keys = try initiator.symmetric.split()
        var ciphers = [CipherState(keys.first), CipherState(keys.second)]
        let isOneWay = pattern.messages.count == 1
        for (index, message) in rest.enumerated() {
            let turn = isOneWay ? 0 : (pattern.messages.count + index) % 2
            let sealed = try ciphers[turn].encrypt(bytes(message.payload), associatedData: [])
            #expect(sealed == bytes(message.ciphertext), "\(name)")
        }
        #expect(!rest.isEmpty)
    }
}

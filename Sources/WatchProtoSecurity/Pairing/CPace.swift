internal import CSodium

/// CPace over ristretto255 with SHA-512 (draft-irtf-cfrg-cpace, sections 6 and 7, and "Definitions
/// for ristretto255"). Two sides that know the same short code get a shared key. A side that does
/// not know it learns only whether one guess was right.
struct CPace: Sendable {
    /// Separates this function from others with the same group (DSI).
    static let domain = Array("CPaceRistretto255".utf8)

    private let scalar: Secret
    /// This side's share: Y of the draft, 32 bytes.
    let share: [UInt8]
    private let sessionID: [UInt8]

    /// Draws this side's scalar and computes its share.
    ///
    /// - Parameters:
    ///   - code: the secret that both sides know (PRS).
    ///   - channel: further data on which both must agree (CI).
    ///   - sessionID: the name of this run alone (sid).
    init(
        code: [UInt8], channel: [UInt8], sessionID: [UInt8], random: RandomSource, arena: KeyArena
    ) throws(SecurityFailure) {
        let generator = Self.generator(code: code, channel: channel, sessionID: sessionID)
        self.sessionID = sessionID
        scalar = try Ristretto255.scalar(random, in: arena)
        let product = try Ristretto255.multiply(scalar, generator)
        share = unsafe product.withBytes { unsafe Array($0) }
    }

    /// The group element for code, channel and session (`calculate_generator`).
    static func generator(code: [UInt8], channel: [UInt8], sessionID: [UInt8]) -> [UInt8] {
        var text = generatorString(code: code, channel: channel, sessionID: sessionID)
        var hash = SHA512.hash(text)
        defer {
            AtRestKey.wipe(&text)
            AtRestKey.wipe(&hash)
        }
        return Ristretto255.element(fromHash: hash)
    }

    /// The draft's `generator_string`. Code and domain fill the first block of the hash, followed
    /// by zeros, so that no later input can be hashed beforehand.
    static func generatorString(
        code: [UInt8], channel: [UInt8], sessionID: [UInt8]
    ) -> [UInt8] {
        let first = withLength(domain) + withLength(code)
        let zeros = max(0, SHA512.blockByteCount - 1 - first.count)
        return first + withLength([UInt8](repeating: 0, count: zeros)) + withLength(channel)
            + withLength(sessionID)
    }

    /// The key of the run (ISK), 64 bytes, in the variant in which one side speaks first.
    ///
    /// - Parameter other: the counterpart's share.
    /// - Parameter transcript: both messages as sent, the first side's first.
    /// - Throws: `authenticationFailure` if `other` is no element, is the identity, or is this
    ///   side's own share.
    func sessionKey(other: [UInt8], transcript: [UInt8]) throws(SecurityFailure) -> Secret {
        guard !ConstantTime.areEqual(other, share) else { throw .authenticationFailure }
        let shared = try Ristretto255.multiply(scalar, other)
        let head =
            Self.withLength(Self.domain + Array("_ISK".utf8)) + Self.withLength(sessionID)
            + [UInt8(shared.count)]
        return unsafe try Secret(.large, in: scalar.arena) { output in
            unsafe withUnsafeTemporaryAllocation(
                byteCount: crypto_hash_sha512_statebytes(), alignment: 16
            ) { memory in
                let state = unsafe memory.baseAddress!.assumingMemoryBound(
                    to: crypto_hash_sha512_state.self)
                unsafe crypto_hash_sha512_init(state)
                unsafe crypto_hash_sha512_update(state, head, UInt64(head.count))
                unsafe shared.withBytes { shared in
                    _ = unsafe crypto_hash_sha512_update(
                        state, shared.baseAddress!, UInt64(shared.count))
                }
                unsafe crypto_hash_sha512_update(state, transcript, UInt64(transcript.count))
                unsafe crypto_hash_sha512_final(state, output)
                unsafe sodium_memzero(memory.baseAddress!, memory.count)
            }
        }
    }

    // MARK: Encoding

    /// A message of the protocol (MSG): the share and its associated data, each after its length.
    static func message(share: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        withLength(share) + withLength(associatedData)
    }

    /// `prepend_len` of the draft: the length in LEB128, then the bytes.
    static func withLength(_ bytes: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = bytes.count
        repeat {
            length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return length + bytes
    }
}

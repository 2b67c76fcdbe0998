internal import CSodium
internal import Locks

/// A public key of X25519: 32 bytes, not secret.
package struct PublicKey: Hashable, Sendable {
    /// Bytes of a key.
    package static let byteCount = 32
    /// The key as sent (RFC 7748, section 5).
    package let bytes: [UInt8]

    /// Makes a key from its bytes; nil unless there are 32. Any 32 bytes are a key, but not every
    /// key has an agreement.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Whether this key is first in the order of bytes. Both sides of a pairing see the same order.
    /// It decides which side yields if both open at once.
    func precedes(_ other: PublicKey) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

/// A secret key and the public one that belongs to it.
struct KeyPair: Sendable {
    let secret: Secret
    let publicKey: PublicKey

    /// The pair of a secret key.
    init(_ secret: Secret) {
        self.secret = secret
        publicKey = X25519.publicKey(of: secret)
    }

    /// A fresh pair.
    init(_ random: RandomSource, in arena: KeyArena) throws(SecurityFailure) {
        self.init(try random.secret(in: arena))
    }

    /// The secret that this key pair shares with the owner of another key.
    func agree(
        _ other: PublicKey, _ known: KnownAgreements?
    ) throws(SecurityFailure) -> Secret {
        if let known { try known.agree(self, other) } else { try X25519.agree(secret, other) }
    }
}

/// Agreements cached by the public keys of both sides: the runs of a simulation repeat them. Never
/// for keys that protect anything.
final class KnownAgreements: Sendable {
    private static let limit = 4_096

    private let secrets = Mutex<[[UInt8]: Secret]>([:])

    func agree(_ own: KeyPair, _ other: PublicKey) throws(SecurityFailure) -> Secret {
        let key = own.publicKey
        let name = key.precedes(other) ? key.bytes + other.bytes : other.bytes + key.bytes
        if let known = secrets.withLock({ $0[name] }) { return known }
        let secret = try X25519.agree(own.secret, other)
        secrets.withLock { secrets in
            if secrets.count == Self.limit { secrets.removeAll() }
            secrets[name] = secret
        }
        return secret
    }
}

/// X25519 (RFC 7748), by libsodium.
enum X25519 {
    static func publicKey(of secret: Secret) -> PublicKey {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            let status = unsafe secret.withBytes { secret in
                unsafe crypto_scalarmult_curve25519_base(buffer.baseAddress!, secret.baseAddress!)
            }
            precondition(status == 0, "crypto_scalarmult_curve25519_base: \(status)")
            count = 32
        }
        return PublicKey(unchecked: bytes)
    }

    /// The secret that both sides share.
    ///
    /// - Throws: `authenticationFailure` if it is all zeros (RFC 7748, section 6.1). The other key
    ///   has low order, and its sender is at fault.
    static func agree(_ own: Secret, _ other: PublicKey) throws(SecurityFailure) -> Secret {
        unsafe try Secret(.small, in: own.arena) { output throws(SecurityFailure) in
            let status = unsafe own.withBytes { own in
                unsafe crypto_scalarmult_curve25519(output, own.baseAddress!, other.bytes)
            }
            // Without a branch on where the first byte that is not zero stands.
            guard status == 0, unsafe sodium_is_zero(output, 32) == 0 else {
                throw .authenticationFailure
            }
        }
    }
}

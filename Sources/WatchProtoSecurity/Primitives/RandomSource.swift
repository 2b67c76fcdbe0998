internal import CSodium
internal import Locks

/// The source of ephemeral keys, codes and nonces. It is passed to its users and is never a global.
///
/// Copies of a handshake share their source, so no two of them draw the same key. Safe to use from
/// any thread.
package final class RandomSource: Sendable {
    /// The system's randomness, by libsodium.
    package static let system = RandomSource(origin: .system)

    private enum Origin: Sendable {
        case system
        case seeded([UInt8])
        case scripted(@Sendable (Int) -> [UInt8])
    }

    private let origin: Origin
    private let draws = Mutex<UInt64>(0)

    private init(origin: Origin) { self.origin = origin }

    /// A source whose whole sequence is derived from `seed`: for simulations, which must replay.
    /// Never for keys that protect anything.
    package convenience init(seed: UInt64) {
        var bytes = [UInt8](repeating: 0, count: 32)
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: seed >> UInt64(8 * index)) }
        self.init(origin: .seeded(bytes))
    }

    /// A source over `next`, which must return as many bytes as asked for: for published vectors,
    /// and for hosts with their own generator.
    package convenience init(_ next: @escaping @Sendable (Int) -> [UInt8]) {
        self.init(origin: .scripted(next))
    }

    /// Fills `count` bytes at `output`.
    func fill(_ output: UnsafeMutablePointer<UInt8>, count: Int) {
        precondition(Sodium.isReady, "libsodium has no source of randomness")
        switch origin {
        case .system:
            unsafe randombytes_buf(output, count)
        case .seeded(var seed):
            let draw = draws.withLock { draw in
                draw += 1
                return draw
            }
            for index in 0..<8 {
                seed[8 + index] = UInt8(truncatingIfNeeded: draw >> UInt64(8 * index))
            }
            unsafe randombytes_buf_deterministic(output, count, seed)
        case .scripted(let next):
            var bytes = next(count)
            precondition(bytes.count == count, "\(bytes.count) random bytes for \(count)")
            for index in 0..<count { unsafe output[index] = bytes[index] }
            AtRestKey.wipe(&bytes)
        }
    }

    /// Bytes that are not secret: a nonce, an id.
    func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe fill(buffer.baseAddress!, count: count)
            initialized = count
        }
    }

    /// A fresh secret.
    func secret(
        _ size: KeyArena.SlotSize = .small, in arena: KeyArena
    ) throws(SecurityFailure) -> Secret {
        unsafe try Secret(size, in: arena) { output in
            unsafe fill(output, count: size.rawValue)
        }
    }
}

internal import CSodium

/// BLAKE2b without a key (RFC 7693), by libsodium.
enum BLAKE2b {
    /// Bytes of the full hash: HASHLEN of Noise (revision 34, section 12.8).
    static let byteCount = 64
    /// The bytes of a block: BLOCKLEN of Noise.
    static let blockByteCount = 128

    /// The hash of `parts`, one after the other, of 16 to 64 bytes.
    static func hash(_ parts: [UInt8]..., count: Int = byteCount) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe withState { state in
                unsafe begin(state, count: count)
                for part in parts {
                    unsafe part.withUnsafeBufferPointer { unsafe absorb(state, $0) }
                }
                unsafe finish(state, into: buffer.baseAddress!, count: count)
            }
            initialized = count
        }
    }

    // MARK: Step by step, for secrets

    /// libsodium's state, opaque to Swift.
    typealias State = OpaquePointer

    /// Passes a state on the stack, aligned for libsodium, and wipes it afterwards, because it
    /// holds input.
    static func withState(_ body: (State) -> Void) {
        let count = crypto_generichash_blake2b_statebytes()
        unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 64) { memory in
            let start = memory.baseAddress!
            unsafe body(OpaquePointer(start))
            unsafe sodium_memzero(start, count)
        }
    }

    static func begin(_ state: State, count: Int = byteCount) {
        let status = unsafe crypto_generichash_blake2b_init(state, nil, 0, count)
        precondition(status == 0, "crypto_generichash_blake2b_init: \(status)")
    }

    static func absorb(_ state: State, _ part: UnsafeBufferPointer<UInt8>) {
        guard let start = part.baseAddress, part.count > 0 else { return }
        unsafe crypto_generichash_blake2b_update(state, start, UInt64(part.count))
    }

    static func finish(
        _ state: State, into output: UnsafeMutablePointer<UInt8>, count: Int = byteCount
    ) {
        unsafe crypto_generichash_blake2b_final(state, output, count)
    }
}

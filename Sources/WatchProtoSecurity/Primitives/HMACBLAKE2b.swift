internal import CSodium

/// HMAC (RFC 2104) over BLAKE2b-512 with its block of 128 bytes, as Noise requires. BLAKE2b's own
/// keyed mode is another function with other results.
enum HMACBLAKE2b {
    /// Writes the 64 bytes of HMAC(`key`, `first` ‖ `second`) to `output`, which may be an input.
    ///
    /// - Precondition: `key` has at most 128 bytes (here it always has 32 or 64).
    static func authenticate(
        into output: UnsafeMutablePointer<UInt8>, key: UnsafeBufferPointer<UInt8>,
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
    ) {
        let blockByteCount = BLAKE2b.blockByteCount
        precondition(key.count <= blockByteCount)
        // The padded key, then the inner hash.
        let count = blockByteCount + BLAKE2b.byteCount
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { memory in
            let pad = memory.baseAddress!
            let inner = unsafe pad + blockByteCount
            func fillPad(_ mask: UInt8) {
                for index in 0..<blockByteCount {
                    unsafe pad[index] = (index < key.count ? key[index] : 0) ^ mask
                }
            }
            let block = unsafe UnsafeBufferPointer(start: pad, count: blockByteCount)
            unsafe BLAKE2b.withState { state in
                fillPad(0x36)
                unsafe BLAKE2b.begin(state)
                unsafe BLAKE2b.absorb(state, block)
                unsafe BLAKE2b.absorb(state, first)
                unsafe BLAKE2b.absorb(state, second)
                unsafe BLAKE2b.finish(state, into: inner)
                fillPad(0x5C)
                unsafe BLAKE2b.begin(state)
                unsafe BLAKE2b.absorb(state, block)
                unsafe BLAKE2b.absorb(
                    state, UnsafeBufferPointer(start: inner, count: BLAKE2b.byteCount))
                unsafe BLAKE2b.finish(state, into: output)
            }
            unsafe sodium_memzero(pad, count)
        }
    }

    /// HMAC for bytes that are not secret.
    static func authenticate(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: BLAKE2b.byteCount) { buffer, initialized in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe message.withUnsafeBufferPointer { message in
                    unsafe authenticate(
                        into: buffer.baseAddress!, key: key, message,
                        UnsafeBufferPointer(start: nil, count: 0))
                }
            }
            initialized = BLAKE2b.byteCount
        }
    }
}

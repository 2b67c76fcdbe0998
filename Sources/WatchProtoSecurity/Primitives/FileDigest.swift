internal import CSodium

/// BLAKE2b of 32 bytes (RFC 7693) over bytes that come part after part. None of them is secret.
@safe package struct FileDigest: ~Copyable, @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer

    /// The digest of nothing.
    package init() {
        unsafe memory = UnsafeMutableRawPointer.allocate(
            byteCount: crypto_generichash_blake2b_statebytes(), alignment: 64)
        unsafe BLAKE2b.begin(OpaquePointer(memory), count: 32)
    }

    deinit { unsafe memory.deallocate() }

    /// Adds the next bytes.
    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe BLAKE2b.absorb(OpaquePointer(memory), $0)
        }
    }

    /// A digest of the same bytes, which goes on by itself.
    package func copy() -> FileDigest {
        let copy = FileDigest()
        unsafe copy.memory.copyMemory(
            from: memory, byteCount: crypto_generichash_blake2b_statebytes())
        return copy
    }

    /// The digest of the bytes that have come.
    package var soFar: [UInt8] { copy().finish() }

    /// The digest of all bytes. No further ones can be added.
    package consuming func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            unsafe BLAKE2b.finish(OpaquePointer(memory), into: buffer.baseAddress!, count: 32)
            count = 32
        }
    }
}

internal import CSodium

/// The library's one-time preparation.
enum Sodium {
    /// Whether libsodium can be used; false if the system gives it no randomness.
    static let isReady = sodium_init() >= 0
}

/// Key material in separate memory (`sodium_malloc`), read-only once filled. It is between guard
/// pages and kept out of core dumps. If the system's limit of locked memory allows it, it is kept
/// out of swap. It is wiped and released with its last owner.
///
/// It never changes after `init`, so any thread may read it.
@safe final class SecretBytes: @unchecked Sendable {
    let count: Int
    private let start: UnsafeMutablePointer<UInt8>

    /// Allocates `count` bytes and lets `fill` write them. If `fill` throws, they are wiped as
    /// well.
    ///
    /// - Throws: the error of `fill`; ``AtRestKeyError/Fault/systemRefused`` if there is no memory.
    init(
        count: Int,
        fill: (UnsafeMutablePointer<UInt8>) throws(AtRestKeyError) -> Void
    ) throws(AtRestKeyError) {
        guard Sodium.isReady, let memory = unsafe sodium_malloc(count) else {
            throw .noSecretMemory(count: count)
        }
        self.count = count
        unsafe start = memory.bindMemory(to: UInt8.self, capacity: count)
        unsafe sodium_memzero(memory, count)
        // Should this throw, deinit gives the memory back: every property has its value.
        unsafe try fill(start)
        unsafe sodium_mprotect_readonly(memory)
    }

    deinit { unsafe sodium_free(start) }

    /// Passes the bytes to `body`, which must not keep them or copy them to ordinary memory.
    func withBytes<Value>(_ body: (UnsafePointer<UInt8>) -> Value) -> Value {
        unsafe body(UnsafePointer(start))
    }
}

internal import CSodium

/// The library's one-time preparation.
enum Sodium {
    /// Whether libsodium can be used; false where the system gives it no randomness.
    static let isReady = sodium_init() >= 0
}

/// Key material in memory of its own (`sodium_malloc`): between guard pages, kept out of core dumps
/// and, where the system's limit of locked memory allows, out of swap; read-only once filled; wiped
/// and given back when the last owner lets go.
///
/// Never changed after `init`, so any thread may read it.
@safe final class SecretBytes: @unchecked Sendable {
    let count: Int
    private let start: UnsafeMutablePointer<UInt8>

    /// Takes `count` bytes and has `fill` write to them. If it throws they are wiped as well.
    ///
    /// - Throws: what `fill` throws; ``AtRestKeyError/Fault/systemRefused`` without memory.
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

    /// Lends the bytes, which must not be kept or copied to ordinary memory.
    func withBytes<Value>(_ body: (UnsafePointer<UInt8>) -> Value) -> Value {
        unsafe body(UnsafePointer(start))
    }
}

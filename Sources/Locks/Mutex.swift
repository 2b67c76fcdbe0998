// `Mutex` and `Atomic` of the standard library. The thread sanitizer cannot see into its `Mutex` on
// Linux; a build for it (`./test --sanitize thread`) has this one over a lock of pthread instead.
@_exported public import Synchronization

#if SANITIZE_THREAD
    internal import Glibc

    /// A value behind a lock that the thread sanitizer sees; otherwise as the standard library's.
    @safe public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// Makes an unlocked one.
        public init(_ initial: consuming sending Value) {
            unsafe lock = .allocate(capacity: 1)
            unsafe pthread_mutex_init(lock, nil)
            unsafe value = .allocate(capacity: 1)
            unsafe value.initialize(to: initial)
        }

        deinit {
            unsafe value.deinitialize(count: 1)
            unsafe value.deallocate()
            unsafe pthread_mutex_destroy(lock)
            unsafe lock.deallocate()
        }

        /// Holds the lock while `body` runs.
        ///
        /// - Throws: what `body` throws.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(lock)
            defer { unsafe pthread_mutex_unlock(lock) }
            return try unsafe body(&value.pointee)
        }
    }
#endif

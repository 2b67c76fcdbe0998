internal import CPosix
internal import Glibc
package import WatchProtoCore

/// The host's randomness, for names that must never repeat (`getrandom`).
package enum SystemRandomness {
    /// A random epoch, never zero.
    package static func epoch() -> EpochID {
        while true {
            var value: UInt64 = 0
            let result = unsafe withUnsafeMutableBytes(of: &value) { bytes in
                retryOnInterrupt { unsafe getrandom(bytes.baseAddress, bytes.count, 0) }
            }
            // The kernel promises up to 256 bytes in one piece once its pool is ready.
            guard case .success(8) = result else { preconditionFailure("getrandom gave no bytes") }
            if value != 0 { return EpochID(rawValue: value) }
        }
    }
}

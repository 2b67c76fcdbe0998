/// A moment on a monotonic clock: nanoseconds since an origin that the host chooses.
///
/// The core never reads a clock. Every call that may depend on time takes the moment as an
/// argument, and moments given to one peer never run backwards.
package struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the host's origin (its boot, or the start of a simulation).
    package var nanoseconds: UInt64

    /// Makes the moment that lies `nanoseconds` after the host's origin.

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The host's origin.
    package static let zero = Instant(nanoseconds: 0)

    /// A moment no clock reaches.
    package static let distantFuture = Instant(nanoseconds: .max)

    /// Whether the left moment is the earlier one; both must be of the same clock.

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment `wait` later; a negative wait moves back. Stops at the ends of the range.
    package func advanced(by wait: Duration) -> Instant {
        let distance = wait.nanosecondsClamped
        if distance >= 0 {
            let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(distance))
            return Instant(nanoseconds: overflow ? .max : sum)
        }
        let magnitude = distance.magnitude
        return Instant(nanoseconds: nanoseconds > magnitude ? nanoseconds - magnitude : 0)
    }

    /// The wait from this moment to `later`; negative when `later` is earlier.
    package func duration(to later: Instant) -> Duration {
        if later.nanoseconds >= nanoseconds {
            return .nanoseconds(Int64(clamping: later.nanoseconds - nanoseconds))
        }
        return .nanoseconds(-Int64(clamping: nanoseconds - later.nanoseconds))
    }
}

extension Duration {
    /// The wait in whole nanoseconds, held within 292 years either way.
    package var nanosecondsClamped: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if carry { return seconds < 0 ? .min : .max }
        return sum
    }
}

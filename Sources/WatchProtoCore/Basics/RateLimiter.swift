/// A token bucket that fills with time; each piece of work takes a token.
///
/// Time is an argument, and the bucket holds no more than ``burst``.
package struct RateLimiter: Hashable, Sendable {
    /// Pieces that may come at once.
    package let burst: Int64
    /// Pieces that may come in each second after that.
    package let perSecond: Int64

    /// Nanoseconds that stand for the pieces that may still come.
    private var credit: Int64
    private var filledAt = Instant.zero

    package init(burst: Int64, perSecond: Int64) {
        precondition(burst > 0 && perSecond > 0 && perSecond <= 1_000_000_000)
        (self.burst, self.perSecond) = (burst, perSecond)
        credit = burst * (1_000_000_000 / perSecond)
    }

    private var price: Int64 { 1_000_000_000 / perSecond }

    /// Takes a token; false where there is none, and the piece of work is not to be done.
    package mutating func take(at now: Instant) -> Bool {
        let passed = max(0, filledAt.duration(to: now).nanosecondsClamped)
        filledAt = max(filledAt, now)
        credit = credit + min(passed, burst * price - credit)
        guard credit >= price else { return false }
        credit -= price
        return true
    }

    /// Gives a token back: the work was not an attacker's.
    package mutating func giveBack() { credit = min(credit + price, burst * price) }
}

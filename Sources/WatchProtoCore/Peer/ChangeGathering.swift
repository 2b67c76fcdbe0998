/// Decides when changes leave for which nobody waits, so that many small ones share a packet.
///
/// A change that comes alone leaves at once. Of a burst of changes, two packets leave at once; then
/// the next changes are gathered until a token comes, which takes a quarter of the smoothed
/// round-trip time and at most 500 ms, or until ten of them wait. A link without delay gathers
/// nothing. In the background a token takes 500 ms.
///
/// Once some of them may leave, all may that wait or come, until none waits. So a backlog is not
/// held up by later changes. Urgent and lost changes, and those older than the session, wait for no
/// token.
struct ChangeGathering: Sendable {
    private var bucket = TokenBucket(Self.usual, roundTrip: .zero)
    /// Changes that came since nothing waited.
    private var waiting = 0
    /// Whether everything may leave until nothing waits.
    private(set) var isOpen = false

    /// A change was accepted.
    mutating func add(isUrgent: Bool) {
        if isUrgent { isOpen = true } else { waiting += 1 }
    }

    /// Everything that waits may leave.
    mutating func release() { isOpen = true }

    /// Whether changes may leave now.
    func mayLeave(at now: Instant) -> Bool {
        isOpen || waiting == 0 || waiting >= Self.fullCount || bucket.hasToken(at: now)
    }

    /// Whether changes wait for a token or for others.
    var isWaiting: Bool { !isOpen && (1..<Self.fullCount).contains(waiting) }

    /// A packet with changes left.
    mutating func left(at now: Instant) {
        if !isOpen, waiting > 0 { bucket.spend(at: now) }
        isOpen = true
    }

    /// No change waits that could leave.
    mutating func isEmptied() {
        isOpen = false
        waiting = 0
    }

    /// When the changes that wait may leave; nil if none waits for a token. The moment may have
    /// passed.
    var nextDeadline: Instant? { isWaiting ? bucket.nextToken : nil }

    /// Adapts to the smoothed round-trip time.
    mutating func setRoundTrip(_ roundTrip: Duration, at now: Instant) {
        bucket.setRoundTrip(roundTrip, at: now)
    }

    /// The application is in the foreground, or not.
    mutating func setForeground(_ isForeground: Bool, at now: Instant) {
        let longest = Self.usual.upperBound
        bucket.setBounds(isForeground ? Self.usual : longest...longest, at: now)
        if isForeground { release() }
    }

    /// The shortest and the longest time between two tokens in the foreground.
    private static let usual: ClosedRange<Duration> = .zero ... .milliseconds(500)
    /// The changes that make a packet without a token.
    private static let fullCount = 10
}

/// The bytes that redundancy may cost: a quarter of all bytes that the path carries in the long
/// run.
struct RedundancyBudget: Sendable {
    private var allowance = Double(RedundancyBudget.largestAllowance)
    private var allowedAt = Instant.zero

    /// Spends `bytes`; false, and nothing is spent, where too little is left. An unknown rate
    /// counts as 8,192 bytes a second.
    mutating func spend(_ bytes: Int, bytesPerSecond: Double?, at now: Instant) -> Bool {
        let rate = bytesPerSecond ?? Double(Self.largestAllowance)
        let passed = Double(max(0, allowedAt.duration(to: now).nanosecondsClamped)) / 1e9
        let limit = max(Double(Self.largestAllowance), rate * Self.longestSaving)
        allowance = min(limit, allowance + passed * rate * Self.share)
        allowedAt = max(allowedAt, now)
        guard allowance >= Double(bytes) else { return false }
        allowance -= Double(bytes)
        return true
    }

    /// The share of the path's rate that redundancy may take in the long run.
    static let share = 0.25
    /// Seconds of the rate that may be saved up.
    static let longestSaving = 0.25
    /// Bytes that may be saved up, where that is more.
    static let largestAllowance = 8192
}

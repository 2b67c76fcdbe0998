/// The progress of catching up after a reconnection, in steps that a person can see.
struct CatchUp: Sendable {
    /// Durable records that waited when the session began; 0 once they are settled.
    private var total: Int
    private var reported = 0

    init(total: Int) { self.total = total }

    /// Evaluates how many durable records wait; gives the event to report, if any: at each
    /// twentieth and at the end.
    mutating func evaluate(waiting: Int) -> PeerEvent? {
        guard total > 0 else { return nil }
        let (of, settled) = (total, max(0, total - waiting))
        guard settled == of || settled - reported >= max(1, of / 20) else { return nil }
        reported = settled
        if settled == of { total = 0 }
        return .catchUp(settled: settled, of: of)
    }
}

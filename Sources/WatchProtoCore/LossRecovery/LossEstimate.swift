/// An estimate of the share of packets that the path loses.
struct LossEstimate: Sendable {
    private var lost = 0.0
    private var total = 0.0

    /// The share, 0 to 1. The prior is one lost packet of a hundred.
    var share: Double { (lost + 1) / (total + 100) }

    /// Makes an estimate that knows only the prior.
    init() {}

    /// Makes an estimate as after `packets` packets of which this share was lost.
    init(share: Double, packets: Double) {
        total = packets
        // The remembered share includes the prior.
        lost = max(0, share * (packets + 100) - 1)
    }

    /// Counts packets. Older packets count less.
    mutating func add(delivered: Int, lost: Int) {
        total += Double(delivered + lost)
        self.lost += Double(lost)
        if total > 2000 {
            total /= 2
            self.lost /= 2
        }
    }

    /// Takes back `count` losses: the packets turned out to be late.
    mutating func removeSpurious(_ count: Int) { lost = max(0, lost - Double(count)) }

    /// The fewest repair packets with which a block of `count` packets stays incomplete with a
    /// probability of at most `allowed`, by the binomial distribution; at most
    /// ``RepairFrame/mostRepairs``. A share above 30 % counts as 30 %.
    func repairs(for count: Int, allowed: Double) -> Int {
        let share = min(share, 0.3)
        let odds = share / (1 - share)
        for repairs in 0..<RepairFrame.mostRepairs {
            let packets = count + repairs
            // The probability that none is lost, then term by term.
            var term = 1.0
            for _ in 0..<packets { term *= 1 - share }
            var within = term
            for lost in 0..<repairs {
                term *= odds * Double(packets - lost) / Double(lost + 1)
                within += term
            }
            if 1 - within <= allowed { return repairs }
        }
        return RepairFrame.mostRepairs
    }
}

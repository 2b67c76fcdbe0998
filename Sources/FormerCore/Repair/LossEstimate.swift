/// The share of packets that the path loses of itself.
struct LossEstimate: Sendable {
    private var lost = 0.0
    private var total = 0.0

    /// The share, 0 ... 1; before anything is known as if one of a hundred had been lost.
    var share: Double { (lost + 1) / (total + 100) }

    /// Makes an estimate that knows nothing.
    init() {}

    /// Makes an estimate to which `packets` packets showed that `share` of them are lost.
    init(share: Double, packets: Double) {
        total = packets
        // What is assumed before anything is known is part of the share.
        lost = max(0, share * (packets + 100) - 1)
    }

    mutating func note(delivered: Int, lost: Int) {
        total += Double(delivered + lost)
        self.lost += Double(lost)
        // What is long ago counts less.
        if total > 2000 {
            total /= 2
            self.lost /= 2
        }
    }

    /// Packets taken for lost were late.
    mutating func takeBack(_ count: Int) { lost = max(0, lost - Double(count)) }

    /// How many combinations a flight of `count` packets needs so that a share of `allowed` flights
    /// at most lacks something in spite of them.
    func rows(for count: Int, allowed: Double) -> Int {
        let share = min(share, 0.3)
        let odds = share / (1 - share)
        for rows in 0..<ParityFrame.largestRows {
            // The binomial distribution, summed term by term.
            let packets = count + rows
            var term = 1.0
            for _ in 0..<packets { term *= 1 - share }
            var within = term
            for lost in 0..<rows {
                term *= odds * Double(packets - lost) / Double(lost + 1)
                within += term
            }
            if 1 - within <= allowed { return rows }
        }
        return ParityFrame.largestRows
    }
}

/// A percentile, exact: its share is whole parts in a million.
package struct Percentile: Hashable, Comparable, Sendable {
    /// The share of samples at or below it, in parts per million.
    package let partsPerMillion: UInt64

    /// Makes the percentile of `partsPerMillion`, such as 999,000 for p99.9.
    ///
    /// - Precondition: below 1,000,000; the caller is at fault otherwise.
    package init(partsPerMillion: UInt64) {
        precondition(partsPerMillion < 1_000_000)
        self.partsPerMillion = partsPerMillion
    }

    /// The median.
    package static let p50 = Percentile(partsPerMillion: 500_000)
    /// Needs 100 samples.
    package static let p90 = Percentile(partsPerMillion: 900_000)
    /// Needs 200 samples.
    package static let p95 = Percentile(partsPerMillion: 950_000)
    /// Needs 1,000 samples.
    package static let p99 = Percentile(partsPerMillion: 990_000)
    /// Needs 10,000 samples.
    package static let p999 = Percentile(partsPerMillion: 999_000)

    /// The fewest samples that support it: 10/(1−p), so that ten samples lie above it.
    package var samplesNeeded: UInt64 {
        let above = 1_000_000 - partsPerMillion
        return (10_000_000 + above - 1) / above
    }

    /// The rank of its sample among `count` sorted ones, from 1.
    ///
    /// - Precondition: `count` is above 0 and below 10¹³.
    func rank(in count: UInt64) -> UInt64 {
        max(1, (partsPerMillion * count + 999_999) / 1_000_000)
    }

    /// `p99`, `p99.9`.
    package var name: String {
        let (percent, rest) = partsPerMillion.quotientAndRemainder(dividingBy: 10_000)
        guard rest > 0 else { return "p\(percent)" }
        let digits = String(rest + 10_000).dropFirst()
        return "p\(percent)." + String(digits.reversed().drop { $0 == "0" }.reversed())
    }

    package static func < (left: Percentile, right: Percentile) -> Bool {
        left.partsPerMillion < right.partsPerMillion
    }
}

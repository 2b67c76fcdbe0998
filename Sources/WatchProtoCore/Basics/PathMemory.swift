/// The measurements of a path that are kept for the next run of the process. With them it sends at
/// the right rate, and waits as long as the path takes, from the first packet on.
package struct PathMemory: Hashable, Sendable {
    /// The rate that was measured, in bytes a second.
    package let bytesPerSecond: UInt64
    /// The smoothed round trip, in microseconds.
    package let roundTripMicroseconds: UInt64
    /// Packets of 10,000 that the path loses of itself.
    package let lossPerTenThousand: UInt16

    /// Makes a memory of what a session measured.
    ///
    /// - Returns: nil where that can be of no path: a rate outside 1 kB/s ... 10 GB/s, a round trip
    ///   of none or more than an hour, more lost than was sent.
    package init?(
        bytesPerSecond: UInt64, roundTripMicroseconds: UInt64, lossPerTenThousand: UInt16
    ) {
        guard Self.rates.contains(bytesPerSecond), Self.trips.contains(roundTripMicroseconds),
            lossPerTenThousand <= 10_000
        else { return nil }
        self.bytesPerSecond = bytesPerSecond
        self.roundTripMicroseconds = roundTripMicroseconds
        self.lossPerTenThousand = lossPerTenThousand
    }

    static let rates: ClosedRange<UInt64> = 1000...10_000_000_000
    static let trips: ClosedRange<UInt64> = 1...3_600_000_000

    /// Whether `newer` tells so much else that it is worth being written down.
    func differs(from newer: PathMemory) -> Bool {
        Self.isFar(bytesPerSecond, newer.bytesPerSecond, least: 0)
            || Self.isFar(roundTripMicroseconds, newer.roundTripMicroseconds, least: 5000)
            || Self.isFar(
                UInt64(lossPerTenThousand), UInt64(newer.lossPerTenThousand), least: 100)
    }

    /// Whether two values lie more than a quarter of the larger, and more than `least`, apart.
    private static func isFar(_ one: UInt64, _ other: UInt64, least: UInt64) -> Bool {
        let (low, high) = (min(one, other), max(one, other))
        return high - low > max(high / 4, least)
    }
}

/// The frequency of events: `20/s` or `0.5/s`.
package struct Rate: Quantity, Hashable, Comparable {
    /// Events in 1,000,000 seconds, as a whole number, so that a rate read from text is exact.
    package var perMegasecond: UInt64

    /// Makes the rate of `perSecond` events a second, to the nearest millionth.
    package init(perSecond: Double) {
        perMegasecond = UInt64(max(0, perSecond) * 1_000_000 + 0.5)
    }

    /// Reads a rate such as `20/s`.
    ///
    /// - Throws: the fault of `text`; its author is at fault.
    package init(quantity text: String) throws(QuantityError) {
        perMegasecond = try UnitSize.parse(text, units: [UnitSize("/s", 1_000_000)])
    }

    /// Whether `left` is the lower one.
    package static func < (left: Self, right: Self) -> Bool {
        left.perMegasecond < right.perMegasecond
    }

    /// Events a second.
    package var perSecond: Double { Double(perMegasecond) / 1_000_000 }

    /// The rate in events a second, to at most three decimals, such as `0.5/s`.
    package var meaning: String {
        "\(Decimals.shortest(perSecond, decimals: 3))/s"
    }
}

/// A wait: `ns`, `us`, `ms`, `s`, `min` or `h`; exact to the nanosecond.
extension Duration: Quantity {
    private static let unitSizes = [
        UnitSize("ns", 1), UnitSize("us", 1000), UnitSize("ms", 1_000_000),
        UnitSize("s", 1_000_000_000), UnitSize("min", 60_000_000_000),
        UnitSize("h", 3_600_000_000_000),
    ]

    /// Reads a wait such as `20ms` or `1.5s`; `µs` counts as `us`.
    ///
    /// - Throws: the fault of `text`; its author is at fault.
    package init(quantity text: String) throws(QuantityError) {
        let plain = String(text.map { $0 == "µ" || $0 == "μ" ? "u" : $0 })
        let steps = try UnitSize.parse(plain, units: Self.unitSizes)
        guard let nanoseconds = Int64(exactly: steps) else {
            throw QuantityError("it is too large")
        }
        self = .nanoseconds(nanoseconds)
    }

    /// The wait in the largest readable unit, such as `1.5 s`; whole nanoseconds.
    package var meaning: String {
        let (seconds, attoseconds) = components
        let whole = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        // `min` and `h` read worse than seconds unless they come out whole.
        let magnitude = whole.magnitude
        let units = Self.unitSizes.filter { unit in
            unit.steps <= 1_000_000_000 || magnitude.isMultiple(of: unit.steps)
        }
        return (whole < 0 ? "-" : "") + UnitSize.describe(magnitude, units: units)
    }
}

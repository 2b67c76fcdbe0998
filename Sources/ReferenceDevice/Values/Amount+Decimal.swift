package import WatchProto

extension Amount {
    /// Makes the amount that `digits` writes in decimals (`2`, `0.5`), exactly. Nil when it is
    /// anything else, negative, or needs more than nine digits.
    package init?(digits: String, unit: DoseUnit) {
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) })
        else { return nil }
        var fraction = parts.count == 2 ? parts[1] : ""
        while fraction.hasSuffix("0") { fraction = fraction.dropLast() }
        guard let mantissa = UInt32(parts[0] + fraction) else { return nil }
        self.init(mantissa: mantissa, scale: fraction.utf8.count, unit: unit)
    }

    /// Makes the amount that `number` was written as in decimals. Nil when that is negative, not
    /// finite or needs more than nine digits.
    package init?(number: Double, unit: DoseUnit) {
        guard number >= 0 else { return nil }
        var power = 1.0
        for scale in 0...Self.largestScale {
            let scaled = number * power
            guard scaled < 4_294_967_295.5 else { return nil }
            let mantissa = UInt32(scaled + 0.5)
            if Double(mantissa) / power == number {
                self.init(mantissa: mantissa, scale: scale, unit: unit)
                return
            }
            power *= 10
        }
        return nil
    }
}

extension Double {
    /// The number, when it is whole and below 10^15. (`Int(exactly:)` rounds by way of the C
    /// library's mathematics, which nothing here links.)
    var whole: Int? {
        guard isFinite, magnitude < 1e15 else { return nil }
        let truncated = Int(self)
        return Double(truncated) == self ? truncated : nil
    }
}
